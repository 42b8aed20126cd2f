// Segments of what attempts printed as lines.
#include "cli/show/log_lines.hpp"

#include <catch2/catch.hpp>

namespace catena::cli::test {
namespace {

coordinator::LogRow log_row_of(ItemIndex item, std::uint64_t offset, std::string text) {
  coordinator::LogRow row;
  row.step = "crawl";
  row.visit = 1;
  row.item = item;
  row.offset = offset;
  row.at = 1'700'000'000'000;
  row.text = std::move(text);
  return row;
}

std::vector<std::string> lines_of(const std::vector<coordinator::LogRow>& rows) {
  std::vector<std::string> texts;
  LogLines lines{[&](const LogLine& line) { texts.push_back(text_of(line)); }};
  for (const auto& row : rows) lines.take(row);
  lines.end();
  return texts;
}

}  // namespace

TEST_CASE("lines of a log are put together over segments, each attempt by itself") {
  CHECK(lines_of({log_row_of(1, 0, "one\ntw"), log_row_of(2, 0, "other\n"), log_row_of(1, 6, "o\nthree")}) ==
        std::vector<std::string>{"crawl/1#1: one", "crawl/2#1: other", "crawl/1#1: two", "crawl/1#1: three"});
}

TEST_CASE("a log says how much of it is not kept, where that was") {
  CHECK(lines_of({log_row_of(1, 0, "one\ntw"), log_row_of(1, 1006, "last\n")}) ==
        std::vector<std::string>{"crawl/1#1: one", "crawl/1#1: tw", "crawl/1#1: ... 1000 bytes are not kept", "crawl/1#1: last"});
  CHECK(lines_of({log_row_of(1, 500, "x\n")}) == std::vector<std::string>{"crawl/1#1: ... 500 bytes are not kept", "crawl/1#1: x"});
}

TEST_CASE("an attempt is named by step, visit, item and number, and stdout is called that") {
  auto row = log_row_of(12, 0, "");
  CHECK(attempt_name(row) == "crawl/12#1");
  row.item.reset();
  row.visit = 2;
  row.attempt = 3;
  row.stream = actors::LogStream::standard_output;
  CHECK(attempt_name(row) == "crawl@2#3");
  CHECK(text_of({row, "text"}) == "crawl@2#3 stdout: text");
  CHECK(to_json(LogLine{row, "text"}) ==
        Json{{"step", "crawl"}, {"visit", 2}, {"attempt", 3}, {"stream", "stdout"}, {"time", "2023-11-14T22:13:20.000Z"}, {"line", "text"}});
  CHECK(to_json(LogLine{row, {}, 9})["cut"] == 9);
}

}  // namespace catena::cli::test
