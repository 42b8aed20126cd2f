// Deadlines of chains: they pass at their time exactly, over sleep, pauses, crashes and clocks that are set, and stop what the chain has started.
#include <catch2/catch.hpp>

#include "coordinator/inspect/inspector.hpp"
#include "coordinator/wrong_member.hpp"
#include "tests/coordinator/fixture.hpp"

namespace catena::coordinator::test {
namespace {

using engine::ChainStatus;
using engine::VisitStatus;
using namespace std::chrono_literals;

const std::string kNineTries = R"("retry": {"max_attempts": 9, "initial_interval": "1h", "max_interval": "1h", "jitter": 0})";
const std::string kTidy = R"("finally": true)";

actors::Submission due_work(const Pinned& package, Deadline deadline, const std::string& chain = "c") {
  actors::Submission submission;
  submission.chain = ChainId{chain};
  submission.package = package;
  submission.definition = package->root;
  submission.arguments = engine::inline_payload("{}");
  submission.deadline = deadline;
  return submission;
}

void submit_due(Fixture& f, const Pinned& package, Deadline deadline, const std::string& chain = "c") {
  f.tell(due_work(package, deadline, chain));
  f.await(chain);
}

SupervisorState::Life life_in(Fixture& f, const std::string& chain) {
  return Fixture::state_of<SupervisorState>(f.supervisor).running.at(ChainId{chain}).life;
}

void check_failed_by_deadline(Fixture& f, const std::string& chain = "c") {
  const auto ended = f.finish(chain);
  CHECK(ended.status == ChainStatus::failed);
  REQUIRE(ended.error);
  CHECK(ended.error->code == Code::chain_deadline);
  f.run();
  CHECK(f.actors_left() == 0);
}

Pinned two_steps() { return pin(composite({step("a"), step("b", R"("dependencies": ["a"])"), step("z", kTidy)})); }

}  // namespace

TEST_CASE("a chain fails at its deadline exactly: what runs is stopped, and its final steps run") {
  Fixture f;
  f.script.on("c/a", held());
  const auto began = f.now();
  SECTION("a span from its start on") { submit_due(f, two_steps(), {.within = 5s}); }
  SECTION("a point in time") { submit_due(f, two_steps(), {.at = began + 5000}); }
  f.run();
  CHECK(f.state().deadline_at == began + 5000);
  f.advance(4999ms);
  CHECK(f.script.stops == 0);
  f.advance(1ms);
  CHECK(f.script.stops == 1);
  check_failed_by_deadline(f);
  CHECK(f.script.keys() == Words{"c/a", "c/z"});
  CHECK(f.state().finished_at == began + 5000);
}

TEST_CASE("a chain that ends in time hears nothing of its deadline") {
  Fixture f;
  submit_due(f, two_steps(), {.within = 5s});
  CHECK(f.finish().status == ChainStatus::succeeded);
  f.run();
  f.advance(10s);
  CHECK(f.state().status == ChainStatus::succeeded);
  CHECK(f.actors_left() == 0);
}

TEST_CASE("a deadline that has passed ends the chain at once, before anything of it has run") {
  Fixture f;
  submit_due(f, pin(composite({step("a")})), {.at = f.now() - 1});
  check_failed_by_deadline(f);
  CHECK(f.script.executions.empty());
}

TEST_CASE("a chain that sleeps is woken by its deadline, also one that is paused") {
  Options options{.workers = {{.slots = 64}}};
  options.settings.sleep_after_ms = 1000;
  Fixture f{options};
  f.script.on("c/a", failure(Code::tool_temporary, true));
  submit_due(f, pin(composite({step("a", kNineTries)})), {.within = 10min});
  f.run();
  const auto began = f.state().started_at;
  SECTION("it waits for a retry") {}
  SECTION("it is paused") {
    f.control("c", engine::Pause{});
    f.run();
  }
  for (int asked = 0; asked < 3; ++asked) f.advance(1s);
  CHECK(life_in(f, "c") == SupervisorState::Life::sleeps);
  f.advance(Millis{10min} - Millis{f.now() - began} - 1ms);
  CHECK(life_in(f, "c") == SupervisorState::Life::sleeps);
  f.advance(1ms);
  REQUIRE(f.has_ended());
  check_failed_by_deadline(f);
  CHECK(f.script.count("c/a") == 1);
}

TEST_CASE("the deadline of a parent bounds its children, those that sleep too, and their final steps run") {
  Options options{.workers = {{.slots = 64}}};
  options.settings.sleep_after_ms = 1000;
  Fixture f{options};
  f.script.on("c/sub/0/work", held());
  f.script.on("c/sub/1/work", failure(Code::tool_temporary, true));
  submit_due(f,
             pin(composite({step("sub", over(2), "/inner.tool"), step("z", kTidy)}),
                 {{"/inner.tool", composite({step("work", kNineTries), step("tidy", kTidy)})}}),
             {.within = 1min});
  for (int asked = 0; asked < 4; ++asked) f.advance(1s);
  REQUIRE(life_in(f, "c/sub/1") == SupervisorState::Life::sleeps);
  f.advance(1min);
  check_failed_by_deadline(f);
  for (const auto* child : {"c/sub/0", "c/sub/1"}) {
    CHECK(f.state(child).status == ChainStatus::cancelled);
    CHECK(f.state(child).deadline_at == 0);
    CHECK(f.script.count(std::string{child} + "/tidy") == 1);
  }
  CHECK(f.script.count("c/z") == 1);
}

TEST_CASE("a deadline survives a crash at any moment, and passes while nobody runs the chain") {
  std::size_t lost = 0;
  for (std::size_t messages = 0; messages < 60; ++messages) {
    CAPTURE(messages);
    Fixture f;
    f.script.on("c/a", held());
    submit_due(f, two_steps(), {.within = 5s});
    f.run_messages(messages);
    if (messages % 2 == 0) f.scheduler.advance_time(5s);
    f.run_messages(messages / 2);
    f.crash();
    if (messages % 3 == 0) f.scheduler.advance_time(1h);
    if (!f.exists()) {
      ++lost;
      continue;
    }
    f.resume();
    f.await();
    check_failed_by_deadline(f);
    CHECK(f.script.count("c/b") == 0);
    CHECK(f.state().steps[2].status == VisitStatus::completed);
  }
  CHECK(lost < 30);
}

TEST_CASE("a deadline keeps its time when somebody sets the wall clock") {
  Fixture f;
  f.script.on("c/a", held());
  submit_due(f, two_steps(), {.within = 40s});
  f.advance(3s);
  f.set_wall(Millis{1h});
  f.advance(20s);
  f.set_wall(-Millis{3h});
  f.advance(16999ms);
  CHECK_FALSE(f.has_ended());
  f.advance(1ms);
  check_failed_by_deadline(f);
}

TEST_CASE("a retry behind the deadline lets the chain go on without one") {
  Fixture f;
  f.script.on("c/a", 1, held());
  submit_due(f, two_steps(), {.within = 5s});
  f.advance(5s);
  check_failed_by_deadline(f);
  f.advance(1s);
  f.forget();
  f.script.on("c/a", 1, answer("{}"));
  f.control("c", engine::Retry{});
  f.await();
  CHECK(f.finish().status == ChainStatus::succeeded);
  CHECK(f.state().deadline_at == 0);
}

TEST_CASE("who orders something of a chain behind its deadline is told that it comes too late") {
  Fixture f;
  submit_due(f, pin(composite({step("w", R"("approve": true)"), step("b", R"("dependencies": ["w"])")})), {.within = 5s});
  f.run();
  f.crash();  // nobody is there when it passes
  f.advance(5s);
  actors::Control yes{ChainId{"c"}, engine::Approval{.by = "ann"}};
  yes.step = "w";
  for (auto order : {yes, actors::Control{ChainId{"c"}, engine::Pause{}}, actors::Control{ChainId{"c"}, engine::Amend{.priority = 1}}}) {
    f.forget();
    f.tell(order);
    f.run();
    REQUIRE(f.refused.size() == 1);
    CHECK(f.refused.front().error.code == Code::chain_state);
    CHECK(f.refused.front().error.message.starts_with("chain 'c' has passed its deadline, "));
    CHECK(f.accepted.empty());
  }
  f.forget();
  f.resume();
  f.await();
  check_failed_by_deadline(f);
  CHECK(f.count<engine::ApprovalAnswered>() == 0);
}

TEST_CASE("a deadline that is amended is in force at once, wakes a chain that sleeps, survives a crash and stands in lists") {
  Options options{.workers = {{.slots = 64}}};
  options.settings.sleep_after_ms = 1000;
  Fixture f{options};
  f.script.on("c/a", failure(Code::tool_temporary, true));
  submit_due(f, pin(composite({step("a", kNineTries)})), {.within = 10min});
  for (int asked = 0; asked < 4; ++asked) f.advance(1s);
  REQUIRE(life_in(f, "c") == SupervisorState::Life::sleeps);
  const auto began = f.state().started_at;
  const auto amend = [&](Deadline deadline) {
    f.forget();
    f.control("c", engine::Amend{.deadline = deadline, .by = "ann"});
    f.await();
    f.run();
    CHECK(f.accepted.size() == 1);
  };
  const auto listed = [&] {
    Inspector inspector{f.kv, kCatalog, *f.services()->clock};
    return inspector.answer(ListChains{}).value().chains.front().deadline_at;
  };
  SECTION("earlier, as a span from now on") {
    const auto now = f.now();
    amend({.within = 5min});
    CHECK(listed() == now + 300'000);
    for (int asked = 0; asked < 4; ++asked) f.advance(1s);
    CHECK(life_in(f, "c") == SupervisorState::Life::sleeps);
    f.advance(Millis{5min} - Millis{f.now() - now});
    check_failed_by_deadline(f);
    CHECK(f.state().finished_at == now + 300'000);
  }
  SECTION("later, over a crash") {
    amend({.at = began + 1'200'000});
    CHECK(listed() == began + 1'200'000);
    f.crash();
    f.advance(10min);
    f.resume();
    f.await();
    f.run();
    CHECK_FALSE(f.has_ended());
    f.advance(10min);
    check_failed_by_deadline(f);
  }
  SECTION("off") {
    amend({});
    CHECK(listed() == 0);
    f.script.on("c/a", answer("{}"));
    f.advance(1h);
    CHECK(f.finish().status == ChainStatus::succeeded);
  }
  SECTION("to a time that has passed") {
    amend({.at = f.now()});
    check_failed_by_deadline(f);
  }
}

TEST_CASE("a deadline is not amended of a child, of a step, or of a chain that is being cancelled, and the refusal names what is") {
  Fixture f;
  f.script.on("c/sub/work", held());
  f.script.on("c/z", held());
  f.submit(pin(composite({step("sub", {}, "/inner.tool"), step("z", kTidy)}), {{"/inner.tool", composite({step("work")})}}));
  f.run();
  const auto refusal = [&](const std::string& chain, const std::string& of = {}) {
    f.forget();
    actors::Control control{ChainId{chain}, engine::Amend{.deadline = Deadline{.within = 1h}}};
    control.step = of;
    f.tell(control);
    f.run();
    REQUIRE(f.refused.size() == 1);
    CHECK(member_of(f.refused.front().error) == "deadline");
    return f.refused.front().error.message;
  };
  CHECK(refusal("c/sub") == "chain 'c/sub' has no deadline of its own, but that of chain 'c', which started it: amend that one");
  CHECK(refusal("c", "sub") == "a deadline is of the whole chain: amend it without naming a step");
  f.control("c", engine::Cancel{"enough"});
  f.run();
  CHECK(refusal("c") == "chain 'c' is being cancelled: a deadline changes nothing any more");
  CHECK(f.count<engine::Amended>() == 0);
}

TEST_CASE("lists, descriptions and reasons say when a chain has to have ended") {
  Fixture f;
  f.script.on("c/a", held());
  submit_due(f, two_steps(), {.within = 5s});
  f.run();
  const auto deadline = f.now() + 5000;
  Inspector inspector{f.kv, kCatalog, *f.services()->clock};
  CHECK(inspector.answer(DescribeChain{.chain = ChainId{"c"}}).value().deadline_at == deadline);
  CHECK(inspector.answer(ListChains{}).value().chains.front().deadline_at == deadline);
  Words lines;
  const auto waits = inspector.answer(AskWaits{.chain = ChainId{"c"}}).value();
  for (const auto& reason : waits.reasons) lines.push_back(engine::line(reason, ChainId{"c"}));
  CHECK(std::ranges::count(lines, "it fails at its deadline, at " + iso8601(deadline)) == 1);
}

TEST_CASE("a submission with the same key and another deadline is another one") {
  Fixture f;
  const auto keyed = [&](const std::string& chain, Deadline deadline) {
    auto submission = due_work(pin(composite({step("a")})), deadline, chain);
    submission.key = "k";
    submission.id_made = true;
    f.forget();
    f.tell(std::move(submission));
    f.run();
  };
  keyed("one", {.within = 2h});
  REQUIRE(f.answers.size() == 1);
  f.advance(1s);
  keyed("two", {.within = 120min});
  REQUIRE(f.answers.size() == 1);
  CHECK(f.answers.front().ran == ChainId{"one"});
  keyed("three", {.within = 3h});
  REQUIRE(f.refused.size() == 1);
  CHECK(f.refused.front().error.code == Code::submission_conflict);
  CHECK(f.refused.front().error.message.find("deadline") != std::string::npos);
}

}  // namespace catena::coordinator::test
