#include "engine/items.hpp"

#include <catch2/catch.hpp>

#include "tests/engine/builder.hpp"

namespace catena::engine::test {
namespace {

using enum lang::Join;

VisitState running_fan_out(std::uint32_t width, const IndexSet& ok = {}, const IndexSet& bad = {}) {
  VisitState visit;
  visit.visit = 1;
  visit.status = VisitStatus::running;
  visit.fan_out = true;
  visit.width = width;
  visit.ok = IndexBits{width};
  visit.bad = IndexBits{width};
  ok.for_each([&](ItemIndex item) { visit.ok.set(item); });
  bad.for_each([&](ItemIndex item) { visit.bad.set(item); });
  return visit;
}

IndexSet first(std::uint32_t count, std::uint32_t from = 0) { return IndexSet::range(from, from + count); }

}  // namespace

TEST_CASE("a plain step is an item that must succeed") {
  const auto step = S{"a"}.step;
  CHECK(verdict_of(step, running_fan_out(1)) == Verdict::open);
  CHECK(verdict_of(step, running_fan_out(1, first(1))) == Verdict::completed);
  CHECK(verdict_of(step, running_fan_out(1, {}, first(1))) == Verdict::failed);
}

TEST_CASE("no items complete whatever the join asks for") {
  for (const auto join : {all, any, first_success, count}) {
    CHECK(verdict_of(S{"a"}.each(join, 3).step, running_fan_out(0)) == Verdict::completed);
  }
}

TEST_CASE("join all waits for every item and fails at the first beyond what is tolerated") {
  const auto step = S{"a"}.each().tolerate(1).step;
  CHECK(verdict_of(step, running_fan_out(3, first(2))) == Verdict::open);
  CHECK(verdict_of(step, running_fan_out(3, first(1), first(1, 1))) == Verdict::open);
  CHECK(verdict_of(step, running_fan_out(3, first(2), first(1, 2))) == Verdict::completed);
  CHECK(verdict_of(step, running_fan_out(3, {}, first(2))) == Verdict::failed);
}

TEST_CASE("join any takes the first item that settles") {
  const auto step = S{"a"}.each(any).step;
  CHECK(verdict_of(step, running_fan_out(3)) == Verdict::open);
  CHECK(verdict_of(step, running_fan_out(3, first(1))) == Verdict::completed);
  CHECK(verdict_of(step, running_fan_out(3, {}, first(1))) == Verdict::failed);
  CHECK(verdict_of(S{"a"}.each(any).tolerate(1).step, running_fan_out(3, {}, first(1))) == Verdict::completed);
}

TEST_CASE("join first_success fails only when every item has failed") {
  const auto step = S{"a"}.each(first_success).step;
  CHECK(verdict_of(step, running_fan_out(3, {}, first(2))) == Verdict::open);
  CHECK(verdict_of(step, running_fan_out(3, first(1, 2), first(2))) == Verdict::completed);
  CHECK(verdict_of(step, running_fan_out(3, {}, first(3))) == Verdict::failed);
}

TEST_CASE("join count fails as soon as it cannot be reached, and asks for no more items than there are") {
  const auto step = S{"a"}.each(count, 2).step;
  CHECK(verdict_of(step, running_fan_out(3, first(1), first(1, 1))) == Verdict::open);
  CHECK(verdict_of(step, running_fan_out(3, first(2))) == Verdict::completed);
  CHECK(verdict_of(step, running_fan_out(3, {}, first(2))) == Verdict::failed);
  CHECK(verdict_of(S{"a"}.each(count, 9).step, running_fan_out(2, first(2))) == Verdict::completed);
  CHECK(verdict_of(S{"a"}.each(count, 0).step, running_fan_out(2)) == Verdict::completed);
}

namespace {

VisitState of_width(std::uint32_t width) {
  VisitState visit;
  visit.width = width;
  return visit;
}

}  // namespace

TEST_CASE("a person's terms take the place of the definition's") {
  const auto step = S{"a"}.each().window(2).tolerate(1).attempts(3).step;
  auto visit = running_fan_out(10);
  CHECK(grantable(step, visit) == 2);
  CHECK(tolerated(step, visit) == 1);
  CHECK(retry_of(step, visit).max_attempts == 3);
  visit.terms.emplace();
  CHECK(grantable(step, visit) == 2);
  visit.terms->window = 5;
  visit.terms->tolerated_milli = 29'000;
  visit.terms->attempts = 7;
  CHECK(grantable(step, visit) == 5);
  CHECK(tolerated(step, visit) == 2);
  CHECK(retry_of(step, visit).max_attempts == 7);
  visit.terms->window = 0;
  visit.terms->take_over({.window = {}, .tolerated = 4, .tolerated_milli = {}, .timeout_ms = {}, .attempts = {}});
  CHECK(grantable(step, visit) == 10);
  CHECK(tolerated(step, visit) == 4);
  CHECK_FALSE(visit.terms->tolerated_milli);
  CHECK(grantable(S{"a"}.each().carries().step, visit) == 1);
}

TEST_CASE("how many may fail is read as a person writes it, and said the same way") {
  Terms terms;
  for (const auto* text : {"5%", "0.5%", "100%", "0%"}) {
    REQUIRE(put_tolerance(terms, text));
    CHECK(words(terms) == std::string{"tolerates "} + text + " failed items");
  }
  REQUIRE(put_tolerance(terms, "12"));
  CHECK(terms == Terms{{}, 12, {}, {}, {}});
  for (const auto* text : {"", "%", "-1", "101%", "five", "5 %", "1e3x", "nan%"}) CHECK_FALSE(put_tolerance(terms, text));
  CHECK(words({.window = 3, .tolerated = {}, .tolerated_milli = {}, .timeout_ms = 120'000, .attempts = 5}, -2) ==
        "priority -2, max_concurrency 3, timeout 2m, 5 attempts");
}

TEST_CASE("a tolerated percentage rounds down and the larger allowance counts") {
  const auto step = S{"a"}.each().tolerate_percentage(33.4).step;
  CHECK(tolerated(step, of_width(2)) == 0);
  CHECK(tolerated(step, of_width(3)) == 1);
  CHECK(tolerated(step, of_width(10)) == 3);
  CHECK(tolerated(S{"a"}.each().tolerate(5).tolerate_percentage(10).step, of_width(20)) == 5);
  CHECK(tolerated(S{"a"}.each().tolerate(1).tolerate_percentage(50).step, of_width(20)) == 10);
  CHECK(tolerated(S{"a"}.each().tolerate_percentage(100).step, of_width(7)) == 7);
  CHECK(tolerated(S{"a"}.each().tolerate_percentage(29).step, of_width(100)) == 29);
  CHECK(tolerated(S{"a"}.step, of_width(1)) == 0);
}

TEST_CASE("items to be tried again go first, then the next in order") {
  auto visit = running_fan_out(10);
  visit.next = 6;
  visit.again = IndexSet::one(1);
  visit.again.insert(4);
  const auto picked = pick(S{"a"}.each().step, visit, 4);
  CHECK(to_json(picked) == Json::parse("[[1,2],[4,5],[6,8]]"));
  CHECK(to_json(pick(S{"a"}.each().step, visit, 1)) == Json::parse("[[1,2]]"));
  CHECK(pick(S{"a"}.each().step, visit, 0).empty());
  CHECK(pick(S{"a"}.each().step, visit, 100).size() == 6);
}

TEST_CASE("no more items are granted than the window has room for") {
  auto visit = running_fan_out(10);
  const auto step = S{"a"}.each().window(3).step;
  CHECK(grantable(step, visit) == 3);
  visit.in_flight = 2;
  CHECK(grantable(step, visit) == 1);
  visit.in_flight = 3;
  CHECK(grantable(step, visit) == 0);
}

TEST_CASE("nothing is granted once the outcome is known or the visit is over") {
  auto visit = running_fan_out(5, first(1));
  visit.next = 1;
  CHECK(grantable(S{"a"}.each(first_success).step, visit) == 0);
  CHECK(grantable(S{"a"}.each().step, visit) == 4);
  visit.status = VisitStatus::cancelled;
  CHECK(grantable(S{"a"}.each().step, visit) == 0);
}

TEST_CASE("what falls due first is the earlier of the deadline and the next retry") {
  auto visit = running_fan_out(3);
  CHECK(earliest_due(visit) == 0);
  visit.deadline_at = 500;
  CHECK(earliest_due(visit) == 500);
  visit.waiting = {{700, 0}, {400, 2}};
  CHECK(earliest_due(visit) == 400);
  visit.deadline_at = 0;
  CHECK(earliest_due(visit) == 400);
}

}  // namespace catena::engine::test
