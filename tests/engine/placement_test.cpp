// Who gets the next ticket and where, what is said of wants that get none, and what that costs. Whatever happens: placement_random_test.
#include <catch2/catch.hpp>

#include <algorithm>
#include <deque>
#include <tuple>

#include "engine/placement.hpp"
#include "tests/engine/placing.hpp"

namespace catena::engine::test {
namespace {

/// Keys of the wants that get the next tickets.
std::vector<WantKey> served(Placement& placement, std::size_t most = 1000) {
  std::vector<WantKey> keys;
  while (keys.size() < most) {
    const auto placed = placement.next();
    if (!placed) break;
    keys.push_back(placed->want);
  }
  return keys;
}

TEST_CASE("a worker satisfies a need when it has the kind, the capability and every label") {
  const Offered offered{{"exec", "remote"}, {"transcribe"}, {"gpu=a100", "fast"}};
  CHECK(satisfies(offered, {"exec", "/bin/any", {}, {}}));
  CHECK_FALSE(satisfies(offered, {"http", {}, {}, {}}));
  CHECK(satisfies(offered, {"remote", "transcribe", {}, {}}));
  CHECK_FALSE(satisfies(offered, {"remote", "translate", {}, {}}));
  CHECK(satisfies(offered, {"exec", {}, {"gpu=a100", "fast"}, {}}));
  CHECK_FALSE(satisfies(offered, {"exec", {}, {"gpu=h100"}, {}}));
  CHECK(satisfies(offered, {"exec", {}, {"gpu"}, {}}));  // whichever it is
  CHECK_FALSE(satisfies(offered, {"exec", {}, {"gp"}, {}}));
  CHECK(satisfies(offered, {"exec", {}, {"transcribe"}, {}}));
  CHECK(satisfies({{"*"}, {}, {"*"}}, {"remote", "anything", {"gpu=h100"}, {}}));
}

TEST_CASE("a step needs its endpoint's kind and its labels, and of remote: the capability") {
  lang::Step step;
  step.call = lang::ToolCall{"t", {"remote", "transcribe", {}}};
  step.needs = {"zone=b", "gpu"};
  CHECK(need_of(step) == Need{"remote", "transcribe", {"gpu", "zone=b"}, {}});
  step.call = lang::ToolCall{"t", {"exec", "/bin/true", {}}};
  CHECK(need_of(step).target.empty());
  CHECK(need_of(step, "abc").programs == Words{"abc"});
}

namespace {

std::string said(const std::optional<Reason>& reason) { return reason ? words(*reason, {}) : std::string{}; }

}  // namespace

TEST_CASE("what nobody has is named, with the worker that comes nearest") {
  const auto plain = node("w1", 2, {"zone=a"});
  const auto disk = node("w2", 2, {"zone=b", "disk=ssd"});
  const std::vector<const Node*> fleet{&plain, &disk};
  CHECK(said(explain({"exec", {}, {"disk=ssd", "gpu=a100"}, {}}, fleet)) == "no worker has label gpu=a100; w2 lacks only that");
  CHECK(said(explain({"remote", "speech", {"zone=c"}, {}}, fleet)) ==
        "no worker has endpoint kind remote, capability speech, label zone=c; w1 lacks only that");
  CHECK(said(explain({"exec", {}, {"disk=ssd", "zone=a"}, {}}, fleet)) ==
        "no worker has all that is needed; w1 comes nearest and lacks label disk=ssd");
  CHECK(said(explain({"exec", {}, {"disk=ssd", "gpu=a100", "zone=a"}, {}}, fleet)) ==
        "no worker has label gpu=a100; w1 comes nearest and lacks label disk=ssd, label gpu=a100");
  CHECK(said(explain({"exec", {}, {}, {}}, {})) == "no worker has registered");
}

TEST_CASE("workers that fit and take nothing now are named, and nothing is said where one has room") {
  auto first = node("w1", 2, {"gpu"});
  auto second = node("w2", 2, {"gpu"});
  const auto other = node("w3", 2);
  const std::vector<const Node*> fleet{&first, &second, &other};
  const Need need{"exec", {}, {"gpu"}, {}};
  CHECK(said(explain(need, fleet)).empty());
  first.state = second.state = NodeState::cordoned;
  CHECK(said(explain(need, fleet)) == "workers that fit are cordoned: w1, w2");
  second.state = NodeState::draining;
  CHECK(said(explain(need, fleet)) == "workers that fit are cordoned or draining: w1, w2");
  second.state = NodeState::open;
  second.free = 0;
  CHECK(said(explain(need, fleet)) == "all workers that fit are busy: w2");
}

TEST_CASE("a worker gets at most its room, and it comes back") {
  Placement placement;
  placement.put_node(node("w1", 2));
  placement.put_want(want(1, 1, 10));
  CHECK(served(placement).size() == 4);
  CHECK(said(placement.explain(1)) == "all workers that fit are busy: w1");
  CHECK(placement.give_back(1, WorkerId{"w1"}, 1));
  CHECK(served(placement).size() == 1);
  CHECK_FALSE(placement.give_back(1, WorkerId{"w1"}, 7));  // of another start
  CHECK(served(placement).empty());
}

TEST_CASE("a cordoned worker gets nothing until it is open again") {
  Placement placement;
  placement.put_node(node("w1", 1));
  placement.set_state(WorkerId{"w1"}, NodeState::cordoned);
  placement.put_want(want(1, 1, 2));
  CHECK(served(placement).empty());
  CHECK(placement.unsatisfiable(1));
  placement.set_state(WorkerId{"w1"}, NodeState::open);
  CHECK_FALSE(placement.unsatisfiable(1));
  CHECK(served(placement).size() == 2);
}

TEST_CASE("a want that nobody can take is known at once, and holds up nobody else") {
  Placement placement;
  placement.put_node(node("w1", 1));
  placement.put_want(want(1, 1, 5, {"gpu"}));
  placement.put_want(want(2, 2, 1));
  CHECK(placement.unsatisfiable(1));
  CHECK_FALSE(placement.unsatisfiable(2));
  CHECK(served(placement) == std::vector<WantKey>{2});
  placement.put_node(node("w2", 1, {"gpu"}));
  CHECK_FALSE(placement.unsatisfiable(1));
  CHECK(placement.next()->worker == WorkerId{"w2"});
}

TEST_CASE("who holds the least goes first") {
  Placement placement;
  placement.put_node(node("w1", 4));
  placement.put_want(want(1, 1, 100));
  CHECK(served(placement, 4).size() == 4);
  placement.put_want(want(2, 2, 100));
  CHECK(served(placement) == std::vector<WantKey>{2, 2, 2, 2});
}

TEST_CASE("a priority doubles the share, and counts for all visits of a chain") {
  Placement placement;
  placement.put_node(node("w1", 6));
  placement.put_want(want(1, 1, 100));
  auto twice = want(2, 2, 100);
  twice.priority = 1;
  placement.put_want(twice);
  const auto keys = served(placement);
  REQUIRE(keys.size() == 12);
  CHECK(std::ranges::count(keys, 2U) == 8);
  CHECK(weight_of(3) == 8 * weight_of(0));
  CHECK(weight_of(1000) == weight_of(kPriorityMax));
}

TEST_CASE("a chain of the lowest priority is served in a crowd of high ones") {
  Placement placement;
  placement.put_node(node("w1", 1));
  for (ShareKey share = 1; share <= 4; ++share) {
    auto high = want(share, share, 1'000'000);
    high.priority = kPriorityMax;
    placement.put_want(high);
  }
  auto low = want(9, 9, 1);
  low.priority = -kPriorityMax;
  placement.put_want(low);
  std::deque<ShareKey> holders;
  int tickets = 0;
  bool reached = false;
  for (; !reached && tickets < 1000; ++tickets) {
    if (holders.size() == 2) {
      placement.give_back(holders.front(), WorkerId{"w1"}, 1);
      holders.pop_front();
    }
    const auto placed = placement.next();
    REQUIRE(placed);
    reached = placed->want == 9;
    holders.push_back(placed->want);
  }
  CHECK(reached);
  CHECK(tickets <= 16 * 5);
}

TEST_CASE("within a chain the visit on the longest way to the end goes first, even ones take turns") {
  Placement placement;
  placement.put_node(node("w1", 3));
  placement.put_want(want(1, 1, 2));
  placement.put_want(want(2, 1, 2));
  auto urgent = want(3, 1, 2, {});
  urgent.urgency = 5;
  placement.put_want(urgent);
  CHECK(served(placement) == std::vector<WantKey>{3, 3, 1, 2, 1, 2});
}

TEST_CASE("the longest way counts across needs, too") {
  Placement placement;
  placement.put_node(node("w1", 1, {"gpu"}));
  placement.put_want(want(1, 1, 1));
  auto urgent = want(2, 1, 1, {"gpu"});
  urgent.urgency = 2;
  placement.put_want(urgent);
  CHECK(served(placement) == std::vector<WantKey>{2, 1});
}

TEST_CASE("an order goes where a slot is idle, there to who has the program, else to the most room") {
  Placement placement;
  placement.put_node(node("w1", 1));
  placement.put_node(node("w2", 4));
  placement.add_program(WorkerId{"w1"}, "abc");
  auto one = want(1, 1, 3);
  one.need.programs = {"abc"};
  placement.put_want(one);
  CHECK(placement.next()->worker == WorkerId{"w1"});  // it has the program
  CHECK(placement.next()->worker == WorkerId{"w2"});  // the order would wait at the other
  placement.put_want(want(2, 2, 1));
  placement.put_node(node("w3", 8));
  CHECK(placement.next()->worker == WorkerId{"w3"});
}

TEST_CASE("a claim counts beyond the room, and is worked off first") {
  Placement placement;
  placement.put_node(node("w1", 1));
  for (int claim = 0; claim < 3; ++claim) placement.claim(1, WorkerId{"w1"});
  placement.put_want(want(2, 2, 5));
  CHECK(placement.node(WorkerId{"w1"})->free == -1);
  CHECK(served(placement).empty());
  placement.give_back(1, WorkerId{"w1"}, 1);
  CHECK(served(placement).empty());
  placement.give_back(1, WorkerId{"w1"}, 1);
  CHECK(served(placement).size() == 1);
}

TEST_CASE("who asks after idle slots hears once of those at others that fit") {
  Placement placement;
  placement.put_node(node("slow", 8, {"gpu"}));
  placement.put_node(node("w1", 2, {"gpu"}));
  placement.put_node(node("w2", 4));
  const Need need{"exec", {}, {"gpu"}, {}};
  placement.ask_room(7, need, WorkerId{"slow"});
  const auto found = placement.next_room();
  REQUIRE(found);
  CHECK(found->ask == 7);
  CHECK(found->slots == 2);
  CHECK_FALSE(placement.next_room());
  placement.set_state(WorkerId{"w1"}, NodeState::cordoned);
  placement.ask_room(8, need, WorkerId{"slow"});
  placement.ask_room(9, need, WorkerId{"slow"});
  CHECK_FALSE(placement.next_room());
  placement.withdraw_ask(8);
  placement.set_state(WorkerId{"w1"}, NodeState::open);
  const auto later = placement.next_room();
  REQUIRE(later);
  CHECK(later->ask == 9);
  CHECK_FALSE(placement.next_room());
}

TEST_CASE("all idle slots at one worker are none for who asks for others, and hold up nobody who does not") {
  Placement placement;
  placement.put_node(node("slow", 2));
  placement.put_node(node("w1", 2));
  placement.set_state(WorkerId{"w1"}, NodeState::draining);
  const Need need{"exec", {}, {}, {}};
  placement.ask_room(1, need, WorkerId{"slow"});
  placement.ask_room(2, need, WorkerId{"w1"});
  const auto found = placement.next_room();
  REQUIRE(found);
  CHECK(found->ask == 2);
  CHECK_FALSE(placement.next_room());
}

TEST_CASE("that no worker takes a want is said once, again when the reason is another, and taken back when one does") {
  Placement placement;
  const auto news = [&] {
    std::vector<std::string> told;
    for (const auto& one : placement.news()) told.push_back(std::to_string(one.want) + ": " + (one.why ? words(*one.why, {}) : "fine"));
    return told;
  };
  placement.put_node(node("w1", 1));
  placement.put_want(want(1, 1, 1, {"gpu"}));
  placement.put_want(want(2, 1, 1));
  CHECK(news() == Words{"1: no worker has label gpu; w1 lacks only that"});
  placement.put_want(want(1, 1, 7, {"gpu"}));
  placement.put_node(node("w2", 1));
  CHECK(news().empty());
  placement.remove_node(WorkerId{"w1"});
  CHECK(news() == Words{"1: no worker has label gpu; w2 lacks only that"});
  placement.put_want(want(3, 2, 1, {"gpu"}));
  CHECK(news() == Words{"3: no worker has label gpu; w2 lacks only that"});
  placement.put_node(node("w3", 1, {"gpu"}));
  CHECK(news() == Words{"1: fine", "3: fine"});
  placement.set_state(WorkerId{"w3"}, NodeState::cordoned);
  placement.remove_want(3);
  CHECK(news() == Words{"1: workers that fit are cordoned: w3"});
}

// ---- what it costs ----------------------------------------------------------------------------------------------------

/// A fleet with a ticket of each slot out, and chains that want more than there is.
struct Crowd {
  Crowd(int workers, WantKey chains, const std::vector<std::string>& programs = {}) {
    for (int worker = 0; worker < workers; ++worker) {
      auto made = node("w" + std::to_string(worker), 2);
      made.programs = {programs.begin(), programs.end()};
      placement.put_node(std::move(made));
    }
    for (WantKey key = 1; key <= chains; ++key) {
      auto made = want(key, key, UINT32_MAX);
      made.need.programs = programs;
      placement.put_want(std::move(made));
    }
    while (const auto placed = placement.next()) out.push_back(*placed);
  }

  /// The most looks that one of the next tickets takes, each after one that came back.
  std::uint64_t looks_a_ticket(int tickets = 200) {
    std::uint64_t most = 0;
    for (int ticket = 0; ticket < tickets; ++ticket) {
      const auto before = placement.looks();
      placement.give_back(out.front().want, out.front().worker, 1);
      out.pop_front();
      const auto placed = placement.next();
      REQUIRE(placed);
      REQUIRE_FALSE(placement.next());
      out.push_back(*placed);
      most = std::max(most, placement.looks() - before);
    }
    return most;
  }

  Placement placement;
  std::deque<Placed> out;
};

TEST_CASE("a ticket looks at one worker and one need, however many workers there are and chains wait") {
  CHECK(Crowd(1, 10).looks_a_ticket() == 2);
  CHECK(Crowd(1000, 10).looks_a_ticket() == 2);
  CHECK(Crowd(1000, 10'000).looks_a_ticket() == 2);
}

TEST_CASE("for a program that all workers have, a bounded number is looked at") {
  Crowd crowd{1000, 100, {"abc"}};
  for (int ticket = 0; ticket < 1000; ++ticket) {  // many have room at once
    crowd.placement.give_back(crowd.out.front().want, crowd.out.front().worker, 1);
    crowd.out.pop_front();
  }
  const auto before = crowd.placement.looks();
  for (int ticket = 0; ticket < 1000; ++ticket) REQUIRE(crowd.placement.next());
  CHECK(crowd.placement.looks() - before <= 1000 * 34);
}

TEST_CASE("wants that no worker satisfies are not looked at for a ticket, and once when the fleet changes") {
  Crowd crowd{3, 10};
  for (WantKey key = 1; key <= 1000; ++key) crowd.placement.put_want(want(1000 + key, 1000 + key, 1, {"none"}));
  for (WantKey key = 1; key <= 100; ++key) crowd.placement.put_want(want(5000 + key, 5000 + key, 1, {"none-" + std::to_string(key)}));
  CHECK(crowd.placement.news().size() == 1100);
  CHECK(crowd.looks_a_ticket() == 2);
  const auto before = crowd.placement.looks();
  crowd.placement.put_node(node("w9", 1));
  CHECK(crowd.placement.news().empty());
  constexpr std::uint64_t kNeeds = 102;
  CHECK(crowd.placement.looks() - before <= kNeeds * (1 + 1 + 4));  // it joins, is told of, and each reason is looked for among all workers
}

TEST_CASE("slots that are busy cost those who ask after idle ones nothing") {
  Crowd crowd{10, 10};
  const Need need{"exec", {}, {}, {}};
  for (AskKey key = 1; key <= 1000; ++key) crowd.placement.ask_room(key, need, WorkerId{"w" + std::to_string(key % 10)});
  const auto before = crowd.placement.looks();
  CHECK_FALSE(crowd.placement.next_room());
  CHECK(crowd.placement.looks() - before <= 2);
}

}  // namespace
}  // namespace catena::engine::test
