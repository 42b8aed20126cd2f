// What a coordinator counts of its chains and workers.
#include "coordinator/measuring.hpp"

#include <catch2/catch.hpp>

#include "base/metric_text.hpp"
#include "tests/coordinator/fixture.hpp"

namespace catena::coordinator::test {
namespace {

std::string metrics_of(Fixture& f) {
  f.tell(actors::TakeGauges{});
  f.tell_dispatcher(actors::TakeGauges{});
  f.run();
  return metric_text(f.services()->metrics->copy(), MetricForm::prometheus, "1");
}

std::string value_of(const std::string& text, const std::string& series) {
  const auto at = text.find('\n' + series + ' ');
  if (at == std::string::npos) return "none";
  const auto begin = at + series.size() + 2;
  return text.substr(begin, text.find('\n', begin) - begin);
}

}  // namespace

TEST_CASE("chains, steps, items and attempts are counted as they end") {
  Fixture f;
  f.script.on("c/a/1", failure(Code::tool_failed));
  f.script.on("c/b", 1, failure(Code::tool_temporary, true));
  CHECK(f.complete(pin(composite({step("a", each("[1, 2, 3]", R"("on_item_failure": "null")")),
                                  step("b", R"("dependencies": ["a"], "retry": {"max_attempts": 2, "initial_interval": "1s", "jitter": 0})"),
                                  step("sub", R"("dependencies": ["b"])", "/inner.tool")}),
                       {{"/inner.tool", composite({step("x")})}}))
            .status == engine::ChainStatus::succeeded);
  const auto text = metrics_of(f);
  CHECK(value_of(text, R"(catena_chains_started_total{by="submitted"})") == "1");
  CHECK(value_of(text, R"(catena_chains_started_total{by="child"})") == "1");
  CHECK(value_of(text, R"(catena_chains_ended_total{status="succeeded"})") == "2");
  CHECK(value_of(text, R"(catena_steps_settled_total{status="completed"})") == "4");
  CHECK(value_of(text, R"(catena_items_settled_total{outcome="succeeded"})") == "5");
  CHECK(value_of(text, R"(catena_items_settled_total{outcome="failed"})") == "1");
  CHECK(value_of(text, R"(catena_attempts_ended_total{how="failed"})") == "2");
  CHECK(value_of(text, "catena_attempts_granted_total") == "7");
  CHECK(value_of(text, "catena_retries_total") == "1");
  CHECK(value_of(text, "catena_chain_duration_seconds_count") == "2");
  CHECK(value_of(text, "catena_attempt_duration_seconds_count") == "6");
}

TEST_CASE("gauges say what lives and who works at the moment they are read") {
  Fixture f{{.workers = {{.slots = 2}}}};
  f.script.otherwise = [](const auto&) { return held(); };
  f.submit(pin(composite({step("a"), step("b"), step("x"), step("y")})));
  f.run();
  f.submit(pin(composite({step("waits")})), "d");
  f.run();
  auto text = metrics_of(f);
  CHECK(value_of(text, R"(catena_chains_live{state="awake"})") == "2");
  CHECK(value_of(text, R"(catena_workers{state="open"})") == "1");
  CHECK(value_of(text, "catena_slots") == "2");
  CHECK(value_of(text, "catena_slots_used") == "2");
  CHECK(value_of(text, "catena_steps_waiting") == "1");
  f.control("d", engine::Cancel{"enough"});
  f.run();
  text = metrics_of(f);
  CHECK(value_of(text, R"(catena_chains_live{state="awake"})") == "1");
  CHECK(value_of(text, R"(catena_controls_total{control="cancel"})") == "1");
  CHECK(value_of(text, R"(catena_chains_ended_total{status="cancelled"})") == "1");
  CHECK(value_of(text, "catena_steps_waiting") == "0");
}

TEST_CASE("workers that are lost are counted") {
  Fixture f;
  f.kill(f.workers.front());
  f.run();
  CHECK(value_of(metrics_of(f), "catena_workers_lost_total") == "1");
}

}  // namespace catena::coordinator::test
