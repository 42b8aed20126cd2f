// docs/pictures/run.svg, which README shows, is what this test makes: the screens of `catena run examples/slow/slow.tool` on a terminal, in virtual
// time.
//   CATENA_SCREENS_WRITE=1 build/release/tests/test_processes 'the picture of README*'
// writes it anew.
#include "tests/cli/picture.hpp"

#include <fstream>

#include "cli/show/live.hpp"
#include "tests/cli/scene.hpp"

namespace cli_test {
namespace {

using catena::UnixMillis;
using catena::cli::ProgressMeter;
using catena::engine::VisitStatus;

constexpr UnixMillis kStart = 1'763'708'400'000;
constexpr std::size_t kColumns = 84;
const std::string kPrompt = "\x1b[32m$\x1b[0m ";

/// Four slots, half a second an item: what the example does on a machine with two processors.
std::vector<Frame> slow_example() {
  constexpr UnixMillis kStep = 250, kItemMillis = 500;
  constexpr std::uint64_t kItems = 40, kSlots = 4;
  constexpr catena::cli::Style kStyle{.color = true, .symbols = true};
  const auto command = kPrompt + "catena run examples/slow/slow.tool --id nap";
  std::vector<Frame> frames{{{command}, 800}};
  catena::cli::LiveView view{catena::ChainId{"nap"}, {}, {}};
  view.steps = {{.id = "numbers", .status = VisitStatus::completed, .visit = 1, .entered_at = kStart, .settled_at = kStart + 3},
                {.id = "sleep", .status = VisitStatus::running, .visit = 1, .fan_out = true, .items = kItems, .entered_at = kStart + 3},
                {.id = "total"}};
  ProgressMeter meter{kStart};
  for (UnixMillis passed = 0; passed < static_cast<UnixMillis>(kItems / kSlots) * kItemMillis; passed += kStep) {
    const auto settled = static_cast<std::uint64_t>(passed / kItemMillis) * kSlots;
    meter.take({.steps_settled = 1, .steps_total = 3, .fan_outs = {{"sleep", settled, kItems}}}, kStart + passed);
    auto& frame = frames.emplace_back(Frame{{command}, kStep});
    for (auto& line : catena::cli::live_lines(view, meter, kStart + passed, {kColumns, 24, kStyle})) frame.lines.push_back(std::move(line));
  }
  frames.push_back({{command, "{", "  \"items\": 40,", "  \"slept_ms\": 20000", "}",
                     "\x1b[32m✓\x1b[0m chain nap \x1b[32msucceeded\x1b[0m in 5.0s: 3/3 steps, 40 items",
                     "  response  above, `catena show nap` prints it again", kPrompt},
                    4'000});
  return frames;
}

}  // namespace

TEST_CASE("the picture of README is what this test makes") {
  const auto file = fs::path{CATENA_SOURCE_DIR} / "docs/pictures/run.svg";
  const auto svg =
      Picture{"catena run on a terminal: a fan-out with its bar, rate and the time that is left; then its response and a summary", kColumns}.svg(
          slow_example());
  if (std::getenv("CATENA_SCREENS_WRITE") != nullptr) {
    std::ofstream{file} << svg;
    return;
  }
  INFO(file.string() << ": CATENA_SCREENS_WRITE=1 writes it anew");
  CHECK(system_test::read_text(file) == svg);
}

TEST_CASE("what the picture of README shows at its end is what the example prints") {
  const Scene scene;
  const auto ran = scene.shell("LANG=C.UTF-8 \"$@\"", {"run", std::string{CATENA_SOURCE_DIR} + "/examples/slow/slow.tool", "--id", "nap", "-v",
                                                       "--slots", "40", "--color", "always"});
  INFO(ran.error);
  const auto last = slow_example().back().lines;
  CHECK(ran.out == last[1] + "\n" + last[2] + "\n" + last[3] + "\n" + last[4] + "\n");
  CHECK(ran.says("\x1b[32m✓\x1b[0m chain nap \x1b[32msucceeded\x1b[0m in "));
  CHECK(ran.says(": 3/3 steps, 40 items\n" + last[6] + "\n"));
}

}  // namespace cli_test
