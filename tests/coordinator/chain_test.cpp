// What a chain of plain steps does: order, conditions, failures, retries and time.
#include <catch2/catch.hpp>

#include "tests/coordinator/fixture.hpp"
#include "tests/coordinator/orderly_end.hpp"

namespace catena::coordinator::test {
namespace {

using engine::ChainStatus;
using namespace std::chrono_literals;

std::string retried(int attempts, const std::string& more = {}) {
  return R"("retry": {"max_attempts": )" + std::to_string(attempts) + R"(, "initial_interval": "1s", "backoff": 2, "jitter": 0})" +
         (more.empty() ? "" : ", " + more);
}

/// Nothing of a chain that ended stays behind.
void require_clean(Fixture& f) {
  f.run();
  std::uint32_t tickets = 0;
  for (const auto& [id, worker] : Fixture::state_of<SupervisorState>(f.supervisor).running) FAIL("chain " << id.value << " still runs");
  for (std::size_t worker = 0; worker < f.workers.size(); ++worker) tickets += 2 * WorkerSpec{}.slots;
  CHECK(f.tickets_free() == tickets);
  CHECK(f.actors_left() == 0);
  CHECK(f.script.pending.empty());
}

TEST_CASE("a chain of three steps completes with its outputs") {
  Fixture f;
  const auto package = pin(composite({step("a", R"("arguments": {"x": "REF:arguments.x"})"), step("b", R"("arguments": {"y": "REF:a.x"})"),
                                      step("c", R"("arguments": {"z": "REF:b.y"})")},
                                     R"("response_reference_map": {"out": "REF:c.z"})"));
  const auto ended = f.complete(package, "c", R"({"x": 7})");
  CHECK(ended.status == ChainStatus::succeeded);
  CHECK(Json::parse(ended.response.text) == Json{{"out", 7}});
  CHECK(f.script.keys() == std::vector<std::string>{"c/a", "c/b", "c/c"});
  CHECK(f.accepted == std::vector{ChainId{"c"}});
  require_clean(f);
}

TEST_CASE("without a map the outputs are the responses by step") {
  Fixture f;
  const auto ended = f.complete(pin(composite({step("a", R"("arguments": {"x": 1})"), step("b")})));
  CHECK(Json::parse(ended.response.text) == Json{{"a", {{"x", 1}}}, {"b", Json::object()}});
}

TEST_CASE("steps without dependencies are both sent out before either answers") {
  Fixture f;
  f.script.on("c/a", held());
  f.script.on("c/b", held());
  f.submit(pin(composite({step("a"), step("b"), step("after", R"("dependencies": ["a", "b"])")})));
  f.run();
  CHECK(f.script.pending.size() == 2);
  f.script.release("c/b");
  f.run();
  CHECK(f.script.count("c/after") == 0);
  f.script.release("c/a");
  CHECK(f.finish().status == ChainStatus::succeeded);
  require_clean(f);
}

TEST_CASE("a false condition skips its step, and dependants run with nulls") {
  Fixture f;
  const auto ended = f.complete(pin(
      composite({step("a", R"("conditions": [{"param": 1, "operator": "equals", "value": 2}])"), step("b", R"("arguments": {"seen": "REF:a.x"})")})));
  CHECK(ended.status == ChainStatus::succeeded);
  CHECK(f.script.keys() == std::vector<std::string>{"c/b"});
  CHECK(Json::parse(f.script.last("c/b").arguments) == Json{{"seen", nullptr}});
}

TEST_CASE("a failure that a condition looks at is handled") {
  Fixture f;
  f.script.on("c/a", failure(Code::tool_failed));
  const auto ended =
      f.complete(pin(composite({step("a"), step("b", R"("conditions": [{"param": "REF:a.status", "operator": "equals", "value": "failed"}])")},
                               R"("response_reference_map": {"b": "REF:b.response", "why": "REF:a.error.code"})")));
  CHECK(ended.status == ChainStatus::succeeded);
  CHECK(Json::parse(ended.response.text) == Json{{"b", Json::object()}, {"why", "tool_failed"}});
  require_clean(f);
}

TEST_CASE("an unhandled failure fails the chain: what runs is recorded, nothing new starts") {
  Fixture f;
  f.script.on("c/bad", held());
  f.script.on("c/slow", held());
  f.submit(pin(composite({step("bad"), step("slow"), step("never", R"("dependencies": ["slow"])")})));
  f.run();
  f.script.release("c/bad", failure(Code::tool_failed));
  f.run();
  CHECK_FALSE(f.has_ended());
  CHECK(f.script.stops == 0);
  f.script.release("c/slow", answer(R"({"kept": 1})"));
  const auto ended = f.finish();
  CHECK(ended.status == ChainStatus::failed);
  REQUIRE(ended.error);
  CHECK(ended.error->code == Code::tool_failed);
  CHECK(ended.error->message.find("step 'bad'") != std::string::npos);
  CHECK(ended.error->message.find("attempt 1") != std::string::npos);
  CHECK(f.script.count("c/never") == 0);
  const auto state = f.state();
  CHECK(state.steps[1].status == engine::VisitStatus::completed);
  CHECK(Json::parse(state.steps[1].response.text) == Json{{"kept", 1}});
  require_clean(f);
}

TEST_CASE("with failure_policy cancel a failure stops what runs") {
  Fixture f;
  f.script.on("c/bad", held());
  f.script.on("c/slow", held());
  f.submit(pin(composite({step("bad"), step("slow")}, R"("failure_policy": "cancel")")));
  f.run();
  f.script.release("c/bad", failure(Code::tool_failed));
  CHECK(f.finish().status == ChainStatus::failed);
  CHECK(f.script.stops == 1);
  CHECK(f.state().steps[1].status == engine::VisitStatus::cancelled);
  require_clean(f);
}

TEST_CASE("a retry waits exactly its backoff") {
  Fixture f;
  f.script.otherwise = [](const auto& attempt) { return attempt.attempt < 4 ? failure(Code::tool_temporary, true) : answer(R"({"at": 4})"); };
  f.submit(pin(composite({step("a", retried(4))})));
  f.run();
  for (const auto pause : {1000ms, 2000ms, 4000ms}) {
    const auto before = f.script.executions.size();
    f.advance(pause - 1ms);
    CHECK(f.script.executions.size() == before);
    f.advance(1ms);
    CHECK(f.script.executions.size() == before + 1);
  }
  CHECK(f.finish().status == ChainStatus::succeeded);
  CHECK(f.script.last("c/a").attempt == 4);
  require_clean(f);
}

TEST_CASE("a step fails when its attempts are used up, and an error that cannot be retried is not") {
  Fixture f;
  f.script.on("c/a", failure(Code::tool_temporary, true));
  CHECK(f.complete(pin(composite({step("a", retried(3))}))).status == ChainStatus::failed);
  CHECK(f.script.count("c/a") == 3);
  f.script.on("d/a", failure(Code::tool_failed, false));
  CHECK(f.complete(pin(composite({step("a", retried(3))})), "d").status == ChainStatus::failed);
  CHECK(f.script.count("d/a") == 1);
  require_clean(f);
}

TEST_CASE("a deadline fails the step at its time exactly") {
  Fixture f;
  f.script.on("c/a", held());
  const auto began = f.now();
  f.submit(pin(composite({step("a", R"("deadline": "5s")")})));
  f.advance(4999ms);
  CHECK(f.script.stops == 0);
  f.advance(1ms);
  CHECK(f.script.stops == 1);
  const auto ended = f.finish();
  CHECK(ended.status == ChainStatus::failed);
  REQUIRE(ended.error);
  CHECK(ended.error->code == Code::deadline_exceeded);
  CHECK(f.state().steps[0].settled_at == began + 5000);
  require_clean(f);
}

TEST_CASE("a deadline covers the pauses between attempts") {
  Fixture f;
  f.script.on("c/a", failure(Code::tool_temporary, true));
  f.submit(pin(composite({step("a", retried(9, R"("deadline": "2s")"))})));
  f.run();
  const auto ended = f.finish();
  REQUIRE(ended.error);
  CHECK(ended.error->code == Code::deadline_exceeded);
  CHECK(f.script.count("c/a") == 2);
  require_clean(f);
}

TEST_CASE("the timeout of an attempt is handed to the worker") {
  Fixture f;
  CHECK(f.complete(pin(composite({step("a", R"("timeout": "90s")"), step("b")}))).status == ChainStatus::succeeded);
  CHECK(f.script.last("c/a").timeout_ms == 90'000);
  CHECK(f.script.last("c/b").timeout_ms == 0);
}

TEST_CASE("reports that come twice, late or from another incarnation change nothing") {
  Fixture f;
  f.script.on("c/twice", in_manner(Reply::How::twice, answer(R"({"n": 1})")));
  f.script.on("c/foreign", in_manner(Reply::How::foreign_first, answer(R"({"n": 2})")));
  f.script.on("c/open", held());
  f.submit(pin(composite({step("twice"), step("foreign"), step("open")})));
  f.run();
  const auto late = f.script.pending.begin()->second;
  f.script.release("c/open", answer(R"({"n": 3})"));
  const auto ended = f.finish();
  const auto events = f.history().size();
  caf::anon_send(late.reporter, actors::WorkReport{late.grant, late.incarnation, {{0, true, R"({"n": 4})", 1}}, {}});
  f.run();
  CHECK(Json::parse(ended.response.text) == Json{{"twice", {{"n", 1}}}, {"foreign", {{"n", 2}}}, {"open", {{"n", 3}}}});
  CHECK(f.history().size() == events);
  CHECK(f.count<engine::ItemsSettled>() == 3);
}

TEST_CASE("a response that breaks the declaration of its tool fails the step") {
  Fixture f;
  const auto strict = R"({"responses": [{"name": "n", "type_name": "integer", "required": true}], "system_event_endpoint": "builtin:echo"})";
  f.script.on("c/a", answer(R"({"n": "one"})"));
  const auto ended = f.complete(pin(composite({step("a", {}, "/strict.tool")}), {{"/strict.tool", strict}}));
  CHECK(ended.status == ChainStatus::failed);
  REQUIRE(ended.error);
  CHECK(ended.error->code == Code::response_type);
  require_clean(f);
}

TEST_CASE("a process that ends in order leaves no actor behind, at whatever point its chains are") {
  const auto package = pin(composite({step("a"), step("b", R"("dependencies": ["a"])")}));
  check_orderly_end([&](Fixture& f) { f.submit(package); });
}

}  // namespace
}  // namespace catena::coordinator::test
