// A history as lines, with those of fan-outs folded.
#include "cli/show/history_fold.hpp"

#include <catch2/catch.hpp>

namespace catena::cli::test {
namespace {

using coordinator::HistoryEvent;

HistoryEvent of_item(std::uint64_t sequence, const std::string& kind, const std::string& step, std::uint32_t items, std::uint32_t failed = 0) {
  HistoryEvent event;
  event.sequence = sequence;
  event.at = static_cast<UnixMillis>(sequence) * 1000;
  event.text = "event " + std::to_string(sequence);
  event.kind = kind;
  event.step = step;
  event.visit = 1;
  event.fan_out = true;
  event.items = items;
  event.failed = failed;
  if (kind == "Granted") event.worker = WorkerId{"w" + std::to_string(sequence % 2)};
  if (failed > 0) event.problem = "[tool_failed] broken";
  return event;
}

std::vector<std::string> folded(const std::vector<HistoryEvent>& events) {
  std::vector<std::string> lines;
  HistoryFold fold{[&](const std::string& line) { lines.push_back(line); }};
  for (const auto& event : events) fold.take(event);
  fold.flush();
  return lines;
}

}  // namespace

TEST_CASE("events of a fan-out that follow each other are one line a step, in the order of their begins") {
  auto end = of_item(8, "VisitSettled", "each", 0);
  const auto lines = folded({of_item(1, "Granted", "each", 2), of_item(2, "Granted", "other", 1), of_item(3, "ItemsSettled", "each", 2, 1),
                             of_item(4, "AttemptsEnded", "each", 1), of_item(5, "RetryArmed", "each", 1), of_item(6, "Granted", "each", 1),
                             of_item(7, "ItemsSettled", "each", 1), end});
  REQUIRE(lines.size() == 3);
  CHECK(lines[0] ==
        "     1  1970-01-01T00:00:01.000Z  step each: 2 grants to w0, w1, 2 items responded, 1 item failed, 1 attempt ended without an outcome "
        "(6 events in 6.0s); the first: [tool_failed] broken");
  CHECK(lines[1] == "     2  1970-01-01T00:00:02.000Z  event 2");
  CHECK(lines[2] == "     8  1970-01-01T00:00:08.000Z  event 8");
}

TEST_CASE("a single event is not folded, and one of a plain step never") {
  auto plain = of_item(2, "ItemsSettled", "a", 1);
  plain.fan_out = false;
  CHECK(folded({of_item(1, "Granted", "each", 2), plain}).front() == "     1  1970-01-01T00:00:01.000Z  event 1");
  CHECK(folded({plain, plain, plain}).size() == 3);
}

}  // namespace catena::cli::test
