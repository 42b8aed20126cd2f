#pragma once
// Tables: rows and the room there is, to lines. Pure.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/show/style.hpp"

namespace catena::cli {

/// Where a cell that is too long loses letters: ids and paths say most at their ends.
enum class Cut : std::uint8_t { end, middle };

/// What becomes of a column where there is not room for all of them.
struct Column {
  std::string_view title = {};
  bool shortens = false;  // its cells may be cut
  Cut where = Cut::end;
  unsigned leaves = 0;     // 0: never; otherwise the whole column goes, that with the highest number first
  bool only_wide = false;  // it is there only in a wide table
  bool absent = false;     // it is not there
  Shade (*shade)(std::string_view cell) = nullptr;
};
using Cells = std::vector<std::string>;  // of a row

struct Room {
  std::size_t columns = 0;  // of the terminal; 0: nobody counts them, everything is written whole
  bool wide = false;        // all columns, nothing is cut
  Style style = {};
};

/// A page: tables and what is around them.
struct PageLook {
  Room room = {};
  bool ages = false;  // somebody reads it now
};

/// Columns as wide as their widest cell, two spaces between them, the last one open. No line is wider than the terminal: cells that may be cut end
/// with an ellipsis, then columns leave. Control characters are written out. Without titles there is no line for them. Rows have all columns.
[[nodiscard]] std::vector<std::string> table_lines(const std::vector<Column>& columns, const std::vector<Cells>& rows, const Room& room);
/// The same in one text; "" for no rows.
[[nodiscard]] std::string table(const std::vector<Column>& columns, const std::vector<Cells>& rows, const Room& room);

}  // namespace catena::cli
