// Steps that only compute run in the turn of their chain's coordinator: without a worker, many in one commit, and their recorded results never
// change.
#include <catch2/catch.hpp>

#include "tests/coordinator/fixture.hpp"
#include "tests/coordinator/scripted_sums.hpp"

namespace catena::coordinator::test {
namespace {

using engine::ChainStatus;

const std::string kSum = "/sum.tool";

Pinned with_sums(std::initializer_list<std::string> steps, const std::string& more = {}) { return pin(composite(steps, more), {{kSum, kSumTool}}); }

/// Composite of so many sums, each of what the one before came to.
Pinned row_of(int count) {
  const auto sum = [](int at, const std::string& x) { return step("s" + std::to_string(at), R"("arguments": {"x": "REF:)" + x + R"("})", kSum); };
  std::string steps = sum(0, "arguments.x");
  for (int at = 1; at < count; ++at) steps += ", " + sum(at, "s" + std::to_string(at - 1) + ".x");
  return pin(composite({steps}, R"("response_reference_map": {"out": "REF:s)" + std::to_string(count - 1) + R"(.x"})"), {{kSum, kSumTool}});
}

struct Computing {
  std::shared_ptr<ScriptedSums> sums = std::make_shared<ScriptedSums>();
  Fixture f{{.computing = sums}};
  [[nodiscard]] Gate& gate() { return f.gate; }
};

TEST_CASE("computed: a chain of such steps asks no worker, and is one record with its start and its end") {
  Computing c;
  c.gate().shut = true;
  c.f.submit(row_of(3), "c", R"({"x": 7})");
  c.f.run();
  CHECK(c.sums->keys() == std::vector<std::string>{"c/s0", "c/s1", "c/s2"});
  CHECK(c.gate().kept.size() == 1);
  CHECK_FALSE(c.f.has_ended());
  CHECK(c.f.accepted.empty());  // nothing is told of what is not durable
  c.f.open_gate();
  const auto ended = c.f.finish();
  CHECK(Json::parse(ended.response.text) == Json{{"out", 7}});
  CHECK(c.f.script.executions.empty());
  CHECK(c.f.actors_left() == 0);
}

TEST_CASE("computed: its history is that of a step of a worker, whose name is the coordinator's") {
  Computing c;
  REQUIRE(c.f.complete(row_of(1), "c", R"({"x": 1})").status == ChainStatus::succeeded);
  REQUIRE(c.f.count<engine::Granted>() == 1);
  REQUIRE(c.f.count<engine::ItemsSettled>() == 1);
  for (const auto& event : c.f.history()) {
    if (const auto* granted = std::get_if<engine::Granted>(&event)) CHECK(granted->worker.value == "coordinator");
  }
}

TEST_CASE("computed: many steps are spread over several commits, no more than two of which are under way at a time") {
  Computing c;
  c.gate().shut = true;
  c.f.submit(row_of(300), "c", R"({"x": 7})");
  c.f.run();
  const auto first = c.sums->calls().size();
  CHECK(first < 200);
  CHECK(c.gate().kept.size() == 2);
  c.f.pass_one_commit();
  c.f.run();
  CHECK(c.sums->calls().size() == first / 2 * 3);
  CHECK(c.gate().kept.size() == 2);
  c.f.open_gate();
  CHECK(Json::parse(c.f.finish().response.text) == Json{{"out", 7}});
  CHECK(c.sums->calls().size() == 300);
  CHECK(c.f.script.executions.empty());
}

TEST_CASE("computed: a step that fails is tried again at its time") {
  Computing c;
  const auto retried = R"("retry": {"max_attempts": 2, "initial_interval": "3s", "jitter": 0})";
  c.f.submit(with_sums({step("r", retried, kSum)}));
  c.f.run();
  CHECK(c.sums->calls().size() == 1);
  c.f.advance(Millis{2999});
  CHECK(c.sums->calls().size() == 1);
  c.f.advance(Millis{1});
  CHECK(c.f.finish().status == ChainStatus::succeeded);
  REQUIRE(c.sums->calls().size() == 2);
  CHECK(c.sums->calls().back().attempt == 2);
}

TEST_CASE("computed: what fails for good fails the chain with its error, and final steps run") {
  Computing c;
  const auto ended =
      c.f.complete(with_sums({step("t", {}, kSum), step("after", R"("dependencies": ["t"])", kSum), step("tidy", R"("finally": true)", kSum)}));
  CHECK(ended.status == ChainStatus::failed);
  REQUIRE(ended.error);
  CHECK(ended.error->code == Code::tool_temporary);
  CHECK(c.sums->keys() == std::vector<std::string>{"c/t", "c/tidy"});
}

TEST_CASE("computed: an answer is shaped and checked as that of a worker") {
  Computing c;
  const auto shaped = R"~("transform_responses": {"transforms": {"twice": "x * 2"}})~";
  const auto ended = c.f.complete(
      with_sums({step("a", R"("arguments": {"x": 4}, )" + std::string{shaped}, kSum)}, R"("response_reference_map": {"out": "REF:a.twice"})"));
  CHECK(Json::parse(ended.response.text) == Json{{"out", 8}});
  c.sums->answer = [](const auto&) { return "[]"; };
  const auto typed = pin(
      composite({step("a", {}, kSum)}),
      {{kSum,
        R"({"additional_arguments": true, "responses": [{"name": "n", "type_name": "integer", "required": true}], "system_event_endpoint": "builtin:add"})"}});
  const auto wrong = c.f.complete(typed, "wrong");
  REQUIRE(wrong.error);
  CHECK(wrong.error->code != Code::internal);
  CHECK(wrong.status == ChainStatus::failed);
}

TEST_CASE("computed: fan-outs, steps that ask for a label, and large arguments are left to workers") {
  Computing c;
  c.f.submit(with_sums({step("each", over(3), kSum), step("near", R"("needs": ["gpu"])", kSum)}));
  c.f.run();
  CHECK(c.sums->calls().empty());
  CHECK(c.f.script.count("c/each/0") == 1);
  CHECK(c.f.script.count("c/near") == 1);
  const auto large = R"({"x": ")" + std::string(100'000, 'x') + R"("})";
  REQUIRE(c.f.complete(row_of(2), "large", large).status == ChainStatus::succeeded);
  CHECK(c.sums->calls().empty());
  CHECK(c.f.script.count("large/s0") == 1);
}

TEST_CASE("computed: a large answer is there for the step behind it") {
  Computing c;
  c.sums->answer = [](const auto& call) { return call.key == "c/a" ? R"({"x": ")" + std::string(100'000, 'y') + R"("})" : call.arguments; };
  const auto ended = c.f.complete(
      with_sums({step("a", {}, kSum), step("b", R"("arguments": {"x": "REF:a.x"})")}, R"("response_reference_map": {"out": "REF:b.x"})"));
  REQUIRE(ended.status == ChainStatus::succeeded);
  CHECK(arguments_of(c.f, "c/b")["x"] == std::string(100'000, 'y'));
}

TEST_CASE("computed: a pause holds it back, and a cancelled chain computes nothing more") {
  Computing c;
  c.f.script.on("c/first", held());
  c.f.submit(with_sums({step("first"), step("then", R"("dependencies": ["first"])", kSum)}));
  c.f.run();
  c.f.control("c", engine::Pause{});
  c.f.run();
  c.f.script.release("c/first");
  c.f.run();
  CHECK(c.sums->calls().empty());
  c.f.control("c", engine::Cancel{});
  CHECK(c.f.finish().status == ChainStatus::cancelled);
  CHECK(c.sums->calls().empty());
}

TEST_CASE("computed: after a crash at any message a result that was recorded stays, whatever the tool would say now") {
  const auto package = with_sums({step("a", R"("arguments": {"x": 1})", kSum), step("b", R"("arguments": {"x": "REF:a.x"})"),
                                  step("c", R"("arguments": {"x": "REF:b.x"})", kSum)},
                                 R"("response_reference_map": {"out": "REF:c.x"})");
  std::size_t messages = 0;
  for (bool going = true; going; ++messages) {
    CAPTURE(messages);
    Computing c;
    c.sums->answer = [calls = 0](const auto& call) mutable {
      return Json{{"x", Json::parse(call.arguments)["x"].template get<int>() + 10 * ++calls}}.dump();
    };
    c.f.submit(package);
    going = c.f.run_messages(messages) == messages;
    c.f.crash();
    std::string recorded;
    if (c.f.exists()) {
      recorded = c.f.state().steps[0].response.text;
      c.f.resume();
      c.f.await();
    } else {
      c.f.submit(package);
    }
    const auto ended = c.f.finish();
    REQUIRE(ended.status == ChainStatus::succeeded);
    const auto at_end = c.f.state().steps[0].response.text;
    if (!recorded.empty()) CHECK(at_end == recorded);
    CHECK(arguments_of(c.f, "c/b") == Json::parse(at_end));
    std::size_t computed = 0;
    for (const auto& event : c.f.history()) {
      const auto* granted = std::get_if<engine::Granted>(&event);
      if (granted != nullptr && granted->worker.value == "coordinator") ++computed;
    }
    CHECK(computed == 2);
  }
  CHECK(messages > 10);
}

}  // namespace
}  // namespace catena::coordinator::test
