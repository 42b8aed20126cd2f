#include "worker/held_orders.hpp"

#include <catch2/catch.hpp>

#include "tests/worker/work_results.hpp"

namespace catena::worker::test {
namespace {

actors::WorkOrder order_of(const std::vector<std::uint32_t>& items, std::uint64_t grant = 1, const std::string& chain = "c") {
  actors::WorkOrder order;
  order.chain = chain;
  order.grant = grant;
  order.incarnation = 7;
  for (const auto item : items) order.attempts.push_back({chain + "/a/" + std::to_string(item), item, 1, "{}"});
  return order;
}

/// As the node reports what it was handed.
actors::WorkReport report_of(const actors::WorkOrder& taken, const std::vector<std::uint32_t>& items, const std::string& text = "{}") {
  actors::WorkReport report;
  report.chain = taken.chain;
  report.grant = taken.grant;
  report.taking = taken.taking;
  for (const auto item : items) report.results.push_back({item, true, text, 5});
  return report;
}

/// The results that count.
std::vector<actors::AttemptResult> kept(HeldOrders& held, actors::WorkReport report) {
  const auto message = held.keep(std::move(report));
  return message ? std::get<actors::WorkReport>(*message).results : std::vector<actors::AttemptResult>{};
}

std::vector<std::uint32_t> items_of(const actors::WorkOrder& order) {
  std::vector<std::uint32_t> items;
  for (const auto& attempt : order.attempts) items.push_back(attempt.item);
  return items;
}

TEST_CASE("what is asked for again while it runs is not run again") {
  HeldOrders held;
  CHECK(items_of(held.accept(order_of({0, 1})).fresh) == Items{0, 1});
  const auto again = held.accept(order_of({0, 1}));
  CHECK(again.fresh.attempts.empty());
  CHECK(again.again.empty());
}

TEST_CASE("what is asked for again when it has ended is answered, the rest runs on") {
  HeldOrders held;
  const auto first = held.accept(order_of({0, 1}));
  REQUIRE(kept(held, report_of(first.fresh, {1}, R"({"x":1})")).size() == 1);
  const auto again = held.accept(order_of({0, 1, 2}));
  CHECK(items_of(again.fresh) == Items{2});
  REQUIRE(again.again.size() == 1);
  CHECK(again.again.front().item == 1);
  CHECK(again.again.front().text == R"({"x":1})");
}

TEST_CASE("of a report what counts is kept, whatever stands between, and each item has its own result") {
  HeldOrders held;
  const auto taken = held.accept(order_of({2, 3, 5, 9}));
  CHECK(kept(held, report_of(taken.fresh, {9, 4, 2})).size() == 2);
  auto more = report_of(taken.fresh, {2, 5, 1, 3});
  for (auto& result : more.results) result.text = std::to_string(result.item);
  const auto counted = kept(held, more);
  REQUIRE(counted.size() == 2);
  CHECK(counted[0].text == "5");
  CHECK(counted[1].text == "3");
  const auto again = held.accept(order_of({2, 3, 5, 9})).again;
  REQUIRE(again.size() == 4);
  CHECK(again[0].text == "{}");
  CHECK(again[1].text == "3");
  CHECK(again[2].text == "5");
  CHECK(again[3].text == "{}");
  CHECK(held.totals().open == 0);
  CHECK(held.totals().bytes == 6);
}

TEST_CASE("what was let go of is remembered, what is done is not") {
  HeldOrders held;
  static_cast<void>(held.accept(order_of({0}, 1)));
  static_cast<void>(held.accept(order_of({0}, 2)));
  CHECK(held.let_go("c", 1));
  CHECK(held.forget("c", 2));
  CHECK_FALSE(held.let_go("c", 3));  // was never here
  CHECK(held.was_let_go("c", 1));
  CHECK_FALSE(held.was_let_go("c", 2));
  CHECK_FALSE(held.was_let_go("c", 3));
  held.clear();
  CHECK_FALSE(held.was_let_go("c", 1));
}

TEST_CASE("a result counts once") {
  HeldOrders held;
  const auto taken = held.accept(order_of({0}));
  CHECK(kept(held, report_of(taken.fresh, {0}, "{}")).size() == 1);
  CHECK(kept(held, report_of(taken.fresh, {0}, "[]")).empty());
  CHECK(held.accept(order_of({0})).again.front().text == "{}");
}

TEST_CASE("items, grants and chains are told apart") {
  HeldOrders held;
  CHECK(held.accept(order_of({0}, 1, "c")).fresh.attempts.size() == 1);
  CHECK(held.accept(order_of({1}, 1, "c")).fresh.attempts.size() == 1);
  CHECK(held.accept(order_of({0}, 2, "c")).fresh.attempts.size() == 1);
  CHECK(held.accept(order_of({0}, 1, "d")).fresh.attempts.size() == 1);
  CHECK(held.all().size() == 3);
}

TEST_CASE("a report of what was forgotten changes nothing, also when the same was asked for since") {
  HeldOrders held;
  const auto first = held.accept(order_of({0}));
  CHECK(held.forget("c", 1));
  CHECK(kept(held, report_of(first.fresh, {0}, "[]")).empty());
  const auto second = held.accept(order_of({0}));
  REQUIRE(second.fresh.attempts.size() == 1);
  CHECK(kept(held, report_of(first.fresh, {0}, "[]")).empty());
  CHECK(kept(held, report_of(second.fresh, {0}, "{}")).size() == 1);
}

TEST_CASE("a result that nobody asked for is not kept") {
  HeldOrders held;
  const auto taken = held.accept(order_of({0}));
  CHECK(kept(held, report_of(taken.fresh, {5})).empty());
  auto foreign = report_of(taken.fresh, {0});
  foreign.chain = "other";
  CHECK(kept(held, foreign).empty());
}

TEST_CASE("forgetting says whether somebody must be stopped") {
  HeldOrders held;
  const auto taken = held.accept(order_of({0, 1}));
  static_cast<void>(kept(held, report_of(taken.fresh, {0, 1})));
  CHECK_FALSE(held.forget("c", 1));
  CHECK_FALSE(held.forget("c", 1));
  static_cast<void>(held.accept(order_of({0}, 2)));
  CHECK(held.forget("c", 2));
  CHECK(held.empty());
}

TEST_CASE("only orders with attempts that have not ended are open") {
  HeldOrders held;
  const auto done = held.accept(order_of({0}, 1));
  static_cast<void>(held.accept(order_of({0}, 2)));
  static_cast<void>(kept(held, report_of(done.fresh, {0})));
  REQUIRE(held.open().size() == 1);
  CHECK(held.open().front().grant == 2);
  CHECK(held.all().size() == 2);
}

TEST_CASE("the totals follow all that happens") {
  HeldOrders held;
  const auto one = held.accept(order_of({0, 1}, 1));
  const auto two = held.accept(order_of({0}, 2));
  static_cast<void>(kept(held, report_of(one.fresh, {0}, "12345")));
  CHECK(held.totals().orders == 2);
  CHECK(held.totals().open == 2);
  CHECK(held.totals().results == 1);
  CHECK(held.totals().bytes == 5);
  static_cast<void>(held.forget("c", 1));
  CHECK(held.totals().orders == 1);
  CHECK(held.totals().open == 1);
  CHECK(held.totals().results == 0);
  CHECK(held.totals().bytes == 0);
  held.clear();
  CHECK(held.totals().orders == 0);
  CHECK(held.totals().open == 0);
}

TEST_CASE("an order can be ended without having begun") {
  HeldOrders held;
  const auto taken = held.accept(order_of({3, 4}));
  const auto counted = kept(held, ended_by(taken.fresh, make_error(Code::given_back, "not begun")));
  REQUIRE(counted.size() == 2);
  CHECK_FALSE(counted[1].ok);
  CHECK(error_from_json(Json::parse(counted[1].text)).code == Code::given_back);
}

}  // namespace
}  // namespace catena::worker::test
