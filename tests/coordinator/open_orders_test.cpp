// What a worker was given and has not settled.
#include "coordinator/open_orders.hpp"

#include <catch2/catch.hpp>

namespace catena::coordinator {
namespace {

constexpr std::int64_t kPatience = 20'000;
const OrderKey kKey{"c", 1};

actors::WorkOrder order(std::vector<std::uint32_t> items, GrantId grant = 1, const std::string& chain = "c") {
  actors::WorkOrder made;
  made.chain = chain;
  made.grant = grant;
  for (const auto item : items) made.attempts.push_back({"key", item, 1, "{}"});
  return made;
}

actors::WorkReport report(std::vector<std::uint32_t> items, GrantId grant = 1) {
  actors::WorkReport made;
  made.chain = "c";
  made.grant = grant;
  for (const auto item : items) made.results.push_back({item, true, "{}", 1});
  return made;
}

IndexSet set(std::initializer_list<std::uint32_t> items) {
  IndexSet made;
  for (const auto item : items) made.insert(item);
  return made;
}

/// What a worker is told, shortly: "order 1: 0 2", "stop 1".
struct Told {
  std::vector<std::string> lines;
  OpenOrders::Tell tell = [this](const actors::NodeMessage& message) {
    if (const auto* given = std::get_if<actors::WorkOrder>(&message)) {
      auto line = "order " + std::to_string(given->grant.value) + ":";
      for (const auto& attempt : given->attempts) line += " " + std::to_string(attempt.item);
      lines.push_back(line);
    } else if (const auto* stop = std::get_if<actors::StopOrder>(&message)) {
      lines.push_back("stop " + std::to_string(stop->grant.value));
    } else if (const auto* back = std::get_if<actors::GiveBackOrder>(&message)) {
      lines.push_back("give back " + std::to_string(back->grant.value));
    } else if (const auto* let_go = std::get_if<actors::LetGo>(&message)) {
      lines.push_back("let go " + std::to_string(let_go->grant.value));
    } else {
      lines.push_back("?");
    }
  };
};
using Lines = std::vector<std::string>;

Lines told(const OpenOrders& orders, const OrderKey& key = kKey) {
  Told told;
  orders.tell(key, told.tell);
  return told.lines;
}
Lines greeted(OpenOrders& orders, const std::vector<actors::HeldOrder>& held, bool first, std::int64_t now = 0, bool known_store = true) {
  Told told;
  for (const auto& open : orders.greet(held, first, known_store, now, told.tell)) orders.tell(open, told.tell);
  return told.lines;
}

TEST_CASE("an order is sent again over each new link, with the items that are not durable") {
  OpenOrders orders{kPatience};
  orders.add(order({0, 1, 2}), 5);
  CHECK(told(orders) == Lines{"order 1: 0 1 2"});
  CHECK_FALSE(orders.durable(kKey, set({1})));
  CHECK(greeted(orders, {}, false) == Lines{"order 1: 0 2"});
  CHECK(greeted(orders, {{"c", 1}}, false) == Lines{"order 1: 0 2"});
}

TEST_CASE("an order is gone when its last item is durable, and its reporter with it") {
  OpenOrders orders{kPatience};
  orders.add(order({0, 1}), 5);
  orders.add(order({7}, 2), 5);
  CHECK_FALSE(orders.durable(kKey, set({0})));
  CHECK(orders.durable(kKey, set({0, 1})));
  CHECK(orders.released().empty());
  CHECK(orders.durable({"c", 2}, set({7})));
  CHECK(orders.released() == std::vector<OpenOrders::Reporter>{5});
  CHECK(orders.released().empty());
  CHECK(orders.size() == 0);
  CHECK_FALSE(orders.durable(kKey, set({0})));
}

TEST_CASE("what was asked about an order while there was no link is told over the next") {
  OpenOrders orders{kPatience};
  orders.add(order({0}), 5);
  CHECK(orders.stop(kKey));
  CHECK(greeted(orders, {}, false) == Lines{"order 1: 0", "stop 1"});
  CHECK(orders.give_back(kKey));
  CHECK(greeted(orders, {}, false) == Lines{"order 1: 0", "stop 1", "give back 1"});
  CHECK_FALSE(orders.stop({"c", 9}));
  CHECK_FALSE(orders.give_back({"other", 1}));
}

TEST_CASE("reports go to who gave the order, reduced to items that are open, each once") {
  OpenOrders orders{kPatience};
  orders.add(order({0, 1, 2}), 5);
  orders.durable(kKey, set({0}));
  auto said = report({0, 2, 2, 99, 1});
  const auto routed = orders.route(said);
  CHECK(routed.what == OpenOrders::Routed::What::deliver);
  CHECK(routed.reporter == 5);
  REQUIRE(said.results.size() == 2);
  CHECK(said.results[0].item == 2);
  CHECK(said.results[1].item == 1);
}

TEST_CASE("a report of nothing that is open is not passed on") {
  OpenOrders orders{kPatience};
  orders.add(order({0, 1}), 5);
  orders.durable(kKey, set({0}));
  auto said = report({0});
  CHECK(orders.route(said).what == OpenOrders::Routed::What::wait);
}

TEST_CASE("a report of an order that is settled tells the worker to forget it") {
  OpenOrders orders{kPatience};
  orders.add(order({0}), 5);
  orders.durable(kKey, set({0}));
  auto said = report({0});
  CHECK(orders.route(said).what == OpenOrders::Routed::What::forget);
}

TEST_CASE("who sends an order again gets its reports from then on, and items that are not in it are settled") {
  OpenOrders orders{kPatience};
  orders.add(order({0, 1, 2}), 5);
  orders.stop(kKey);
  orders.add(order({1, 2}), 6);
  CHECK(orders.size() == 1);
  CHECK(orders.released() == std::vector<OpenOrders::Reporter>{5});
  CHECK(told(orders) == Lines{"order 1: 1 2"});  // who claims it says itself whether it is to stop
  auto said = report({0, 1});
  CHECK(orders.route(said).reporter == 6);
  CHECK(said.results.size() == 1);
  CHECK(orders.durable(kKey, set({1, 2})));
}

TEST_CASE("an order whose reporter is gone waits to be claimed, and is let go of when nobody does") {
  OpenOrders orders{kPatience};
  orders.add(order({0}), 5);
  orders.add(order({3}, 2), 6);
  orders.orphan(5, 1000);
  CHECK(orders.unclaimed() == 1);
  auto said = report({0});
  CHECK(orders.route(said).what == OpenOrders::Routed::What::wait);
  CHECK(told(orders).empty());  // nothing new is begun for nobody
  CHECK(greeted(orders, {{"c", 1}}, false, 2000) == Lines{"order 2: 3"});
  CHECK(orders.let_go(1000 + kPatience - 1).empty());
  SECTION("nobody does") {
    CHECK(orders.let_go(1000 + kPatience) == std::vector<OrderKey>{kKey});
    CHECK(orders.let_go(1000 + kPatience).empty());
    CHECK(orders.size() == 1);
  }
  SECTION("somebody does") {
    orders.add(order({0}), 7);
    CHECK(orders.let_go(1000 + kPatience).empty());
    CHECK(told(orders) == Lines{"order 1: 0"});
    CHECK(orders.route(said).reporter == 7);
  }
  SECTION("its last reports become durable all the same") {
    CHECK(orders.durable(kKey, set({0})));
    CHECK(orders.unclaimed() == 0);
    CHECK(orders.let_go(1000 + kPatience).empty());
  }
}

TEST_CASE("what a worker held before its first greeting waits for a claim as long") {
  OpenOrders orders{kPatience};
  CHECK(greeted(orders, {{"c", 1}, {"c", 2}}, true, 500).empty());
  CHECK(orders.unclaimed() == 2);
  auto said = report({0});
  CHECK(orders.route(said).what == OpenOrders::Routed::What::wait);
  orders.add(order({0}), 5);
  CHECK(orders.let_go(500 + kPatience) == std::vector<OrderKey>{{"c", 2}});
}

TEST_CASE("a held order that this session gave and settled is let go of at once") {
  OpenOrders orders{kPatience};
  CHECK(greeted(orders, {}, true).empty());
  orders.add(order({0}), 5);
  orders.durable(kKey, set({0}));
  CHECK(greeted(orders, {{"c", 1}}, false) == Lines{"let go 1"});
  CHECK(orders.unclaimed() == 0);
}

TEST_CASE("what is held for another store means nothing here") {
  OpenOrders orders{kPatience};
  CHECK(greeted(orders, {{"c", 1}}, true, 0, false) == Lines{"let go 1"});
  CHECK(orders.unclaimed() == 0);
}

TEST_CASE("an unclaimed order that the worker does not hold any more is not waited for") {
  OpenOrders orders{kPatience};
  greeted(orders, {{"c", 1}, {"c", 2}}, true, 0);
  greeted(orders, {{"c", 2}}, false, 1000);
  CHECK(orders.let_go(kPatience) == std::vector<OrderKey>{{"c", 2}});  // the wait began with the first greeting
}

TEST_CASE("of the orders that were let go of the oldest are forgotten, whatever their numbers") {
  OpenOrders orders{kPatience};
  std::int64_t now = 0;
  const auto let_go = [&](GrantId from, GrantId to) {
    for (auto grant = from; grant <= to; ++grant) orders.add(order({0}, grant), 5);
    orders.orphan(5, now);
    now += kPatience;
    CHECK(orders.let_go(now).size() == to - from + 1);
  };
  constexpr GrantId kOldest = 9000;
  let_go(kOldest, kOldest);
  let_go(1, OpenOrders::kGoneMax - 1);
  let_go(kOldest + 1, kOldest + 1);
  for (const GrantId grant : {kOldest, GrantId{1}}) orders.add(order({0}, grant), 6);
  CHECK(orders.returned({"c", kOldest}).has_value());
  CHECK_FALSE(orders.returned({"c", 1}).has_value());  // the worker may have begun it
}

}  // namespace
}  // namespace catena::coordinator
