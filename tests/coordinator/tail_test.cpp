// The end of a fan-out: what a slow worker has not begun goes to those that have nothing to do; and how much goes out at a time.
#include <catch2/catch.hpp>

#include "tests/coordinator/fixture.hpp"

namespace catena::coordinator::test {
namespace {

using engine::ChainStatus;

Pinned fan_out_with_tool(const std::string& list, const std::string& window = {}, const std::string& tool = "/any.tool") {
  const std::string once = R"({"additional_arguments": true, "effect": "at_most_once", "system_event_endpoint": "builtin:echo"})";
  return pin(composite({step("a", each(list, window), tool)}, R"("response_reference_map": {"all": "REF:a.response"})"), {{"/once.tool", once}});
}

/// One slow worker has eight items in two orders, of which it has begun the first item each.
struct Tail : Fixture {
  Tail() : Fixture{{.workers = {{.id = "slow", .slots = 1}}}} {
    script.begun = [](const std::string& one) { return one == item_key(0) || one == item_key(4); };
    script.otherwise = [](const auto&) { return held(); };
    submit(fan_out_with_tool(numbers(40), R"("max_concurrency": 8)"));
    run();
    script.otherwise = [](const auto& attempt) { return answer(attempt.arguments); };
  }
};

TEST_CASE("what a slow worker has not begun is done by one that has nothing to do, once") {
  Tail f;
  REQUIRE(f.script.pending.size() == 8);
  f.add_worker({.id = "quick", .slots = 4});
  f.run();
  CHECK(f.script.recalls.empty());  // it may be done any moment
  f.advance(Millis{60});
  CHECK(f.script.pending.size() == 2);
  for (const int item : {1, 2, 3, 5, 6, 7, 8, 39}) CHECK(f.script.last(item_key(item)).worker == "quick");
  f.script.release(item_key(0), answer(R"({"i": 0})"));
  f.script.release(item_key(4), answer(R"({"i": 4})"));
  const auto ended = f.finish();
  REQUIRE(ended.status == ChainStatus::succeeded);
  const auto all = Json::parse(ended.response.text)["all"];
  for (int item = 0; item < 40; ++item) {
    CHECK(f.script.count(item_key(item)) == 1);
    CHECK(f.script.last(item_key(item)).attempt == 1);
    CHECK(all[static_cast<std::size_t>(item)] == Json{{"i", item}});
  }
  CHECK(f.state().steps[0].tries.empty());
  f.run();
  CHECK(f.tickets_free() == 10);
}

TEST_CASE("where nobody could help nothing is asked back") {
  Tail f;
  f.advance(Millis{10'000});
  CHECK(f.script.recalls.empty());
  SECTION("until somebody comes") {
    f.add_worker({.id = "quick", .slots = 4});
    f.run();
    CHECK_FALSE(f.script.recalls.empty());
  }
  SECTION("a worker that cannot run it is nobody") {
    f.add_worker({.id = "other", .slots = 4, .kinds = {"exec"}});
    f.advance(Millis{10'000});
    CHECK(f.script.recalls.empty());
  }
  SECTION("a worker that is busy is nobody, either") {
    f.script.otherwise = [](const auto&) { return held(); };
    f.submit(pin(composite({step("x"), step("y")})), "others");
    f.run();
    f.add_worker({.id = "busy", .slots = 1});
    f.advance(Millis{10'000});
    CHECK(f.script.recalls.empty());
  }
}

TEST_CASE("an order is asked back once, however long it takes") {
  Tail f;
  f.script.begun = [](const std::string&) { return true; };
  f.add_worker({.id = "quick", .slots = 4});
  for (int turn = 0; turn < 20; ++turn) f.advance(Millis{100});
  const std::set<std::pair<std::string, GrantId>> distinct{f.script.recalls.begin(), f.script.recalls.end()};
  CHECK(distinct.size() == f.script.recalls.size());
  CHECK(f.script.pending.size() == 8);
}

TEST_CASE("an at_most_once item that had not begun is done elsewhere, and nobody is asked what became of it") {
  Fixture f{{.workers = {{.id = "slow", .slots = 1}}}};
  f.script.begun = [](const std::string& one) { return one == item_key(0); };
  f.script.otherwise = [](const auto&) { return held(); };
  f.submit(fan_out_with_tool(numbers(2), {}, "/once.tool"));
  f.run();
  REQUIRE(f.script.pending.size() == 2);
  f.script.otherwise = [](const auto& attempt) { return answer(attempt.arguments); };
  f.add_worker({.id = "quick", .slots = 4});
  f.advance(Millis{200});
  f.advance(Millis{200});
  CHECK(f.script.last(item_key(1)).worker == "quick");
  CHECK(f.state().steps[0].in_doubt.empty());
  f.script.release(item_key(0));
  CHECK(f.finish().status == ChainStatus::succeeded);
  CHECK(f.script.executions.size() == 2);
}

TEST_CASE("a worker that gives work back is not given it again by the ticket that it came with") {
  Fixture f{{.workers = {{.id = "leaving", .slots = 1}, {.id = "staying", .slots = 1}}}};
  f.script.on("c/a", 1, held());
  f.submit(pin(composite({step("a")})));
  f.run();
  const auto had = f.script.last("c/a").worker;
  f.script.otherwise = [](const auto&) { return answer("{}"); };
  f.script.on("c/a", 1, answer("{}"));
  f.tell_dispatcher(actors::NodeControl{WorkerId{had}, actors::NodeVerb::cordon});
  f.run();
  f.script.release("c/a", failure(Code::given_back));
  CHECK(f.finish().status == ChainStatus::succeeded);
  CHECK(f.script.last("c/a").worker != had);
  CHECK(f.script.last("c/a").attempt == 1);
}

// ---- how much goes out at a time ---------------------------------------------------------------------------------------

std::map<std::string, std::uint32_t> largest_orders(const Fixture& f, GrantId from) {
  std::map<std::string, std::uint32_t> largest;
  for (const auto& event : f.history()) {
    const auto* granted = std::get_if<engine::Granted>(&event);
    if (granted == nullptr || granted->grant < from) continue;
    auto& most = largest[granted->worker.value];
    most = std::max(most, granted->items.size());
  }
  return largest;
}

TEST_CASE("a slow worker gets smaller orders than a quick one") {
  Fixture f{{.workers = {{.id = "slow", .slots = 2}, {.id = "quick", .slots = 2}}}};
  f.script.took_us = [](const std::string& worker) { return worker == "slow" ? 10'000 : 100; };
  f.script.otherwise = [](const auto&) { return late(Millis{1}, answer("{}")); };
  CHECK(f.complete(fan_out_with_tool(numbers(3000))).status == ChainStatus::succeeded);
  constexpr GrantId kLearnt = 20;
  const auto largest = largest_orders(f, kLearnt);
  REQUIRE(largest.size() == 2);
  CHECK(largest.at("slow") <= 2);
  CHECK(largest.at("quick") >= 50);
}

TEST_CASE("an order carries no more bytes than its bound, and what it had no room for is free again") {
  Fixture f{{.settings = {.order_bytes_max = 1000}}};
  auto list = Json::array();
  for (int n = 0; n < 200; ++n) list.push_back(std::string(400, 'x'));
  CHECK(f.complete(fan_out_with_tool(list.dump())).status == ChainStatus::succeeded);
  CHECK(f.script.executions.size() == 200);
  CHECK(f.script.largest_order_bytes < 1500);
  CHECK(largest_orders(f, 20).at("w1") <= 3);
  for (const auto& execution : f.script.executions) REQUIRE(execution.attempt == 1);
}

TEST_CASE("an item larger than the bound of an order goes out alone") {
  Fixture f{{.settings = {.order_bytes_max = 100}}};
  auto list = Json::array();
  for (int n = 0; n < 40; ++n) list.push_back(std::string(400, 'x'));
  CHECK(f.complete(fan_out_with_tool(list.dump())).status == ChainStatus::succeeded);
  CHECK(f.script.largest_order_bytes < 500);
  CHECK(f.script.executions.size() == 40);
}

TEST_CASE("a plain step that waits behind a long one is done by a worker that has nothing to do") {
  Fixture f{{.workers = {{.id = "slow", .slots = 1}}}};
  f.script.begun = [](const std::string& one) { return one == "d/a"; };
  f.script.otherwise = [](const auto&) { return held(); };
  f.submit(pin(composite({step("a")})), "d");
  f.run();
  f.submit(pin(composite({step("a")})), "c");
  f.run();
  REQUIRE(f.script.last("c/a").worker == "slow");
  f.script.otherwise = [](const auto& attempt) { return answer(attempt.arguments); };
  f.add_worker({.id = "quick", .slots = 1});
  f.run();
  f.advance(Millis{60});
  CHECK(f.finish("c").status == ChainStatus::succeeded);
  CHECK(f.script.last("c/a").worker == "quick");
  CHECK(f.script.last("c/a").attempt == 1);
  CHECK_FALSE(f.has_ended("d"));
}

}  // namespace
}  // namespace catena::coordinator::test
