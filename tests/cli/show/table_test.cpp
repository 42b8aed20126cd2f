// Tables and the room they have.
#include "cli/show/table.hpp"

#include <catch2/catch.hpp>

#include "base/unicode.hpp"
#include "cli/show/text.hpp"

namespace catena::cli::test {
namespace {

constexpr Style kTableStyle{.color = false, .symbols = true};

}  // namespace

TEST_CASE("a table is as wide as its cells, without spaces at the ends of lines") {
  const std::vector<Column> columns{{.title = "ID"}, {.title = "N"}};
  CHECK(table(columns, {}, {}).empty());
  CHECK(table(columns, {{"日本", "1"}, {"abc", "2"}}, {}) == "ID    N\n日本  1\nabc   2\n");
  CHECK(table(columns, {{"1", "a"}, {"größe", ""}}, {}) == "ID     N\n1      a\ngröße\n");
  CHECK(table_lines({{}, {}}, {{"a", "b"}}, {}) == std::vector<std::string>{"a  b"});
}

TEST_CASE("a table that is wider than the terminal cuts the cells that may be cut") {
  const std::vector<Column> columns{{.title = "NAME"}, {.title = "TEXT", .shortens = true}};
  const std::vector<Cells> rows{{"n", std::string(40, 'x')}};
  CHECK(table(columns, rows, {}) == "NAME  TEXT\nn     " + std::string(40, 'x') + "\n");
  CHECK(table(columns, rows, {.columns = 30, .style = kTableStyle}) == "NAME  TEXT\nn     " + std::string(23, 'x') + "…\n");
  CHECK(table(columns, rows, {.columns = 30}) == "NAME  TEXT\nn     " + std::string(21, 'x') + "...\n");
  CHECK(table(columns, rows, {.columns = 30, .wide = true}) == table(columns, rows, {}));
}

TEST_CASE("columns leave a narrow table in the order that they name, and no line is wider than the terminal") {
  const std::vector<Column> columns{{.title = "ID", .shortens = true},
                                    {.title = "FIRST", .leaves = 2},
                                    {.title = "SECOND", .leaves = 1},
                                    {.title = "STAYS"},
                                    {.title = "EXTRA", .only_wide = true}};
  const std::vector<Cells> rows{{std::string(30, 'i'), "1111111111", "2222222222", "333", "4"}};
  const auto at = [&](std::size_t width) { return table_lines(columns, rows, {.columns = width, .style = kTableStyle}).front(); };
  CHECK(at(80) == "ID                              FIRST       SECOND      STAYS");
  CHECK(at(40) == "ID                     SECOND      STAYS");
  CHECK(at(24) == "ID                 STAYS");
  CHECK(table_lines(columns, rows, {.columns = 80, .wide = true}).front().ends_with("STAYS  EXTRA"));
  for (std::size_t width = 4; width < 80; ++width) {
    for (const auto& line : table_lines(columns, rows, {.columns = std::max<std::size_t>(width, 12), .style = kTableStyle}))
      CHECK(display_width(line) <= std::max<std::size_t>(width, 12));
  }
}

TEST_CASE("what tools say does not steer the terminal from a table, and colours take no room") {
  const std::vector<Column> columns{{.title = "STATUS", .shade = shade_of_status}, {.title = "WHY"}};
  CHECK(table(columns, {{"failed", "a\x1b[2Jb\nc"}}, {}) == "STATUS  WHY\nfailed  a\\x1b[2Jb\\x0ac\n");
  CHECK(table(columns, {{"failed", "w"}, {"running", ""}}, {.style = {.color = true}}) ==
        "\x1b[1mSTATUS\x1b[0m   \x1b[1mWHY\x1b[0m\n\x1b[31mfailed\x1b[0m   w\n\x1b[33mrunning\x1b[0m\n");
}

TEST_CASE("what a reader sees as one character is cut as one") {
  CHECK(cut("日本語", 4) == "日…");
  CHECK(cut("日本語", 5) == "日本…");
  CHECK(cut("e\u0301e\u0301e\u0301", 2) == "e\u0301…");
  CHECK(cut("👩\u200d🚀👩\u200d🚀", 4) == "…");  // as wide as terminals that do not join them show them
  CHECK(cut("👩\u200d🚀👩\u200d🚀", 5) == "👩\u200d🚀…");
  CHECK(cut_middle("morning/each/12", 10) == "mor…ach/12");
  CHECK(cut_middle("日本語日本語日本語", 10) == "日…日本語");
  CHECK(cut_middle("morning", 7) == "morning");
  CHECK(cut("abcdef", 5, {}) == "ab...");
  CHECK(cut("abcdef", 2, {}) == "..");
}

}  // namespace catena::cli::test
