// Forks: what a chain shares with the one that it comes from, what it runs itself, and what is left when the power fails meanwhile.
#include <catch2/catch.hpp>

#include "coordinator/inspect/inspector.hpp"
#include "coordinator/verify.hpp"
#include "storage/chain_removal.hpp"
#include "tests/coordinator/fixture.hpp"
#include "tests/coordinator/orderly_end.hpp"

namespace catena::coordinator::test {
namespace {

using namespace std::chrono_literals;
using engine::ChainStatus;

actors::ForkChain fork_at(const std::string& step, const std::string& chain = "d") {
  return {.chain = ChainId{chain}, .source = ChainId{"c"}, .wish = {.step = step}};
}
actors::ForkChain fork_behind(Sequence event, const std::string& chain = "d") {
  return {.chain = ChainId{chain}, .source = ChainId{"c"}, .wish = {.event = event}};
}

/// The number of the first event that is so.
template <class Event>
Sequence number_of(const Fixture& f, const std::function<bool(const Event&)>& is, const std::string& chain = "c") {
  const auto events = f.history(chain);
  for (std::size_t at = 0; at < events.size(); ++at) {
    const auto* event = std::get_if<Event>(&events[at]);
    if (event != nullptr && is(*event)) return at + 1;
  }
  throw std::runtime_error{"there is no such event"};
}
Sequence settled(const Fixture& f, StepIndex step) {
  return number_of<engine::VisitSettled>(f, [&](const auto& event) { return event.visit.step == step; });
}

std::string refusal_of_fork(Fixture& f, actors::ForkChain fork) {
  f.forget();
  const auto chain = fork.chain.value;
  f.tell(std::move(fork));
  f.run();
  if (f.refused.empty()) return {};
  CHECK(!f.exists(chain));
  CHECK(storage::list_removals(f.kv).value().empty());
  return f.refused.front().error.message;
}

void fork_to_end(Fixture& f, actors::ForkChain fork) {
  f.forget();
  const auto chain = fork.chain.value;
  f.tell(std::move(fork));
  f.run();
  REQUIRE(f.refused.empty());
  REQUIRE(f.accepted == std::vector<ChainId>{ChainId{chain}});
  f.await(chain);
  f.finish(chain);
}

void check_whole(const Fixture& f) {
  CHECK(verify_store(f.kv, kCatalog).value().problems == Words{});
  CHECK(storage::list_removals(f.kv).value().empty());
}

}  // namespace

TEST_CASE("a fork at an event shares what had settled and runs the rest; its source stays as it is", "[fork]") {
  Fixture f;
  CHECK(f.complete(pin(composite({step("a", R"("arguments": {"n": 1})"), step("b", R"("arguments": {"n": "REF:a.n"})"),
                                  step("z", R"("arguments": {"n": "REF:b.n"})")})))
            .status == ChainStatus::succeeded);
  const auto before = f.history();
  const auto shared = settled(f, 0);
  auto fork = fork_behind(shared);
  fork.by = "ann";
  fork.reason = "another try";
  fork_to_end(f, fork);
  CHECK(f.state("d").status == ChainStatus::succeeded);
  CHECK(f.script.count("d/a") == 0);
  CHECK(f.script.count("d/b") == 1);
  CHECK(f.script.count("d/z") == 1);
  CHECK(arguments_of(f, "d/b") == Json{{"n", 1}});
  CHECK(f.history().size() == before.size());
  const auto events = f.history("d");
  const auto number = number_of<engine::ChainForked>(
      f, [](const auto&) { return true; }, "d");
  CHECK(number > shared);
  for (std::size_t at = 0; at + 1 < number.value; ++at) CHECK(engine::to_json(events[at]) == engine::to_json(before[at]));
  const auto& forked = std::get<engine::ChainForked>(events[number.value - 1]);
  CHECK(forked.source == ChainId{"c"});
  CHECK(forked.by == "ann");
  CHECK(forked.reason == "another try");
  const AnchoredClock clock;
  Inspector inspector{f.kv, kCatalog, clock};
  const auto told = inspector.answer(DescribeChain{ChainId{"d"}}).value();
  CHECK(told.forked_from == ChainId{"c"});
  CHECK(told.forked_at == number - 1);
  CHECK(told.parent.empty());
  check_whole(f);
}

TEST_CASE("what a fork shares is an epoch that is over, and the fork opens the next", "[fork]") {
  Fixture f;
  f.script.on("c/b", 1, failure(Code::tool_failed));
  f.submit(pin(composite({step("a"), step("b", R"("dependencies": ["a"])")})));
  f.run();
  REQUIRE(f.state("c").status == ChainStatus::failed);
  fork_to_end(f, fork_at("b"));
  REQUIRE(f.state("d").status == ChainStatus::succeeded);
  const AnchoredClock clock;
  Inspector inspector{f.kv, kCatalog, clock};
  CHECK(inspector.answer(DescribeChain{.chain = ChainId{"d"}, .epoch = 1}).value().status == ChainStatus::failed);
  CHECK(inspector.answer(DescribeChain{.chain = ChainId{"d"}, .epoch = 2}).value().status == ChainStatus::succeeded);
  CHECK_THAT(inspector.answer(DescribeChain{.chain = ChainId{"d"}, .epoch = 3}).error().message, Catch::Contains("has 2 epochs"));
}

TEST_CASE("a fork at a step begins it anew, with other arguments where they are given", "[fork]") {
  Fixture f;
  f.script.on("c/z", failure(Code::tool_failed));
  f.submit(pin(composite({step("a", R"("arguments": {"n": 1})"), step("b", R"("arguments": {"n": "REF:a.n", "x": "REF:arguments.x"})"),
                          step("z", R"("arguments": {"n": "REF:b.x"})")})),
           "c", R"({"x": 5})");
  CHECK(f.finish().status == ChainStatus::failed);
  auto fork = fork_at("b");
  fork.wish.arguments = R"({"x": 7})";
  fork_to_end(f, fork);
  CHECK(f.state("d").status == ChainStatus::succeeded);
  CHECK(f.script.count("d/a") == 0);
  REQUIRE(f.script.count("d/b@2") == 1);
  REQUIRE(f.script.count("d/z@2") == 1);
  CHECK(arguments_of(f, "d/b@2") == Json{{"n", 1}, {"x", 7}});
  CHECK(arguments_of(f, "d/z@2") == Json{{"n", 7}});
  CHECK(f.state("d").arguments.text == R"({"x":7})");
  CHECK(f.state().status == ChainStatus::failed);
  SECTION("and a fork of a fork shares what both had") {
    fork_to_end(f, {.chain = ChainId{"e"}, .source = ChainId{"d"}, .wish = {.step = "z"}});
    CHECK(f.script.count("e/a") == 0);
    CHECK(f.script.count("e/b@2") == 0);
    REQUIRE(f.script.count("e/z@3") == 1);
    CHECK(arguments_of(f, "e/z@3") == Json{{"n", 7}});
    CHECK(f.state("e").forked_from.get().source == ChainId{"d"});
  }
  check_whole(f);
}

TEST_CASE("what was out or in doubt in the source begins anew in the fork, which shares the results of a fan-out", "[fork]") {
  Fixture f;
  f.script.on("c/a/2", held());
  f.script.on("c/a/4", held());
  f.submit(pin(composite({step("a", over(6) + R"(, "arguments": {"n": 1})"), step("z", R"("arguments": {"all": "REF:a.response"})")})));
  f.run();
  CHECK(f.script.count("c/a/5") == 1);
  fork_to_end(f, fork_behind(f.history().size()));
  CHECK(f.state("d").status == ChainStatus::succeeded);
  for (const auto* shared : {"d/a/0", "d/a/1", "d/a/3", "d/a/5"}) CHECK(f.script.count(shared) == 0);
  CHECK(f.script.count("d/a/2") == 1);
  CHECK(f.script.count("d/a/4") == 1);
  CHECK(arguments_of(f, "d/z").at("all").size() == 6);
  CHECK(arguments_of(f, "d/z").at("all")[3] == Json{{"i", 3}, {"n", 1}});
  CHECK(f.state().status == ChainStatus::running);
  check_whole(f);
}

TEST_CASE("a chain that a fork would have to begin anew is a child of the fork", "[fork]") {
  Fixture f;
  const auto package = pin(composite({step("done", "", "/child.tool"), step("goes", R"("arguments": {"k": 1})", "/child.tool"),
                                      step("z", R"("dependencies": ["done", "goes"])")}),
                           {{"/child.tool", composite({step("s")})}});
  f.script.on("c/goes/s", held());
  f.submit(package);
  f.run();
  REQUIRE(f.script.count("c/goes/s") == 1);
  CHECK(refusal_of_fork(f, {.chain = ChainId{"e"}, .source = ChainId{"c/done"}, .wish = {.step = "s"}}).find("fork the chain that somebody") !=
        std::string::npos);
  fork_to_end(f, fork_behind(f.history().size()));
  CHECK(f.state("d").status == ChainStatus::succeeded);
  CHECK(f.script.count("d/done/s") == 0);
  CHECK(f.script.count("d/goes/s") == 1);
  CHECK(f.state("d/goes").parent == ChainId{"d"});
  check_whole(f);
}

TEST_CASE("approvals that waited wait in the fork, too, and are its own", "[fork]") {
  Fixture f;
  f.submit(pin(composite({step("a", R"("arguments": {"n": 1})"), step("w", R"("approve": true, "arguments": {"n": "REF:a.n"})")})), "c");
  f.run();
  f.forget();
  f.tell(fork_behind(f.history().size()));
  f.run();
  REQUIRE(f.refused.empty());
  const AnchoredClock clock;
  Inspector inspector{f.kv, kCatalog, clock};
  CHECK(inspector.answer(ListApprovals{}).value().rows.size() == 2);
  actors::Control yes{ChainId{"d"}, engine::Approval{.approved = true, .by = "ann"}};
  yes.step = "w";
  f.tell(yes);
  f.await("d");
  CHECK(f.finish("d").status == ChainStatus::succeeded);
  CHECK(f.state().status == ChainStatus::running);
  CHECK(inspector.answer(ListApprovals{}).value().rows.size() == 1);
}

TEST_CASE("what a person has approved for the source is asked for again in its fork", "[fork]") {
  Fixture f;
  f.script.on("c/w/0", held());
  f.script.on("c/w/1", postponed(10s));
  f.script.on("c/w/2", answer(R"({"i": 2})"));
  f.submit(pin(composite({step("w", over(3) + R"(, "approve": true)")})));
  f.run();
  actors::Control yes{ChainId{"c"}, engine::Approval{.items = IndexSet::range(0, 3), .approved = true, .by = "ann"}};
  yes.step = "w";
  f.tell(yes);
  f.run();
  REQUIRE(f.script.count("c/w/0") == 1);
  f.forget();
  f.tell(fork_behind(f.history().size()));
  f.run();
  REQUIRE(f.refused.empty());
  CHECK(f.script.count("d/w/0") == 0);
  CHECK(f.script.count("d/w/1") == 0);
  const AnchoredClock clock;
  Inspector inspector{f.kv, kCatalog, clock};
  const auto rows = inspector.answer(ListApprovals{}).value().rows;
  REQUIRE(rows.size() == 1);
  CHECK(rows.front().chain == ChainId{"d"});
  CHECK(rows.front().items == "0-1");
  yes.chain = ChainId{"d"};
  std::get<engine::Approval>(yes.what).items = IndexSet::range(0, 2);
  f.tell(yes);
  f.await("d");
  CHECK(f.finish("d").status == ChainStatus::succeeded);
  CHECK(f.script.count("d/w/2") == 0);
}

TEST_CASE("a fork of a fork by an event that both have is refused where the results stayed with the first chain", "[fork]") {
  Fixture f;
  f.script.on("c/z", failure(Code::tool_failed));
  REQUIRE(f.complete(pin(composite({step("a", over(3)), step("z", R"("dependencies": ["a"])")}))).status == ChainStatus::failed);
  const auto first = settled(f, 0);
  f.forget();
  f.tell(actors::Control{ChainId{"c"}, engine::Retry{}, nullptr, {}, {.from = {"a"}}});
  f.await();
  REQUIRE(f.finish().status == ChainStatus::succeeded);
  fork_to_end(f, fork_at("z"));
  const auto words = refusal_of_fork(f, {.chain = ChainId{"e"}, .source = ChainId{"d"}, .wish = {.event = first}});
  CHECK(words.find("chain 'd' was forked from 'c' by event") != std::string::npos);
  CHECK(words.find("has what step 'a' came to by then alone") != std::string::npos);
  fork_to_end(f, {.chain = ChainId{"e"}, .source = ChainId{"d"}, .wish = {.step = "z"}});
  fork_to_end(f, fork_behind(first, "g"));
  CHECK(f.script.count("g/a/0") == 0);
  check_whole(f);
}

TEST_CASE("a fork that cannot be is refused in words, and leaves nothing behind", "[fork]") {
  Fixture f;
  f.script.on("c/b", failure(Code::tool_failed));
  f.submit(pin(composite({step("a"), step("b", R"("dependencies": ["a"])"), step("z", R"("dependencies": ["b"])")})));
  CHECK(f.finish().status == ChainStatus::failed);
  const auto last = f.history().size();
  CHECK(refusal_of_fork(f, fork_behind(last)) ==
        "chain 'c' has ended with event " + std::to_string(last) + ", and nothing is left to run: name an earlier event, or a step, with --at");
  CHECK(refusal_of_fork(f, fork_behind(last + 1)).find("name one of 1 to " + std::to_string(last)) != std::string::npos);
  CHECK(refusal_of_fork(f, fork_at("nosuch")).find("has no step 'nosuch'") != std::string::npos);
  CHECK(refusal_of_fork(f, fork_at("z")) == "step 'z' of chain 'c' has not run yet: name one that has");
  CHECK(refusal_of_fork(f, {.chain = ChainId{"d"}, .source = ChainId{"c"}}).find("say where the fork begins") != std::string::npos);
  CHECK(refusal_of_fork(f, {.chain = ChainId{"d"}, .source = ChainId{"x"}, .wish = {.step = "a"}}).find("no chain is called 'x'") !=
        std::string::npos);
  CHECK(refusal_of_fork(f, fork_at("a", "no/such")).find("cannot be a chain's id") != std::string::npos);
  auto other = fork_at("a");
  other.wish.arguments = "[1]";
  CHECK(!refusal_of_fork(f, other).empty());
  f.forget();
  f.tell(fork_at("a", "c"));
  f.run();
  REQUIRE(f.refused.size() == 1);
  CHECK(f.refused.front().error.code == Code::chain_exists);
  auto only = fork_at("a");
  only.only_check = true;
  f.forget();
  f.tell(only);
  f.run();
  CHECK(f.accepted.size() == 1);
  CHECK(!f.exists("d"));
  fork_to_end(f, fork_at("a"));
  check_whole(f);
}

TEST_CASE("a fork at an event by which its source was failing is refused", "[fork]") {
  Fixture f;
  f.script.on("c/a", failure(Code::tool_failed));
  f.script.on("c/b", held());
  f.submit(pin(composite({step("a"), step("b")})));
  f.run();
  REQUIRE(f.state().failing);
  const auto last = std::to_string(f.history().size());
  CHECK(refusal_of_fork(f, fork_behind(f.history().size())) ==
        "chain 'c' is failing at event " + last + ", and only ends: name an earlier event, or a step, with --at");
}

TEST_CASE("results that a person's retry has run over are not those of the event that is named", "[fork]") {
  Fixture f;
  f.script.on("c/a/1", failure(Code::tool_failed));
  f.submit(pin(composite({step("a", over(3)), step("z", R"("dependencies": ["a"])")})));
  CHECK(f.finish().status == ChainStatus::failed);
  const auto failed = number_of<engine::ItemsSettled>(f, [](const auto& event) { return event.bad.contains(1); });
  f.forget();
  f.script.on("c/a/1", answer("{}"));
  f.control("c", engine::Retry{});
  f.await();
  CHECK(f.finish().status == ChainStatus::succeeded);
  const auto words = refusal_of_fork(f, fork_behind(failed));
  CHECK(words.find("items 1 of step 'a' were run again by a person's retry at event") != std::string::npos);
  fork_to_end(f, fork_at("z"));
  CHECK(f.script.count("d/a/1") == 0);
}

TEST_CASE("a fork lets what has fallen due in its source wait for what was left", "[fork]") {
  Fixture f;
  f.script.on("c/a", 1, postponed(10s));
  f.submit(pin(composite({step("a", R"("arguments": {"n": 1})")})));
  f.run();
  const auto waiting = f.history().size();
  f.advance(4s);
  f.control("c", engine::Pause{});
  f.advance(1min);
  f.forget();
  f.tell(fork_behind(waiting));
  f.run();
  REQUIRE(f.accepted.size() == 1);
  f.advance(9s);
  CHECK(f.script.count("d/a") == 0);
  f.advance(2s);
  CHECK(f.script.count("d/a") == 1);
  CHECK(f.state("d").status == ChainStatus::succeeded);
  CHECK(f.state().status == ChainStatus::paused);
}

TEST_CASE("wherever the power fails, a fork is there whole or not at all, and nothing of it is left behind", "[fork]") {
  // Items are more than one piece has, so that there are several.
  const auto package = pin(composite({step("a", over(1'500)), step("z", R"("dependencies": ["a"])")}));
  storage::MemoryKv::Snapshot before;
  {
    Fixture f{{.settings = {.order_items_max = 512}}};
    f.script.reports_orders = true;
    f.script.on("c/z", failure(Code::tool_failed));
    f.submit(package);
    REQUIRE(f.finish().status == ChainStatus::failed);
    before = f.kv.snapshot();
  }
  bool all = false;
  std::size_t begun = 0;
  for (std::size_t messages = 0; !all; ++messages) {
    INFO("after " << messages << " messages");
    REQUIRE(messages < 200);
    Fixture f;
    f.kv.restore(before);
    f.crash();
    f.tell(fork_at("z"));
    all = f.run_messages(messages) < messages;
    const bool told = !f.accepted.empty();
    const auto unsynced = f.kv.unsynced();
    if (messages % 2 == 0 || unsynced == 0) {
      f.crash();
    } else {
      f.kv.fail_write(1);
      f.kv.crash(unsynced / 2);
      f.crash();
    }
    f.run();
    if (told) CHECK(f.exists("d"));
    check_whole(f);
    if (f.exists("d")) {
      ++begun;
      f.resume("d");
      f.run();
      f.await("d");
      CHECK(f.finish("d").status == ChainStatus::succeeded);
    } else {
      fork_to_end(f, fork_at("z"));
    }
    CHECK(f.script.count("d/a/7") == 0);
    CHECK(f.state("d").steps[0].ok.count() == 1'500);
    check_whole(f);
  }
  CHECK(begun > 0);
}

TEST_CASE("a process that ends in order leaves no actor of a fork behind, at whatever point that is", "[fork]") {
  const auto package = pin(composite({step("a"), step("b", R"("dependencies": ["a"])")}));
  for (const bool only_check : {false, true}) {
    CAPTURE(only_check);
    check_orderly_end([&](Fixture& f) {
      f.complete(package);
      auto fork = fork_at("b");
      fork.only_check = only_check;
      f.tell(std::move(fork));
    });
  }
}

TEST_CASE("a chain stays as long as it is being forked", "[fork]") {
  Fixture f;
  f.complete(pin(composite({step("a"), step("z", R"("dependencies": ["a"])")})));
  f.tell(fork_at("z"));
  f.run_messages(1);
  f.tell(actors::RemoveChains{.chains = {ChainId{"c"}}});
  f.run();
  REQUIRE(f.removals.size() == 1);
  REQUIRE(f.removals.front().refused.size() == 1);
  CHECK(f.removals.front().refused.front().error.message == "chain 'c' is being forked; try again in a moment");
  f.tell(actors::RemoveChains{.chains = {ChainId{"c"}}});
  f.run();
  CHECK(!f.exists("c"));
  CHECK(f.state("d").steps[0].status == engine::VisitStatus::completed);
  check_whole(f);
}

}  // namespace catena::coordinator::test
