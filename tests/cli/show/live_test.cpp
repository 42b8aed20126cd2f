// What a terminal shows of a chain while it runs, in virtual time.
#include "cli/show/live.hpp"

#include <catch2/catch.hpp>

#include "base/unicode.hpp"

namespace catena::cli::test {
namespace {

using coordinator::ListedChain;
using coordinator::StepRow;
using engine::VisitStatus;
using LiveLines = std::vector<std::string>;

constexpr Style kLiveStyle{.color = false, .symbols = true};
constexpr UnixMillis kBegan = 1'000'000;

LiveView album() {
  LiveView view{ChainId{"album"}, {}, {}};
  view.steps = {
      {.id = "numbers", .status = VisitStatus::completed, .visit = 1, .entered_at = kBegan, .settled_at = kBegan + 400},
      {.id = "resize", .status = VisitStatus::running, .visit = 1, .fan_out = true, .items = 40, .ok = 9, .failed = 1, .entered_at = kBegan + 400},
      {.id = "index", .status = VisitStatus::running, .visit = 1, .entered_at = kBegan + 400},
      {.id = "nothing", .status = VisitStatus::skipped, .visit = 1, .entered_at = kBegan, .settled_at = kBegan},
      {.id = "total"}};
  view.children = {
      ListedChain{.id = ChainId{"album/index"},
                  .name = "index",
                  .status = engine::ChainStatus::running,
                  .parent = ChainId{"album"},
                  .steps = 3,
                  .steps_settled = 1},
      ListedChain{
          .id = ChainId{"album/index/words"}, .name = "words", .status = engine::ChainStatus::running, .parent = ChainId{"album/index"}, .steps = 2}};
  return view;
}

/// As after so many seconds of 5 items each.
ProgressMeter meter_after(UnixMillis seconds) {
  ProgressMeter meter{kBegan};
  for (UnixMillis second = 0; second <= seconds; ++second)
    meter.take({.steps_settled = 2,
                .steps_total = 5,
                .fan_outs = {{"resize", static_cast<std::uint64_t>(5 * second), 40}},
                .family = "2 child chains: 2 running"},
               kBegan + second * 1'000);
  return meter;
}

}  // namespace

TEST_CASE("the picture has each step with a symbol, a fan-out with its bar, and child chains below their step") {
  CHECK(live_lines(album(), meter_after(4), kBegan + 4'000, {80, 24, kLiveStyle}) ==
        LiveLines{"⠋ album · 2/5 steps · 2 child chains: 2 running · 4.0s", "  ✓ numbers  0.4s",
                  "  ⠋ resize   ██████████░░░░░░░░░░  20/40 · 1 failed · 5.0/s · 4s left (3s to 7s)", "  ⠋ index    3.6s",
                  "    ▸ index  1/3 steps  index", "      ▸ words  0/2 steps  words", "  - nothing  skipped", "  · total"});
}

TEST_CASE("the picture of a plain terminal is ASCII, and colours change no letter of it") {
  const auto plain = live_lines(album(), meter_after(4), kBegan + 4'000, {80, 24, {}});
  for (const auto& line : plain) CHECK(std::ranges::all_of(line, [](char c) { return c >= ' ' && c <= '~'; }));
  CHECK(plain[2] == "  | resize   [##########----------]  20/40, 1 failed, 5.0/s, 4s left (3s to 7s)");
  auto colored = live_lines(album(), meter_after(4), kBegan + 4'000, {80, 24, {.color = true}});
  for (auto& line : colored) {
    for (auto at = line.find('\x1b'); at != std::string::npos; at = line.find('\x1b')) line.erase(at, line.find('m', at) + 1 - at);
  }
  CHECK(colored == plain);
}

TEST_CASE("the picture is no higher and no wider than the terminal; what is done is folded first, what runs last") {
  LiveView view{ChainId{"long"}, {}, {}};
  const auto add = [&](int count, VisitStatus status, UnixMillis entered, UnixMillis settled) {
    for (int at = 0; at < count; ++at)
      view.steps.push_back(
          {.id = "step" + std::to_string(view.steps.size()), .status = status, .visit = 1, .entered_at = entered, .settled_at = settled});
  };
  add(30, VisitStatus::completed, kBegan, kBegan + 1);
  add(2, VisitStatus::failed, kBegan, kBegan + 1);
  add(4, VisitStatus::running, kBegan, 0);
  add(10, VisitStatus::blocked, 0, 0);
  const auto meter = meter_after(1);
  const auto some = live_lines(view, meter, kBegan, {60, 24, kLiveStyle});
  CHECK(some.size() == 23);
  CHECK(some[1] == "  ✓ 25 steps are done");
  CHECK(some[2] == "  ✓ step25  0.0s");
  const auto few = live_lines(view, meter, kBegan, {60, 12, kLiveStyle});
  CHECK(few.size() == 11);
  CHECK(few[1] == "  ✓ 30 steps are done");
  CHECK(few.back() == "  · step45");
  const auto least = live_lines(view, meter, kBegan, {60, 6, kLiveStyle});
  CHECK(least == LiveLines{few[0], "  ✓ 30 steps are done", "  ✗ 2 steps have failed", "  ⠋ step32  0.0s", "  … 4 more"});
  for (std::size_t width = 1; width < 60; ++width) {
    for (std::size_t height = 3; height < 40; ++height) {
      const auto lines = live_lines(view, meter, kBegan, {width, height, kLiveStyle});
      CHECK(lines.size() < height);
      CHECK(std::ranges::all_of(lines, [&](const auto& line) { return display_width(line) <= width; }));
    }
  }
}

}  // namespace catena::cli::test
