// Power fails between any two messages; whatever the schedule, the chain that is resumed ends like one that was left alone.
#include <catch2/catch.hpp>

#include <set>

#include "tests/base/scale.hpp"
#include "tests/coordinator/fixture.hpp"
#include "tests/coordinator/scripted_sums.hpp"

namespace catena::coordinator::test {
namespace {

constexpr std::uint32_t kCrashSeeds = catena::test::scaled(200U, 40U);

using engine::ChainStatus;

const std::string kList = R"("parallel_execution": {"iterate_over": [10, 11, 12, 13, 14], "child_argument_name": "i")";

Pinned small_chain() {
  return pin(composite({step("a", R"("arguments": {"x": "REF:arguments.x"})"),
                        step("b", R"("arguments": {"y": "REF:a.x"}, "retry": {"max_attempts": 2, "initial_interval": "1s", "jitter": 0})"),
                        step("c", R"("arguments": {"z": "REF:b.y"})")},
                       R"("response_reference_map": {"out": "REF:c.z"})"));
}

Pinned small_fan_out() {
  return pin(
      composite({step("first"),
                 step("a", R"("arguments": {"base": "REF:first.status"}, "retry": {"max_attempts": 2, "initial_interval": "1s", "jitter": 0}, )" +
                               kList + R"(, "max_concurrency": 3})"),
                 step("last", R"("arguments": {"l": "REF:a.response"})")},
                R"("response_reference_map": {"l": "REF:last.l"})"));
}

Pinned nested() {
  return pin(composite({step("sub", kList + "}", "/inner.tool"), step("last", R"("arguments": {"l": "REF:sub.response"})")},
                       R"("response_reference_map": {"l": "REF:last.l"})"),
             {{"/inner.tool", composite({step("one", R"("arguments": {"v": "REF:arguments.i"})"), step("two", R"("arguments": {"w": "REF:one.v"})")},
                                        R"("response_reference_map": {"w": "REF:two.w"})")}});
}

/// Transforms on both sides of a plain step and of a fan-out; those of one item fail. What they make of the time never reaches the result.
Pinned transformed() {
  const std::string retried = R"(, "retry": {"max_attempts": 2, "initial_interval": "1s", "jitter": 0}, )";
  const auto b = R"~("transform_arguments": {"transforms": {"at": "datetime_now('unix')", "sum": "x + 1"}},
                     "transform_responses": {"variables": {"factor": "REF:arguments.x"}, "transforms": {"y": "sum * factor"}})~";
  const auto a = R"~("parallel_execution": {"iterate_over": [10, 11, "twelve", 13], "child_argument_name": "i", "max_concurrency": 2,
                                            "tolerated_failures": 1, "on_item_failure": "null"},
                     "transform_arguments": {"transforms": {"at": "if(i, datetime_now('unix'), 0)", "v": "i + base"}},
                     "transform_responses": {"variables": {"list": "REF:response"},
                                             "transforms": {"total": "sum(filter(list, 'item'), 'item.v')"}})~";
  return pin(
      composite({step("b", R"("arguments": {"x": "REF:arguments.x"})" + retried + b), step("a", R"("arguments": {"base": "REF:b.y"})" + retried + a),
                 step("last", R"("arguments": {"n": "REF:a.response.length", "total": "REF:a.total"})")},
                R"("response_reference_map": {"n": "REF:last.n", "total": "REF:last.total"})"));
}

/// Steps that the chain's coordinator computes itself, before and behind those of workers; one of them fails once.
Pinned computed() {
  const std::string sum = "/sum.tool";
  return pin(composite({step("a", R"("arguments": {"x": "REF:arguments.x"})", sum), step("d", R"("arguments": {"x": "REF:a.x"})", sum),
                        step("b", R"("arguments": {"y": "REF:d.x"}, "retry": {"max_attempts": 2, "initial_interval": "1s", "jitter": 0})"),
                        step("r", R"("arguments": {"z": "REF:b.y"}, "retry": {"max_attempts": 2, "initial_interval": "1s", "jitter": 0})", sum),
                        step("c", R"("arguments": {"z": "REF:r.z"})"), step("e", R"("arguments": {"z": "REF:c.z"})", sum)},
                       R"("response_reference_map": {"out": "REF:e.z"})"),
             {{sum, kSumTool}});
}

/// Child chains that end in their first turn, before and behind such that do not.
Pinned short_children() {
  const std::string sum = "/sum.tool";
  return pin(
      composite({step("a", R"("arguments": {"x": "REF:arguments.x"})"),
                 step("sub", R"("arguments": {"x": "REF:a.x"}, )" + kList + R"(, "max_concurrency": 2})", "/short.tool"),
                 step("far", kList + "}", "/far.tool"), step("e", R"("arguments": {"l": "REF:sub.response", "m": "REF:far.response"})", sum)},
                R"("response_reference_map": {"l": "REF:e.l", "m": "REF:e.m"})"),
      {{sum, kSumTool},
       {"/short.tool", composite({step("one", R"("arguments": {"v": "REF:arguments.i"})", sum)}, R"("response_reference_map": {"w": "REF:one.v"})")},
       {"/far.tool",
        composite({step("one", R"("arguments": {"v": "REF:arguments.i"})", sum), step("sub", R"("arguments": {"i": "REF:one.v"})", "/short.tool")},
                  R"("response_reference_map": {"w": "REF:sub.w"})")}});
}

/// Some attempts fail once, so that retries are among what is interrupted.
void sometimes_fail(Script& script) {
  script.on("c/b", 1, failure(Code::tool_temporary, true));
  script.on("c/a/3", 1, failure(Code::tool_temporary, true));
}

/// Keys of the tasks whose outcome stands in the journal of a chain, and how often each was granted.
struct Recorded {
  std::set<std::string> settled;
  std::map<std::string, std::size_t> granted;
};

void read_chain(const Fixture& f, const lang::Package& package, const std::string& chain, Recorded& out) {
  if (!f.exists(chain)) return;
  const auto program = package.programs.at(f.state(chain).definition);
  const auto keys = [&](const VisitId& visit, const IndexSet& items, auto&& use) {
    const auto& step = program->steps[visit.step];
    items.for_each([&](ItemIndex item) { use(step, chain + "/" + step.id + (step.each ? "/" + std::to_string(item) : "")); });
  };
  std::set<std::string> children;
  for (const auto& event : f.history(chain)) {
    if (const auto* granted = std::get_if<engine::Granted>(&event)) {
      keys(granted->visit, granted->items, [&](const lang::Step& step, const std::string& key) {
        ++out.granted[key];
        if (std::holds_alternative<lang::ProgramCall>(step.call)) children.insert(key);
      });
    }
    if (const auto* settled = std::get_if<engine::ItemsSettled>(&event)) {
      keys(settled->visit, settled->ok, [&](const lang::Step&, const std::string& key) { out.settled.insert(key); });
    }
  }
  for (const auto& child : children) read_chain(f, package, child, out);
}

Recorded recorded(const Fixture& f, const lang::Package& package) {
  Recorded out;
  read_chain(f, package, "c", out);
  return out;
}

void go_on(Fixture& f, const Pinned& package) {
  if (f.exists()) {
    f.resume();
    f.await();
  } else {
    f.submit(package, "c", R"({"x": 7})");
  }
}

/// Runs so many messages, letting time pass where nothing else is left to do; false when the chain ended before.
bool run_up_to(Fixture& f, std::size_t messages) {
  while (messages > 0) {
    const auto done = f.run_messages(messages);
    messages -= done;
    if (messages > 0 && (f.has_ended() || !f.scheduler.trigger_timeout())) return false;
  }
  return true;
}

void crash_and_check(Fixture& f, const Pinned& package) {
  f.crash();
  f.scheduler.advance_time(Millis{1700});  // what is evaluated anew finds another time
  const auto before = recorded(f, *package);
  const auto executed = f.script.executions.size();
  go_on(f, package);
  f.run();
  for (std::size_t at = executed; at < f.script.executions.size(); ++at) CHECK_FALSE(before.settled.contains(f.script.executions[at].key));
}

void check_end(Fixture& f, const Pinned& package, const std::string& expected) {
  const auto ended = f.finish();
  CHECK(ended.status == ChainStatus::succeeded);
  CHECK(Json::parse(ended.response.text) == Json::parse(expected));
  const auto after = recorded(f, *package);
  std::map<std::string, std::size_t> executed;
  std::map<std::string, std::string> arguments;
  for (const auto& execution : f.script.executions) {
    ++executed[execution.key];
    CHECK(arguments.emplace(execution.key, execution.arguments).first->second == execution.arguments);
  }
  for (const auto& [key, times] : executed) {
    CAPTURE(key);
    CHECK(times <= after.granted.at(key));
  }
  f.run();
  CHECK(f.tickets_free() == 8);
}

std::string uninterrupted(const Pinned& package) {
  Fixture f{{.computing = std::make_shared<const ScriptedSums>()}};
  sometimes_fail(f.script);
  const auto ended = f.complete(package, "c", R"({"x": 7})");
  REQUIRE(ended.status == ChainStatus::succeeded);
  return ended.response.text;
}

struct Sample {
  const char* name;
  Pinned (*package)();
};
constexpr Sample kSamples[] = {
    {"a chain of three", small_chain}, {"a fan-out", small_fan_out},          {"children", nested},
    {"transforms", transformed},       {"steps that are computed", computed}, {"children that end in their first turn", short_children}};

TEST_CASE("a crash at every message boundary loses nothing and repeats nothing that was settled") {
  const auto& sample = GENERATE(from_range(std::begin(kSamples), std::end(kSamples)));
  CAPTURE(sample.name);
  const auto package = sample.package();
  const auto expected = uninterrupted(package);
  std::size_t messages = 0;
  for (bool going = true; going; ++messages) {
    CAPTURE(messages);
    Fixture f{{.computing = std::make_shared<const ScriptedSums>()}};
    sometimes_fail(f.script);
    f.submit(package, "c", R"({"x": 7})");
    going = run_up_to(f, messages);
    if (!going) break;
    crash_and_check(f, package);
    check_end(f, package, expected);
  }
  CHECK(messages > 40);
}

TEST_CASE("the chain of transforms comes to what they say") { CHECK(Json::parse(uninterrupted(transformed())) == Json{{"n", 4}, {"total", 202}}); }

TEST_CASE("shuffled schedules with crashes among them end like the orderly one") {
  const auto& sample = GENERATE(from_range(std::begin(kSamples), std::end(kSamples)));
  CAPTURE(sample.name);
  const auto package = sample.package();
  const auto expected = uninterrupted(package);
  for (std::uint32_t seed = 0; seed < kCrashSeeds; ++seed) {
    CAPTURE(seed);
    Fixture f{{.seed = seed, .computing = std::make_shared<const ScriptedSums>()}};
    sometimes_fail(f.script);
    f.submit(package, "c", R"({"x": 7})");
    std::mt19937 random{seed};
    for (auto crashes = random() % 4; crashes > 0; --crashes) {
      if (!run_up_to(f, random() % 120)) break;
      crash_and_check(f, package);
    }
    if (!f.exists()) go_on(f, package);
    check_end(f, package, expected);
    CHECK(f.actors_left() == 0);
  }
}

constexpr Incarnation kFirstStart = 1000;

/// One thing that may go wrong, chosen by chance.
void go_wrong(Fixture& f, const Pinned& package, std::mt19937& random, Incarnation& incarnation) {
  switch (random() % 4) {
    case 0: return crash_and_check(f, package);
    case 1: {
      std::vector<caf::actor> coordinators;
      for (const auto& [chain, running] : Fixture::state_of<SupervisorState>(f.supervisor).running) {
        if (running.coordinator && running.rebuilt < 3) coordinators.push_back(running.coordinator);
      }
      if (!coordinators.empty()) f.kill(coordinators[random() % coordinators.size()]);
      return;
    }
    case 2: {
      f.kill(f.workers.back());
      f.workers.pop_back();
      // As the front says of a start that another one replaces: its offer may still be on its way.
      f.tell_dispatcher(actors::NodeGone{WorkerId{"w1"}, incarnation == kFirstStart ? 1 : incarnation});
      f.add_worker({.id = "w1", .incarnation = ++incarnation});
      return;
    }
    default: {
      if (!f.exists()) return;
      f.control("c", engine::Pause{});
      f.run_messages(random() % 20);
      f.control("c", engine::Unpause{});
    }
  }
}

TEST_CASE("crashes, dying coordinators, dying workers and pauses in any order: the chain ends like one left alone") {
  const auto& sample = GENERATE(from_range(std::begin(kSamples), std::end(kSamples)));
  CAPTURE(sample.name);
  const auto package = sample.package();
  const auto expected = uninterrupted(package);
  for (std::uint32_t seed = 1000; seed < 1000 + kCrashSeeds; ++seed) {
    CAPTURE(seed);
    Fixture f{{.seed = seed, .computing = std::make_shared<const ScriptedSums>()}};
    sometimes_fail(f.script);
    f.submit(package, "c", R"({"x": 7})");
    std::mt19937 random{seed};
    auto incarnation = kFirstStart;
    for (auto times = 1 + random() % 5; times > 0; --times) {
      if (!run_up_to(f, random() % 60)) break;
      go_wrong(f, package, random, incarnation);
    }
    f.run();
    if (!f.exists()) go_on(f, package);
    if (!f.has_ended()) f.control("c", engine::Unpause{});  // the earlier one may have died with whom it was sent to
    check_end(f, package, expected);
    CHECK(f.actors_left() == 0);
  }
}

TEST_CASE("an at_most_once attempt is never made twice, wherever the power fails") {
  const auto once = R"({"additional_arguments": true, "effect": "at_most_once", "system_event_endpoint": "builtin:echo"})";
  const auto package = pin(composite({step("a", {}, "/once.tool"), step("b", kList + "}", "/once.tool"), step("c", R"("dependencies": ["a", "b"])")}),
                           {{"/once.tool", once}});
  for (std::size_t messages = 0;; ++messages) {
    CAPTURE(messages);
    Fixture f;
    f.submit(package);
    if (!run_up_to(f, messages)) break;
    crash_and_check(f, package);
    const auto state = f.state();
    for (StepIndex index = 0; index < state.steps.size(); ++index) {
      state.steps[index].in_doubt.for_each([&](ItemIndex item) {
        f.control("c", engine::Resolve{{index, 1}, IndexSet::one(item), engine::inline_payload("{}")});
      });
    }
    CHECK(f.finish().status == ChainStatus::succeeded);
    for (const auto& execution : f.script.executions) {
      if (execution.key != "c/c") CHECK(f.script.count(execution.key) == 1);
    }
  }
}

TEST_CASE("a retry that waits goes on waiting after a crash, until the time it had been given") {
  Fixture f;
  f.script.on("c/a", 1, failure(Code::tool_temporary, true));
  f.submit(pin(composite({step("a", R"("retry": {"max_attempts": 2, "initial_interval": "10s", "jitter": 0})")})));
  f.advance(Millis{4000});
  f.crash();
  f.resume();
  f.await();
  f.advance(Millis{5999});
  CHECK(f.script.count("c/a") == 1);
  f.advance(Millis{1});
  CHECK(f.script.count("c/a") == 2);
  CHECK(f.finish().status == ChainStatus::succeeded);
}

TEST_CASE("a chain is resumed from a checkpoint as from its whole journal") {
  const auto package = small_fan_out();
  const auto expected = uninterrupted(package);
  for (std::size_t messages = 10; messages < 150; messages += 20) {
    CAPTURE(messages);
    Fixture f{{.settings = {.checkpoint_every = 3}}};
    sometimes_fail(f.script);
    f.submit(package, "c", R"({"x": 7})");
    if (!run_up_to(f, messages)) break;
    crash_and_check(f, package);
    check_end(f, package, expected);
  }
}

}  // namespace
}  // namespace catena::coordinator::test
