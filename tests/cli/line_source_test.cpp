#include "cli/line_source.hpp"

#include <catch2/catch.hpp>

#include "tests/system/process.hpp"

namespace catena::cli::test {
namespace {

using system_test::Folder;

std::vector<SourceLine> lines_in(const std::string& text, std::size_t most) {
  const Folder folder;
  auto source = LineSource::open(folder.write("lines", text).string(), most);
  REQUIRE(source);
  std::vector<SourceLine> lines;
  while (!source->over()) {
    auto line = source->next();
    REQUIRE(line);
    if (*line) lines.push_back(std::move(**line));
  }
  return lines;
}

}  // namespace

TEST_CASE("lines come with their numbers, the last one also without its end") {
  const auto lines = lines_in("a\n\nbc\nd", 2);
  REQUIRE(lines.size() == 4);
  CHECK(lines[0].text == "a");
  CHECK(lines[1].text.empty());
  CHECK(lines[2].text == "bc");
  CHECK(lines[3].text == "d");
  CHECK(lines[3].number == 4);
  CHECK(lines_in("", 2).empty());
  CHECK(lines_in("a\n", 2).size() == 1);
}

TEST_CASE("a line that is too long is told and not kept, and the next one is read") {
  for (const std::size_t length : {3UL, 65'536UL, 65'537UL, 300'000UL}) {
    INFO(length);
    const auto lines = lines_in("ab\n" + std::string(length, 'x') + "\ncd\n" + std::string(length, 'y'), 2);
    REQUIRE(lines.size() == 4);
    CHECK_FALSE(lines[0].too_long);
    CHECK(lines[1].too_long);
    CHECK(lines[1].text.empty());
    CHECK(lines[2].text == "cd");
    CHECK(lines[2].number == 3);
    CHECK(lines[3].too_long);
  }
}

TEST_CASE("a file that is not there cannot be read") {
  const auto source = LineSource::open("/nothing/is/here", 2);
  REQUIRE_FALSE(source);
  CHECK(source.error().code == Code::file_unreadable);
}

}  // namespace catena::cli::test
