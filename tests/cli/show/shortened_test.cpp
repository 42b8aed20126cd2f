// A response on a terminal that is smaller.
#include "cli/show/shortened.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "base/unicode.hpp"

namespace catena::cli::test {
namespace {

using ShortLines = std::vector<std::string>;
constexpr Style kShortStyle{.color = false, .symbols = true};

}  // namespace

TEST_CASE("a response that fits is JSON as it is piped") {
  const auto shown = shortened_json(R"({"b":1,"a":[1,{}]})", 40, 20, kShortStyle);
  CHECK(shown.whole);
  CHECK(shown.lines == ShortLines{"{", "  \"b\": 1,", "  \"a\": [", "    1,", "    {}", "  ]", "}"});
}

TEST_CASE("a response that does not fit is folded from the inside, and its texts are lines") {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (int row = 0; row < 30; ++row) rows.push_back({{"word", "w"}, {"count", row}});
  const nlohmann::ordered_json value{{"rows", rows}, {"report", "two\nlines\n"}, {"total", 30}};
  const auto shown = shortened_json(value.dump(), 40, 12, kShortStyle);
  CHECK_FALSE(shown.whole);
  CHECK(shown.lines == ShortLines{"{", "  \"rows\": [", "    {… 2 members},", "    {… 2 members},", "    {… 2 members},", "    … 27 more", "  ],",
                                  "  \"report\": |", "    two", "    lines", "  \"total\": 30", "}"});
}

TEST_CASE("a response is no wider and no higher than the room, whatever it holds") {
  nlohmann::ordered_json many = nlohmann::ordered_json::object();
  std::string tall = "\n\x1b[2J";
  for (int line = 0; line < 30; ++line) tall += "line after line after line after line after line\n";
  for (int member = 0; member < 200; ++member) many["member" + std::to_string(member)] = tall;
  for (const auto& text :
       {many.dump(), nlohmann::ordered_json(std::string(9'000, 'y')).dump(), nlohmann::ordered_json(std::vector<int>(5'000, 1)).dump()}) {
    const auto shown = shortened_json(text, 40, 12, kShortStyle);
    CHECK_FALSE(shown.whole);
    CHECK(shown.lines.size() <= 12);
    for (const auto& line : shown.lines) {
      CHECK(display_width(line) <= 40);
      CHECK(line.find('\x1b') == std::string::npos);
    }
  }
}

}  // namespace catena::cli::test
