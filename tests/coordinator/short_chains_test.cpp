// A child chain that ends in its first turn costs what a step costs: no actor, one record of its journal and one summary, in the batch that has its
// end in the journal of its parent.
#include <catch2/catch.hpp>

#include <algorithm>
#include <map>

#include "storage/keys.hpp"
#include "tests/coordinator/fixture.hpp"
#include "tests/coordinator/scripted_sums.hpp"

namespace catena::coordinator::test {
namespace {

using engine::ChainStatus;

const std::string kSumBelow = "/sum.tool";

/// A definition of one sum, which is wrapped so that it is a chain of its own.
const std::map<std::string, std::string>& below() {
  static const std::map<std::string, std::string> others{
      {kSumBelow, kSumTool},
      {"/inner.tool",
       composite({step("one", R"("arguments": {"i": "REF:arguments.i"})", kSumBelow)}, R"("response_reference_map": {"out": "REF:one.i"})")},
      {"/far.tool", composite({step("one", R"("arguments": {"i": "REF:arguments.i"})", kSumBelow), step("two", R"("arguments": {"i": "REF:one.i"})")},
                              R"("response_reference_map": {"out": "REF:two.i"})")}};
  return others;
}

Pinned loop_of(const std::string& fan_out, const std::string& id = "each", const std::string& tool = "/inner.tool") {
  return pin(composite({step(id, fan_out, tool)}, R"("response_reference_map": {"all": "REF:)" + id + R"(.response"})"), below());
}

struct Short {
  explicit Short(Options options = {}) : f{with(std::move(options), sums)} {}
  static Options with(Options options, std::shared_ptr<const ComputingTools> tools) {
    options.computing = std::move(tools);
    return options;
  }
  std::shared_ptr<ScriptedSums> sums = std::make_shared<ScriptedSums>();
  Fixture f;
};

/// Records of a batch that are of this chain alone: of its journal, and summaries.
struct Written {
  std::size_t journal = 0;
  std::size_t summaries = 0;
  friend bool operator==(const Written&, const Written&) = default;
};
Written written_of(const storage::Batch& batch, const std::string& chain) {
  Written written;
  const auto summary = storage::keys::summary(ChainId{chain});
  const auto first = storage::keys::event(ChainId{chain}, 0);
  const auto last = storage::keys::event(ChainId{chain}, UINT64_MAX);
  batch.for_each([&](storage::Batch::Op op, std::string_view key, std::string_view) {
    if (op != storage::Batch::Op::put) return;
    written.summaries += key == summary ? 1 : 0;
    written.journal += key >= first && key <= last ? 1 : 0;
  });
  return written;
}

Json outs(int count) {
  auto all = Json::array();
  for (int n = 0; n < count; ++n) all.push_back({{"out", n}});
  return all;
}

TEST_CASE("short chains: each is one record of its journal and one summary, in the batch that has all their ends") {
  Short s;
  auto& f = s.f;
  f.gate.shut = true;
  f.submit(loop_of(over(20)));
  f.run();
  REQUIRE(f.gate.kept.size() == 1);  // the items
  CHECK(s.sums->calls().empty());
  f.pass_one_commit();
  const auto actors = f.actors_left();
  f.run();
  CHECK(s.sums->calls().size() == 20);
  CHECK(f.actors_left() == actors);
  REQUIRE(f.gate.kept.size() == 1);
  const auto& batch = *f.gate.kept.front().second.batch;
  for (int n = 0; n < 20; ++n) CHECK(written_of(batch, "c/each/" + std::to_string(n)) == Written{1, 1});
  CHECK(written_of(batch, "c").journal == 1);
  CHECK_FALSE(f.exists("c/each/0"));
  f.open_gate();
  const auto ended = f.finish();
  CHECK(Json::parse(ended.response.text)["all"] == outs(20));
  CHECK(f.script.executions.empty());
  f.run();
  CHECK(f.actors_left() == 0);
}

TEST_CASE("short chains: their histories, and that of their parent, are those of chains with coordinators of their own") {
  Short s;
  auto& f = s.f;
  REQUIRE(f.complete(loop_of(each("[7, 8]"))).status == ChainStatus::succeeded);
  REQUIRE(f.complete(loop_of(each("[7, 8]"), "each", "/far.tool"), "d").status == ChainStatus::succeeded);
  const auto child = f.state("c/each/1");
  const auto other = f.state("d/each/1");
  CHECK(child.status == ChainStatus::succeeded);
  CHECK(child.parent == ChainId{"c"});
  CHECK(child.depth == 1);
  CHECK(child.for_grant == other.for_grant);
  CHECK(child.trace.get().linked == other.trace.get().linked);
  CHECK(child.arguments.text == other.arguments.text);
  CHECK(child.response.text == R"({"out":8})");
  CHECK(f.count<engine::Granted>("c/each/1") == 1);
  CHECK(f.count<engine::ItemsSettled>("c") == 1);
  for (const auto& event : f.history("c")) {
    if (const auto* granted = std::get_if<engine::Granted>(&event)) CHECK(granted->worker == kChainsWorker);
  }
}

TEST_CASE("short chains: a plain step that calls such a composite is one commit with its chain") {
  Short s;
  auto& f = s.f;
  f.gate.shut = true;
  f.submit(pin(composite({step("sub", R"("arguments": {"i": "REF:arguments.i"})", "/inner.tool"),
                          step("after", R"("arguments": {"x": "REF:sub.out"})", kSumBelow)},
                         R"("response_reference_map": {"x": "REF:after.x"})"),
               below()),
           "c", R"({"i": 5})");
  f.run();
  CHECK(f.gate.kept.size() == 1);
  f.open_gate();
  CHECK(Json::parse(f.finish().response.text) == Json{{"x", 5}});
  CHECK(s.sums->keys() == std::vector<std::string>{"c/sub/one", "c/after"});
}

TEST_CASE("short chains: many are spread over several commits, no more than two of which are under way at a time") {
  Short s;
  auto& f = s.f;
  f.gate.shut = true;
  f.submit(loop_of(over(1000)));
  f.run();
  CHECK(s.sums->calls().empty());  // the items are not durable yet
  CHECK(f.gate.kept.size() == 1);
  f.pass_one_commit();
  f.run();
  const auto first = s.sums->calls().size();
  CHECK(first < 700);
  CHECK(f.gate.kept.size() == 2);
  f.pass_one_commit();
  f.run();
  CHECK(s.sums->calls().size() == first / 2 * 3);
  CHECK(f.gate.kept.size() == 2);
  f.open_gate();
  CHECK(Json::parse(f.finish().response.text)["all"] == outs(1000));
  CHECK(s.sums->calls().size() == 1000);
}

TEST_CASE("short chains: one that is tried again before its first attempt is durable goes on with that chain") {
  Short s;
  auto& f = s.f;
  s.sums->fails = [&](const auto& call) { return std::ranges::count(s.sums->keys(), call.key) == 1; };
  f.gate.shut = true;
  f.submit(loop_of(over(3) + R"(, "retry": {"max_attempts": 2, "initial_interval": "1s", "jitter": 0})"));
  f.run();
  f.pass_one_commit();  // the items
  f.run();
  CHECK(s.sums->calls().size() == 3);
  CHECK(f.gate.kept.size() == 1);
  f.advance(Millis{1000});
  CHECK_FALSE(f.exists("c/each/0"));
  f.open_gate();
  REQUIRE(f.finish().status == ChainStatus::succeeded);
  for (int n = 0; n < 3; ++n) {
    const auto child = "c/each/" + std::to_string(n);
    CHECK(f.count<engine::ChainStarted>(child) == 1);
    CHECK(f.count<engine::RetryRequested>(child) == 1);
    CHECK(f.count<engine::ChainFinished>(child) == 2);
  }
}

TEST_CASE("short chains: one that is tried again at once, in the turn in which it failed, goes on with that chain") {
  Short s;
  auto& f = s.f;
  s.sums->fails = [&](const auto& call) { return std::ranges::count(s.sums->keys(), call.key) == 1; };
  REQUIRE(f.complete(loop_of(over(3) + R"(, "retry": {"max_attempts": 2, "initial_interval": "0s", "jitter": 0})")).status == ChainStatus::succeeded);
  for (int n = 0; n < 3; ++n) {
    const auto child = "c/each/" + std::to_string(n);
    CHECK(f.count<engine::ChainStarted>(child) == 1);
    CHECK(f.count<engine::RetryRequested>(child) == 1);
  }
}

TEST_CASE("short chains: one that a person has run again before its first attempt is durable goes on with that chain") {
  Short s;
  auto& f = s.f;
  s.sums->fails = [&](const auto& call) { return call.key == "c/each/3/one" && std::ranges::count(s.sums->keys(), call.key) == 1; };
  f.gate.shut = true;
  f.submit(loop_of(each(numbers(6), R"("on_item_failure": "null")")));
  f.run();
  f.pass_one_commit();  // the items
  f.run();
  REQUIRE(s.sums->calls().size() == 6);
  f.control("c", engine::Retry{.items = {{0, IndexSet::one(3)}}});
  f.run();
  f.open_gate();
  f.run();
  REQUIRE(f.finish().status == ChainStatus::succeeded);
  CHECK(f.count<engine::RetryRequested>("c") == 1);
  CHECK(f.count<engine::ChainStarted>("c/each/3") == 1);
  CHECK(f.count<engine::RetryRequested>("c/each/3") == 1);
}

TEST_CASE("short chains: no more rounds begin than the window has room for when one fails") {
  Short s;
  auto& f = s.f;
  // Steps of chains below `t` fail, as the script says.
  const auto failed = f.complete(loop_of(each(numbers(20), R"("max_concurrency": 3)"), "t"));
  CHECK(failed.status == ChainStatus::failed);
  for (int n = 0; n < 3; ++n) CHECK(f.state("c/t/" + std::to_string(n)).status == ChainStatus::failed);
  CHECK_FALSE(f.exists("c/t/3"));
  CHECK(s.sums->calls().size() == 3);
}

TEST_CASE("short chains: one that does not end in its first turn is begun with a coordinator, as are those behind it") {
  Short s;
  auto& f = s.f;
  // An answer that is too large for the journal is not there for the chain above before it is durable.
  s.sums->answer = [](const auto& call) { return call.key == "c/each/2/one" ? R"({"i": ")" + std::string(100'000, 'y') + R"("})" : call.arguments; };
  const auto ended = f.complete(loop_of(over(6)));
  REQUIRE(ended.status == ChainStatus::succeeded);
  for (int n = 0; n < 6; ++n) {
    const auto child = "c/each/" + std::to_string(n);
    CHECK(f.state(child).status == ChainStatus::succeeded);
    CHECK(f.count<engine::ChainStarted>(child) == 1);
  }
  CHECK(f.state("c/each/1").for_grant != f.state("c/each/2").for_grant);
  CHECK(f.count<engine::AttemptsEnded>() == 1);  // those that were given back
  f.run();
  CHECK(f.actors_left() == 0);
}

TEST_CASE("short chains: a retry of the chain above goes on with those that have failed") {
  Short s;
  auto& f = s.f;
  auto& answer = s.sums->answer;
  answer = [](const auto& call) { return call.key == "c/each/1/one" ? std::string{"[]"} : call.arguments; };
  REQUIRE(f.complete(loop_of(over(3))).status == ChainStatus::failed);
  const auto calls = s.sums->calls().size();
  answer = nullptr;
  f.forget();
  f.control("c", engine::Retry{});
  f.await();
  const auto ended = f.finish();
  REQUIRE(ended.status == ChainStatus::succeeded);
  CHECK(Json::parse(ended.response.text)["all"] == outs(3));
  CHECK(s.sums->calls().size() == calls + 1);
  CHECK(f.count<engine::RetryRequested>("c/each/1") == 1);
}

TEST_CASE("short chains: a pause holds them back, and a chain that is cancelled begins no more of them") {
  Short s;
  auto& f = s.f;
  f.gate.shut = true;
  f.submit(loop_of(over(1600)));
  f.run();
  f.pass_one_commit();
  f.run();
  const auto first = s.sums->calls().size();
  f.control("c", engine::Pause{});
  f.run();
  f.open_gate();
  f.run();
  CHECK(s.sums->calls().size() == first);
  f.control("c", engine::Unpause{});
  f.gate.shut = true;
  f.run();
  CHECK(s.sums->calls().size() == 2 * first);
  f.control("c", engine::Cancel{});
  f.open_gate();
  CHECK(f.finish().status == ChainStatus::cancelled);
  CHECK(s.sums->calls().size() == 2 * first);
}

TEST_CASE("short chains: they need no berth, so that the bound of a family is for those that live") {
  Short s{{.settings = {.family_max = 1}}};
  REQUIRE(s.f.complete(loop_of(over(50))).status == ChainStatus::succeeded);
  CHECK(s.f.exists("c/each/49"));
}

TEST_CASE("short chains: those of a step that does not wait for all of them, or that gives them a time, have coordinators") {
  Short s;
  auto& f = s.f;
  f.gate.shut = true;
  f.submit(loop_of(each("[1, 2]", R"("wait_for": "any")")));
  f.submit(loop_of(each("[1, 2]") + R"(, "timeout": "1h")"), "d");
  f.run();
  while (!f.gate.kept.empty() && s.sums->calls().empty()) {
    f.pass_one_commit();
    f.run();
  }
  CHECK(Fixture::state_of<SupervisorState>(f.supervisor).running.size() > 2);
  f.open_gate();
  CHECK(f.finish().status == ChainStatus::succeeded);
  CHECK(f.finish("d").status == ChainStatus::succeeded);
}

TEST_CASE("short chains: a store that cannot be read at the moment is no outcome of them") {
  Short s;
  auto& f = s.f;
  // whether children of the step were there before, so that each of them is looked for
  f.reads.refuse = [](std::string_view key) { return key.starts_with(storage::keys::summaries_below(ChainId{"c/each"}).from); };
  f.submit(loop_of(over(6)));
  f.run_messages(200);
  CHECK(f.reads.failed > 0);
  f.reads.refuse = nullptr;
  const auto ended = f.finish();
  REQUIRE(ended.status == ChainStatus::succeeded);
  CHECK(Json::parse(ended.response.text)["all"] == outs(6));
}

TEST_CASE("short chains: rounds in order see what the one before wrote, and the chain sees the last") {
  const auto definition = [](const std::string& more) {
    return R"({"implementation": {"type": "composite", "composite": {"steps": [
      {"tool": "begin", "inputs": {"x": 0}, "on_success": {"map_outputs": {"x": "sum"}}},
      {"name": "each", "loop": {"over": )" +
           numbers(300) + more + R"(, "as": "n", "steps": [
        {"tool": "sum", "name": "one", "inputs": {"x": "{{ sum + n }}"}, "on_success": {"map_outputs": {"x": "sum"}}}]}}]}}})";
  };
  Short s;
  const std::map<std::string, std::string> tools{
      {"/begin.tool", R"({"name": "begin", "additional_arguments": true, "system_event_endpoint": "builtin:add"})"},
      {"/sum.tool", R"({"name": "sum", "additional_arguments": true, "system_event_endpoint": "builtin:add"})"}};
  const auto ended = s.f.complete(pin(definition(""), tools));
  REQUIRE(ended.status == ChainStatus::succeeded);
  CHECK(Json::parse(ended.response.text)["final_state"]["sum"] == 299 * 300 / 2);
  const auto apart = s.f.complete(pin(definition(R"(, "max_concurrency": 4, "collect": "sum")"), tools), "d");
  REQUIRE(apart.status == ChainStatus::succeeded);
  const auto list = Json::parse(apart.response.text)["final_state"]["sum"];
  REQUIRE(list.size() == 300);
  CHECK(list[299] == 299);
  CHECK(s.f.script.executions.empty());
}

TEST_CASE("short chains: a sequence tells of its rounds what their journals say, whether it has run them itself or reads them") {
  const std::string definition = R"({"implementation": {"type": "composite", "composite": {"steps": [
      {"name": "each", "loop": {"over": [1, 2, 3], "as": "n", "max_concurrency": 2, "steps": [
        {"tool": "sum", "name": "one", "inputs": {"x": "{{ n }}"}},
        {"tool": "sum", "name": "two", "inputs": {"x": "{{ n }}"}}]}}]}}})";
  const std::string retried = R"({"implementation": {"type": "composite", "composite": {"steps": [
      {"name": "each", "loop": {"over": [1, 2, 3], "as": "n", "max_concurrency": 2, "steps": [
        {"tool": "sum", "name": "one", "inputs": {"x": "{{ n }}"}}]}, "on_failure": {"action": "retry", "max_retries": 2}}]}}})";
  const std::map<std::string, std::string> tools{
      {"/sum.tool", R"({"name": "sum", "additional_arguments": true, "system_event_endpoint": "builtin:add"})"}};
  // The chain dies before its response is durable, and the one after it has run no round.
  const auto told = [&](const std::string& what, bool dies) {
    Short s;
    auto& f = s.f;
    if (what == retried)
      s.sums->fails = [&](const auto& call) { return call.key == "c/each/1/one" && std::ranges::count(s.sums->keys(), call.key) == 1; };
    f.gate.shut = true;
    f.submit(pin(what, tools));
    f.run();
    for (int tries = 0; f.count<engine::VisitSettled>("c") == 0 && tries < 50; ++tries) {
      if (!f.gate.kept.empty()) f.pass_one_commit();
      f.run();
      if (f.gate.kept.empty()) f.advance(Millis{10'000});
    }
    REQUIRE(f.count<engine::VisitSettled>("c") == 1);
    REQUIRE_FALSE(f.has_ended());
    const auto calls = s.sums->calls().size();
    if (dies) {
      f.crash();
      f.resume();
    }
    f.open_gate();
    f.await();
    const auto ended = f.finish();
    REQUIRE(ended.status == ChainStatus::succeeded);
    CHECK(s.sums->calls().size() == calls);
    return Json::parse(ended.response.text)["execution_history"];
  };
  const auto kept = told(definition, false);
  CHECK(kept == told(definition, true));
  CHECK(kept.size() == 7);
  CHECK(kept[5]["in"] == "each[2]");
  const auto again = told(retried, false);
  CHECK(again == told(retried, true));
  CHECK(std::ranges::count(again, "each[1]", [](const Json& entry) { return entry.value("in", ""); }) == 2);
}

}  // namespace
}  // namespace catena::coordinator::test
