// Composites within composites: a child chain runs a step, or an item.
#include <catch2/catch.hpp>

#include "tests/coordinator/fixture.hpp"

namespace catena::coordinator::test {
namespace {

using engine::ChainStatus;
using namespace std::chrono_literals;

const std::map<std::string, std::string>& inner() {
  static const std::map<std::string, std::string> others{
      {"/inner.tool", composite({step("one", R"("arguments": {"x": "REF:arguments.x"})"), step("two", R"("arguments": {"y": "REF:one.x"})")},
                                R"("response_reference_map": {"out": "REF:two.y"})")}};
  return others;
}

std::string call_inner(const std::string& more) { return step("sub", more, "/inner.tool"); }

TEST_CASE("a nested composite runs as a chain of its own, whose end is the step's report") {
  Fixture f;
  const auto ended = f.complete(pin(composite({call_inner(R"("arguments": {"x": 3})"), step("after", R"("arguments": {"got": "REF:sub.out"})")},
                                              R"("response_reference_map": {"got": "REF:after.got"})"),
                                    inner()));
  REQUIRE(ended.status == ChainStatus::succeeded);
  CHECK(Json::parse(ended.response.text) == Json{{"got", 3}});
  CHECK(f.script.keys() == std::vector<std::string>{"c/sub/one", "c/sub/two", "c/after"});
  const auto child = f.state("c/sub");
  CHECK(child.status == ChainStatus::succeeded);
  CHECK(child.parent == ChainId{"c"});
  CHECK(child.depth == 1);
  f.run();
  CHECK(f.tickets_free() == 8);
  CHECK(f.actors_left() == 0);
}

TEST_CASE("a child that fails fails its step with the cause") {
  Fixture f;
  f.script.on("c/sub/two", failure(Code::tool_failed));
  const auto ended = f.complete(pin(composite({call_inner(R"("arguments": {"x": 3})")}), inner()));
  CHECK(ended.status == ChainStatus::failed);
  REQUIRE(ended.error);
  CHECK(ended.error->code == Code::child_failed);
  REQUIRE(ended.error->cause);
  CHECK(ended.error->cause->code == Code::tool_failed);
  CHECK(ended.error->message.find("step 'two'") != std::string::npos);
}

TEST_CASE("a step that retries a child goes on with it: what it has done is not done again") {
  Fixture f;
  f.script.on("c/sub/two", failure(Code::tool_temporary, true));
  const auto package = pin(composite({call_inner(R"("arguments": {"x": 3}, "retry": {"max_attempts": 2, "initial_interval": "1s", "jitter": 0})")},
                                     R"("response_reference_map": {"out": "REF:sub.out"})"),
                           inner());
  f.submit(package);
  f.run();
  CHECK(f.script.count("c/sub/two") == 1);
  f.script.on("c/sub/two", answer(R"({"y": 9})"));
  const auto ended = f.finish();
  REQUIRE(ended.status == ChainStatus::succeeded);
  CHECK(Json::parse(ended.response.text) == Json{{"out", 9}});
  CHECK(f.script.count("c/sub/one") == 1);
  CHECK(f.script.count("c/sub/two") == 2);
  f.run();
  CHECK(f.actors_left() == 0);
}

TEST_CASE("a fan-out over a composite runs one child an item") {
  Fixture f;
  const auto ended = f.complete(pin(composite({call_inner(R"("parallel_execution": {"iterate_over": [5, 6, 7], "child_argument_name": "x"})")},
                                              R"("response_reference_map": {"all": "REF:sub.response"})"),
                                    inner()));
  REQUIRE(ended.status == ChainStatus::succeeded);
  CHECK(Json::parse(ended.response.text)["all"] == Json{{{"out", 5}}, {{"out", 6}}, {{"out", 7}}});
  CHECK(f.state("c/sub/1").status == ChainStatus::succeeded);
  CHECK(f.script.executions.size() == 6);
  f.run();
  CHECK(f.actors_left() == 0);
}

TEST_CASE("children run within the step's window, or so many at a time as is set") {
  auto over = Json::array();
  for (int item = 0; item < 9; ++item) over.push_back(item);
  const auto package = [&](const std::string& more) {
    return pin(composite({call_inner(R"("parallel_execution": {"iterate_over": )" + over.dump() + R"(, "child_argument_name": "x")" + more + "}")}),
               inner());
  };
  Fixture f{{.workers = {{.slots = 16}}, .settings = {.children_at_a_time = 4}}};
  f.script.otherwise = [](const auto& attempt) { return late(5ms, answer(attempt.arguments)); };
  CHECK(f.complete(package({})).status == ChainStatus::succeeded);
  CHECK(f.script.most_pending == 4);
  f.script.most_pending = 0;
  CHECK(f.complete(package(R"(, "max_concurrency": 2)"), "d").status == ChainStatus::succeeded);
  CHECK(f.script.most_pending == 2);
  f.script.most_pending = 0;
  CHECK(f.complete(package(R"(, "max_concurrency": 7)"), "e").status == ChainStatus::succeeded);
  CHECK(f.script.most_pending == 7);
}

TEST_CASE("a coordinator that is told to end takes its step actors with it, though a timeout of children is to come") {
  Fixture f;
  f.script.otherwise = [](const auto&) { return held(); };
  f.submit(pin(composite({call_inner(R"("arguments": {"x": 3}, "timeout": "1h")")}), inner()));
  f.run();
  const auto before = f.actors_left();
  caf::anon_send_exit(f.coordinator_of("c"), caf::exit_reason::user_shutdown);
  f.run();
  CHECK(f.actors_left() == before - 2);  // the coordinator and its step actor
}

TEST_CASE("what is left of a step that called a composite does not stay until its timeout") {
  Fixture f;
  const auto package = pin(composite({call_inner(R"("arguments": {"x": 3}, "timeout": "24h")")}), inner());
  f.submit(package, "first");
  REQUIRE(f.finish("first").status == ChainStatus::succeeded);
  f.advance(std::chrono::minutes{10});
  const auto timers = f.scheduler.clock().schedule().size();
  for (int chain = 0; chain < 20; ++chain) {
    const auto name = "c" + std::to_string(chain);
    f.submit(package, name);
    REQUIRE(f.finish(name).status == ChainStatus::succeeded);
  }
  f.advance(std::chrono::minutes{2});
  CHECK(f.scheduler.clock().schedule().size() <= timers);
}

TEST_CASE("recursion deeper than 64 fails with depth_exceeded") {
  Fixture f;
  const auto ended = f.complete(pin(composite({step("again", kAlways, "/main.tool")})));
  REQUIRE(ended.status == ChainStatus::failed);
  REQUIRE(ended.error);
  auto innermost = *ended.error;
  int depth = 0;
  for (; innermost.cause; ++depth) innermost = Error{*innermost.cause};
  CHECK(innermost.code == Code::depth_exceeded);
  CHECK(depth == 64);
  f.run();
  CHECK(f.actors_left() == 0);
}

TEST_CASE("cancelling a chain cancels its children") {
  Fixture f;
  f.script.on("c/sub/one", held());
  f.submit(pin(composite({call_inner(R"("arguments": {"x": 3})")}), inner()));
  f.run();
  f.control("c", engine::Cancel{"enough"});
  CHECK(f.finish().status == ChainStatus::cancelled);
  CHECK(f.state("c/sub").status == ChainStatus::cancelled);
  CHECK(f.script.pending.empty());
  f.run();
  CHECK(f.tickets_free() == 8);
  CHECK(f.actors_left() == 0);
}

TEST_CASE("a deadline stops the child") {
  Fixture f;
  f.script.on("c/sub/one", held());
  const auto ended = f.complete(pin(composite({call_inner(R"("arguments": {"x": 3}, "deadline": "2s")")}), inner()));
  REQUIRE(ended.error);
  CHECK(ended.error->code == Code::deadline_exceeded);
  CHECK(f.state("c/sub").status == ChainStatus::cancelled);
}

TEST_CASE("nobody can give a chain the name of a child") {
  Fixture f;
  const auto package = pin(composite({step("a")}));
  f.tell(actors::Submission{ChainId{"c/sub"}, package, package->root, {}, {}, storage::Durability::sync, {}, 0, 0, 0, {}});
  f.run();
  REQUIRE(f.refused.size() == 1);
  CHECK(f.refused.front().error.code == Code::id_invalid);
}

TEST_CASE("a child that failed for good is not tried again, whatever the step's retry allows") {
  Fixture f;
  f.script.on("c/sub/two", failure(Code::tool_failed));
  const auto ended = f.complete(pin(composite({call_inner(R"("arguments": {"x": 3}, "retry": {"max_attempts": 3})")}), inner()));
  CHECK(ended.status == ChainStatus::failed);
  CHECK(f.script.count("c/sub/two") == 1);
}

TEST_CASE("the timeout of a step that calls a composite ends the child") {
  Fixture f;
  f.script.on("c/sub/two", held());
  f.submit(pin(composite({call_inner(R"("arguments": {"x": 3}, "timeout": "2s")")}), inner()));
  f.run();
  f.advance(2s);
  f.script.release("c/sub/two", failure(Code::cancelled));
  const auto ended = f.finish();
  CHECK(ended.status == ChainStatus::failed);
  REQUIRE(ended.error);
  CHECK(ended.error->code == Code::tool_timeout);
  CHECK(f.state("c/sub").status == ChainStatus::cancelled);
}

}  // namespace
}  // namespace catena::coordinator::test
