// transform_responses of a fan-out: once, on the joined list, when all that is waited for has settled; what it adds stands beside the list.
#include <catch2/catch.hpp>

#include "lang/run/scope.hpp"
#include "tests/coordinator/fixture.hpp"
#include "tests/coordinator/hand_made.hpp"

namespace catena::coordinator::test {
namespace {

using engine::ChainStatus;
using namespace std::chrono_literals;

/// A fan-out "a" whose list is shaped, and a step "b" after it.
Pinned shaped_fan_out(const std::string& list, const std::function<void(HandMade&)>& make, const std::string& more = {},
                      const std::string& members = {}) {
  return shaped(pin(composite({step("a", each(list, more) + (members.empty() ? "" : ", " + members)), step("b", R"("dependencies": ["a"])")})), 0,
                make);
}

void count_items(HandMade& made) {
  made.variable("list", "REF:response").set("n", "length(list)").set("total", "sum(filter(list, 'item'), 'item.i')");
}
void count_and_time(HandMade& made) {
  count_items(made);
  made.set("at", "datetime_now('unix')");
}

/// What stands beside `.response` of a step, as references will see it.
Json added(const Fixture& f, StepIndex step, const Pinned& package, const std::string& chain = "c") {
  const auto state = f.state(chain);
  const ChainId id{chain};
  const ChainScope scope{{f.kv}, id, package->main(), state};
  return lang::JsonView{scope.step(step).added().value()}.parse();
}

}  // namespace

TEST_CASE("what the list is shaped to stands beside it") {
  Fixture f;
  const auto package = shaped_fan_out("[1, 2, 4]", count_items);
  CHECK(f.complete(package).status == ChainStatus::succeeded);
  CHECK(added(f, 0, package) == Json{{"n", 3}, {"total", 7}});
  const auto state = f.state();
  const ChainId id{"c"};
  const ChainScope scope{{f.kv}, id, package->main(), state};
  std::string list;
  REQUIRE(scope.step(0).append_items(list));
  CHECK(Json::parse(list) == Json{{{"i", 1}}, {{"i", 2}}, {{"i", 4}}});
  CHECK(scope.step(1).added()->text == "null");
  f.run();
  CHECK(f.tickets_free() == 8);
  CHECK(f.actors_left() == 0);
}

TEST_CASE("an empty list is shaped, and a large result is kept as a blob") {
  Fixture f;
  const auto empty = shaped_fan_out("[]", count_items);
  CHECK(f.complete(empty).status == ChainStatus::succeeded);
  CHECK(added(f, 0, empty) == Json{{"n", 0}, {"total", 0}});
  const std::string text(limits::kInlineValueBytesMax, 'x');
  const auto large = shaped_fan_out("[1]", [](HandMade& made) { made.variable("t", "REF:arguments.text").set("copy", "t"); });
  CHECK(f.complete(large, "d", Json{{"text", text}}.dump()).status == ChainStatus::succeeded);
  CHECK(f.state("d").steps[0].response.in_blob());
  CHECK(added(f, 0, large, "d")["copy"] == text);
}

TEST_CASE("a list that cannot be shaped fails its step, and a retry shapes it again without running an item") {
  Fixture f;
  f.script.on("c/a/1", failure(Code::tool_failed));
  // Works from a minute after the beginning on.
  const auto late = [](HandMade& made) { made.set("n", "[7][if(datetime_now('unix') > 1700000060, 0, 9)]"); };
  const auto package = shaped_fan_out("[1, 2, 4]", late, R"("tolerated_failures": 1)");
  f.hand_made = {package};
  const auto failed = f.complete(package);
  REQUIRE(failed.error);
  CHECK(failed.error->code == Code::reference_unresolved);
  CHECK(failed.error->message.find("step 'a'") != std::string::npos);
  CHECK(f.script.count("c/b") == 0);
  const auto before = f.script.executions.size();
  f.forget();
  f.advance(120s);
  f.control("c", engine::Retry{});
  f.await();
  CHECK(f.finish().status == ChainStatus::succeeded);
  CHECK(f.script.executions.size() == before + 1);
  CHECK(f.script.executions.back().key == "c/b");
  CHECK(added(f, 0, package)["n"] == 7);
}

TEST_CASE("wait_for any: what is out is stopped before the list is shaped, and a late report does not change it") {
  Fixture f;
  f.script.obeys_stops = false;
  f.script.on("c/a/0", held());
  f.script.on("c/a/2", held());
  const auto package = shaped_fan_out("[1, 2, 4]", count_items, R"("wait_for": "any")");
  f.submit(package);
  f.run();
  CHECK(f.script.stops == 2);
  CHECK(added(f, 0, package) == Json{{"n", 3}, {"total", 2}});
  f.script.release("c/a/0", answer(R"({"i": 100})"));
  f.script.release("c/a/2", failure(Code::tool_failed));
  CHECK(f.finish().status == ChainStatus::succeeded);
  CHECK(added(f, 0, package) == Json{{"n", 3}, {"total", 2}});
  CHECK(f.state().steps[0].ok.count() == 1);
  CHECK(f.state().steps[0].bad.count() == 0);
}

TEST_CASE("the list is shaped when its items are durable, and once, though the chain is paused meanwhile") {
  Fixture f;
  f.script.on("c/a/0", held());
  const auto package = shaped_fan_out("[1]", count_and_time);
  f.submit(package);
  f.run();
  f.gate.shut = true;
  f.script.release("c/a/0", answer(R"({"i": 1})"));
  f.run();
  CHECK(f.count<engine::VisitSettled>() == 0);
  f.control("c", engine::Pause{});
  f.run();
  f.open_gate();
  f.run();
  CHECK(f.state().steps[0].status == engine::VisitStatus::running);
  f.control("c", engine::Unpause{});
  CHECK(f.finish().status == ChainStatus::succeeded);
  const auto events = f.history();
  CHECK(std::ranges::count_if(events, [](const auto& event) {
          const auto* settled = std::get_if<engine::VisitSettled>(&event);
          return settled != nullptr && settled->visit.step == 0;
        }) == 1);
}

TEST_CASE("a chain cancelled while its list is to be shaped ends, and a retry shapes it") {
  Fixture f;
  f.script.on("c/a/0", held());
  const auto package = shaped_fan_out("[1]", count_items);
  f.hand_made = {package};
  f.submit(package);
  f.run();
  f.control("c", engine::Pause{});
  f.run();
  f.script.release("c/a/0", answer(R"({"i": 1})"));
  f.control("c", engine::Cancel{"enough"});
  CHECK(f.finish().status == ChainStatus::cancelled);
  f.forget();
  f.control("c", engine::Retry{});
  f.await();
  CHECK(f.finish().status == ChainStatus::succeeded);
  CHECK(f.script.count("c/a/0") == 1);
  CHECK(added(f, 0, package)["n"] == 1);
}

TEST_CASE("a failure to shape that a later condition looks at is handled") {
  Fixture f;
  const auto package = shaped(
      pin(composite({step("a", each("[1]")), step("b", R"("conditions": [{"param": "REF:a.status", "operator": "equals", "value": "failed"}])")},
                    R"("response_reference_map": {"b": "REF:b.response", "why": "REF:a.error.code"})")),
      0, [](HandMade& made) { made.set("n", "REF:response.0.i.deeper"); });
  const auto ended = f.complete(package);
  REQUIRE(ended.status == ChainStatus::succeeded);
  CHECK(Json::parse(ended.response.text) == Json{{"b", Json::object()}, {"why", "reference_unresolved"}});
}

}  // namespace catena::coordinator::test
