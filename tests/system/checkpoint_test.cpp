// A tool that is killed at random goes on from its checkpoints: at most what it did since the last one is done twice.
#include <fmt/format.h>

#include <cstdint>

#include "tests/system/scene.hpp"

namespace system_test {
namespace {

constexpr int kRows = 100'000;
constexpr int kInterval = 1'000;

/// Writes down each row that it works on; a checkpoint every thousand. Says in a file which process it is.
const std::string kRowsTool = R"(#!/bin/sh
echo $$ >"$2.new" && mv "$2.new" "$2"
row=${CATENA_RESUME_FROM:-0}
while [ "$row" -lt 100000 ]; do
  end=$((row + 1000))
  while [ "$row" -lt "$end" ]; do
    row=$((row + 1))
    echo "$row"
  done >>"$1"
  echo "{\"method\":\"checkpoint\",\"params\":{\"state\":$row}}" >&3
done
echo "{\"rows\":$row}"
)";

class Rows {
 public:
  Rows() : rows_{folder_ / "rows"}, pid_{folder_ / "pid"} {
    std::ofstream{rows_}.flush();
    const auto tool = folder_.write("rows.sh", kRowsTool, true);
    const Json definition{{"system_event_endpoint", fmt::format("exec:{} {} {}", tool.string(), rows_.string(), pid_.string())},
                          {"retry", {{"max_attempts", 1'000}, {"initial_interval", "1ms"}, {"jitter", 0}}},
                          {"responses", Json::array({{{"name", "rows"}, {"type_name", "integer"}, {"required", true}}})}};
    definition_ = folder_.write("rows.tool", definition.dump());
  }
  [[nodiscard]] Process run() const {
    return Process{{CATENA_BINARY, "run", definition_.string(), "--id", "work", "--data-dir", (folder_ / "data").string(), "-o", "json"},
                   folder_ / "out",
                   folder_ / "error"};
  }
  [[nodiscard]] Process resume() const {
    return Process{{CATENA_BINARY, "resume", "work", "--data-dir", (folder_ / "data").string(), "-o", "json"}, folder_ / "out", folder_ / "error"};
  }
  [[nodiscard]] std::uintmax_t bytes() const { return fs::file_size(rows_); }
  [[nodiscard]] pid_t tool() const { return std::stoi("0" + read_text(pid_)); }
  [[nodiscard]] const fs::path& file() const { return rows_; }
  [[nodiscard]] std::string errors() const { return read_text(folder_ / "error"); }
  [[nodiscard]] Json answer() const { return Json::parse(read_text(folder_ / "out")); }
  /// How often rows were worked on once more; each has been at least once.
  [[nodiscard]] int again() const {
    std::vector<int> times(kRows + 1, 0);
    int lines = 0;
    std::ifstream in{rows_};
    for (int row = 0; in >> row;) {
      REQUIRE((row >= 1 && row <= kRows));
      ++times[static_cast<std::size_t>(row)];
      ++lines;
    }
    CHECK(std::count(times.begin() + 1, times.end(), 0) == 0);
    return lines - kRows;
  }

 private:
  Folder folder_;
  fs::path rows_, pid_, definition_;
};

}  // namespace

TEST_CASE("a tool that is killed at random and checkpoints every 1,000 rows does at most one interval twice a kill") {
  std::mt19937 random{7};
  const Rows rows;
  auto process = rows.run();
  int kills = 0;
  pid_t killed = 0;
  while (!process.ended()) {
    const auto until = rows.bytes() + 1 + random() % 60'000;
    const bool more = wait_for_writes(rows.file(), process, [&] { return rows.bytes() >= until && rows.tool() != killed; });
    if (!more) break;
    killed = rows.tool();
    // its number is its own until catena has reaped it, and then another's at the earliest when all numbers have been used
    if (::kill(killed, SIGKILL) == 0) ++kills;
  }
  const auto code = process.wait();
  INFO(rows.errors());
  REQUIRE(code == 0);
  CHECK(rows.answer()["response"]["rows"] == kRows);
  CHECK(kills > 3);
  CHECK(rows.again() <= kills * kInterval);
}

TEST_CASE("a tool that ends with all of catena goes on from a checkpoint, and does every row") {
  std::mt19937 random{11};
  const Rows rows;
  int kills = 0;
  for (;;) {
    auto process = kills == 0 ? rows.run() : rows.resume();
    const auto until = rows.bytes() + 1 + random() % 150'000;
    if (wait_for_writes(rows.file(), process, [&] { return rows.bytes() >= until; })) {
      process.kill(SIGKILL);
      ++kills;
    }
    const auto code = process.wait();
    if (code == 0) break;
    INFO(rows.errors());
    REQUIRE(code == -SIGKILL);
    REQUIRE(kills < 100);
  }
  CHECK(rows.answer()["response"]["rows"] == kRows);
  static_cast<void>(rows.again());
}

}  // namespace system_test
