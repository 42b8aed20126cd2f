// How fast a chain gets on, in virtual time.
#include "cli/show/progress.hpp"

#include <catch2/catch.hpp>

namespace catena::cli::test {
namespace {

std::deque<Sample> every_second(std::initializer_list<std::uint64_t> items) {
  std::deque<Sample> samples;
  UnixMillis at = 0;
  for (const auto settled : items) {
    samples.push_back({at, settled});
    at += 1'000;
  }
  return samples;
}

}  // namespace

TEST_CASE("nothing is said of what is left before something has settled, or when nothing is left") {
  CHECK_FALSE(pace_of({}, 10));
  CHECK_FALSE(pace_of(every_second({5}), 10));
  CHECK_FALSE(pace_of(every_second({5, 5, 5}), 10));
  CHECK_FALSE(pace_of(every_second({5, 10}), 0));
}

TEST_CASE("the range of what is left is narrow at a steady pace of many items, and wide where they are few or the pace changes") {
  const auto steady = pace_of(every_second({0, 1'000, 2'000, 3'000, 4'000, 5'000, 6'000, 7'000, 8'000}), 60'000);
  REQUIRE(steady);
  CHECK(steady->per_second == Approx(1'000));
  CHECK(left_text(*steady) == "1m 0s left (59s to 1m 2s)");
  const auto few = pace_of(every_second({0, 1, 2, 3, 4}), 60);
  REQUIRE(few);
  CHECK(left_text(*few) == "1m 0s left (34s to 5m 0s)");
  const auto changing = pace_of(every_second({0, 100, 2'000, 2'100, 4'000, 4'100, 6'000, 6'100, 8'000}), 60'000);
  REQUIRE(changing);
  CHECK(changing->left == steady->left);
  CHECK(changing->left_most - changing->left_least > Millis{60'000});
  const auto almost = pace_of(every_second({0, 1'000, 2'000}), 1);
  REQUIRE(almost);
  CHECK(left_text(*almost) == "1s left");
}

TEST_CASE("the progress line is empty before there are numbers, and has no items where there are none") {
  ProgressMeter meter{1'000};
  CHECK(meter.line(2'000, 80).empty());
  meter.take({.steps_settled = 2, .steps_total = 5}, 2'000);
  CHECK(meter.line(4'500, 80) == "2/5 steps · 3.5s");
}

TEST_CASE("the progress line tells the pace and what is left of it") {
  ProgressMeter meter{0};
  const ProgressCounts counts{.steps_settled = 2, .steps_total = 5, .fan_outs = {{"resize", 0, 1000}}};
  meter.take(counts, 0);
  CHECK(meter.line(0, 80) == "2/5 steps · resize 0/1000 items · 0.0s");
  auto later = counts;
  later.fan_outs[0].settled = 120;
  meter.take(later, 3'000);
  CHECK(meter.line(3'000, 80) == "2/5 steps · resize 120/1000 items · 40/s · 22s left (20s to 26s) · 3.0s");
  later.fan_outs[0].settled = 1000;
  meter.take(later, 10'000);
  CHECK(meter.line(10'000, 80) == "2/5 steps · resize 1000/1000 items · 10s");
}

TEST_CASE("each fan-out counts by itself, and so do child chains") {
  ProgressMeter meter{0};
  meter.take({.steps_total = 3, .fan_outs = {{"resize", 0, 100}, {"score", 0, 10}}}, 0);
  meter.take({.steps_total = 3, .fan_outs = {{"resize", 20, 100}, {"score", 0, 10}}, .family = "2 child chains: 2 running"}, 1'000);
  CHECK(meter.line(1'000, 200) ==
        "0/3 steps · resize 20/100 items · 20/s · 4s left (3s to 7s) · score 0/10 items · 2 child chains: 2 running · 1.0s");
  meter.take({.steps_settled = 1, .steps_total = 3, .fan_outs = {{"score", 5, 10}}}, 2'000);
  CHECK(meter.line(2'000, 200) == "1/3 steps · score 5/10 items · 2.5/s · 2s left (2s to 8s) · 2.0s");
}

TEST_CASE("the pace is that of the last seconds") {
  ProgressMeter meter{0};
  ProgressCounts counts{.steps_total = 1, .fan_outs = {{"x", 0, 10'000}}};
  for (UnixMillis now = 0; now <= 100'000; now += 1'000) {
    counts.fan_outs[0].settled += now <= 80'000 ? 100 : 1;
    meter.take(counts, now);
  }
  CHECK(meter.line(100'000, 200).find(" 1.0/s ") != std::string::npos);
}

TEST_CASE("a loop that enters a fan-out again has no pace below nothing") {
  ProgressMeter meter{0};
  meter.take({.steps_total = 1, .fan_outs = {{"x", 90, 100}}}, 0);
  meter.take({.steps_total = 1, .fan_outs = {{"x", 10, 100}}}, 1'000);
  CHECK(meter.line(1'000, 80) == "0/1 steps · x 10/100 items · 1.0s");
}

TEST_CASE("the progress line fits the terminal") {
  ProgressMeter meter{0};
  meter.take({.steps_total = 1, .fan_outs = {{std::string(200, 'x'), 0, 100}}}, 0);
  CHECK(meter.line(0, 20) == "0/1 steps · xxxxxxx…");
}

}  // namespace catena::cli::test
