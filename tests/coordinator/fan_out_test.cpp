// Fan-outs over tools: order, windows, tolerance, joins, width.
#include <catch2/catch.hpp>

#include "tests/coordinator/fixture.hpp"

namespace catena::coordinator::test {
namespace {

using engine::ChainStatus;
using namespace std::chrono_literals;

/// One fan-out "a"; the response is its list.
Pinned listed_fan_out(const std::string& list, const std::string& more = {}, const std::string& members = {}) {
  return pin(
      composite({step("a", each(list, more) + (members.empty() ? "" : ", " + members))}, R"("response_reference_map": {"all": "REF:a.response"})"));
}

Json list_of(const actors::ChainEnded& ended) { return Json::parse(ended.response.text)["all"]; }

TEST_CASE("results keep the order of the input whatever order items finish in") {
  Fixture f;
  constexpr int kItems = 12;
  f.script.otherwise = [](const auto& attempt) { return late(Millis{100 - attempt.item}, answer(Json{{"n", attempt.item}}.dump())); };
  const auto ended = f.complete(listed_fan_out(numbers(kItems)));
  REQUIRE(ended.status == ChainStatus::succeeded);
  const auto all = list_of(ended);
  REQUIRE(all.size() == kItems);
  for (int item = 0; item < kItems; ++item) CHECK(all[static_cast<std::size_t>(item)] == Json{{"n", item}});
}

TEST_CASE("an item gets the shared arguments and itself") {
  Fixture f;
  f.complete(listed_fan_out(R"(["x", {"y": 1}])", {}, R"("arguments": {"base": 5})"));
  CHECK(Json::parse(f.script.last(item_key(0)).arguments) == Json{{"base", 5}, {"i", "x"}});
  CHECK(Json::parse(f.script.last(item_key(1)).arguments) == Json{{"base", 5}, {"i", {{"y", 1}}}});
}

TEST_CASE("an empty list completes with an empty list, and what is no list fails the step") {
  Fixture f;
  const auto ended = f.complete(listed_fan_out("[]"));
  CHECK(ended.status == ChainStatus::succeeded);
  CHECK(list_of(ended) == Json::array());
  const auto failed = f.complete(listed_fan_out(R"("REF:arguments.l")"), "d", R"({"l": 3})");
  REQUIRE(failed.error);
  CHECK(failed.error->code == Code::not_a_list);
}

TEST_CASE("max_concurrency is never exceeded") {
  Fixture f{{.workers = {{.id = "w1", .slots = 16}, {.id = "w2", .slots = 16}}}};
  f.script.otherwise = [](const auto& attempt) { return late(Millis{1 + attempt.item % 7}, answer("{}")); };
  CHECK(f.complete(listed_fan_out(numbers(60), R"("max_concurrency": 5)")).status == ChainStatus::succeeded);
  CHECK(f.script.most_pending == 5);
  CHECK(f.script.executions.size() == 60);
}

TEST_CASE("without a window the workers' slots are filled") {
  Fixture f{{.workers = {{.id = "w1", .slots = 4}, {.id = "w2", .slots = 4}}}};
  f.script.otherwise = [](const auto&) { return held(); };
  f.submit(listed_fan_out(numbers(400)));
  f.run();
  CHECK(f.tickets_free() == 0);
  std::map<std::string, int> orders;
  for (const auto& [id, pending] : f.script.pending) orders[pending.worker] = 1;
  CHECK(orders.size() == 2);
}

TEST_CASE("tolerated failures do not fail the step, one more does") {
  Fixture f;
  f.script.on(item_key(1), failure(Code::tool_failed));
  f.script.on(item_key(3), failure(Code::tool_failed));
  const auto ended = f.complete(listed_fan_out(numbers(6), R"("tolerated_failures": 2, "on_item_failure": "null")"));
  REQUIRE(ended.status == ChainStatus::succeeded);
  CHECK(list_of(ended)[1] == nullptr);
  CHECK(list_of(ended)[2] == Json{{"i", 2}});
  f.script.on("d/a/1", failure(Code::tool_failed));
  f.script.on("d/a/3", failure(Code::tool_failed));
  const auto failed = f.complete(listed_fan_out(numbers(6), R"("tolerated_failures": 1)"), "d");
  CHECK(failed.status == ChainStatus::failed);
  REQUIRE(failed.error);
  CHECK(failed.error->code == Code::items_failed);
}

TEST_CASE("a failed item can stand in the list as its error") {
  Fixture f;
  f.script.on(item_key(0), failure(Code::tool_failed));
  const auto ended = f.complete(listed_fan_out(numbers(2), R"("on_item_failure": "error")"));
  REQUIRE(ended.status == ChainStatus::succeeded);
  CHECK(list_of(ended)[0]["code"] == "tool_failed");
}

TEST_CASE("an item is retried by itself") {
  Fixture f;
  f.script.on(item_key(2), 1, failure(Code::tool_temporary, true));
  const auto ended = f.complete(listed_fan_out(numbers(5), {}, R"("retry": {"max_attempts": 2, "initial_interval": "1s", "jitter": 0})"));
  CHECK(ended.status == ChainStatus::succeeded);
  CHECK(f.script.executions.size() == 6);
  CHECK(f.script.count(item_key(2)) == 2);
  CHECK(f.script.last(item_key(2)).attempt == 2);
}

TEST_CASE("wait_for any: the first outcome completes the step and the rest is stopped") {
  Fixture f;
  f.script.otherwise = [](const auto&) { return held(); };
  f.script.on(item_key(1), late(10ms, answer(R"({"n": 1})")));
  const auto ended = f.complete(listed_fan_out(numbers(3), R"("wait_for": "any")"));
  REQUIRE(ended.status == ChainStatus::succeeded);
  CHECK(list_of(ended) == Json{nullptr, {{"n", 1}}, nullptr});
  CHECK(f.script.pending.empty());
}

TEST_CASE("wait_for first_success: failures are waited past") {
  Fixture f;
  f.script.on(item_key(0), failure(Code::tool_failed));
  f.script.on(item_key(1), late(10ms, answer(R"({"n": 1})")));
  f.script.on(item_key(2), held());
  const auto ended = f.complete(listed_fan_out(numbers(3), R"("wait_for": "first_success", "on_item_failure": "null")"));
  REQUIRE(ended.status == ChainStatus::succeeded);
  CHECK(list_of(ended)[1] == Json{{"n", 1}});
  CHECK(f.script.pending.empty());
  f.script.otherwise = [](const auto&) { return failure(Code::tool_failed); };
  CHECK(f.complete(listed_fan_out(numbers(3), R"("wait_for": "first_success")"), "d").status == ChainStatus::failed);
}

TEST_CASE("wait_for a count: so many successes complete the step") {
  Fixture f;
  f.script.otherwise = [](const auto& attempt) { return late(Millis{10 * (5 - attempt.item)}, answer(Json{{"n", attempt.item}}.dump())); };
  const auto ended = f.complete(listed_fan_out(numbers(5), R"("wait_for": 2)"));
  REQUIRE(ended.status == ChainStatus::succeeded);
  CHECK(list_of(ended) == Json{nullptr, nullptr, nullptr, {{"n", 3}}, {{"n", 4}}});
}

TEST_CASE("what a stopped item reports after its step has completed changes nothing") {
  Fixture f;
  f.script.obeys_stops = false;
  f.script.on(item_key(0), held());
  f.script.on(item_key(1), answer(R"({"n": 1})"));
  f.submit(pin(composite({step("a", each("[0, 1]", R"("wait_for": "first_success")")), step("b", R"("arguments": {"l": "REF:a.response"})")},
                         R"("response_reference_map": {"all": "REF:b.l"})")));
  f.run();
  CHECK(f.script.stops == 1);
  f.script.release(item_key(0), answer(R"({"n": 0})"));
  const auto ended = f.finish();
  CHECK(list_of(ended) == Json{nullptr, {{"n", 1}}});
}

TEST_CASE("a deadline stops the items of a fan-out that are out") {
  Fixture f;
  f.script.on(item_key(1), held());
  const auto ended = f.complete(listed_fan_out(numbers(3), {}, R"("deadline": "3s")"));
  REQUIRE(ended.error);
  CHECK(ended.error->code == Code::deadline_exceeded);
  CHECK(f.script.stops == 1);
  CHECK(f.script.pending.empty());
}

TEST_CASE("a step after 3,000 items reads their joined list") {
  Fixture f{{.workers = {{.id = "w1", .slots = 8}, {.id = "w2", .slots = 8}}}};
  constexpr int kItems = 3000;
  const auto ended = f.complete(
      pin(composite({step("a", each(R"("REF:arguments.l")")), step("b", R"("arguments": {"n": "REF:a.response.length", "l": "REF:a.response"})")},
                    R"("response_reference_map": {"n": "REF:b.n", "last": "REF:b.l.last.i"})")),
      "c", R"({"l": )" + numbers(kItems) + "}");
  REQUIRE(ended.status == ChainStatus::succeeded);
  CHECK(Json::parse(ended.response.text) == Json{{"n", kItems}, {"last", kItems - 1}});
  const auto list = Json::parse(f.script.last("c/b").arguments)["l"];
  REQUIRE(list.size() == kItems);
  for (std::size_t item = 0; item < list.size(); ++item) REQUIRE(list[item]["i"] == item);
  CHECK(f.script.executions.size() == kItems + 1);
  f.run();
  CHECK(f.tickets_free() == 32);
  CHECK(f.actors_left() == 0);
}

}  // namespace
}  // namespace catena::coordinator::test
