#include "cli/show/table.hpp"

#include <algorithm>
#include <numeric>

#include "base/unicode.hpp"
#include "cli/console.hpp"
#include "cli/show/text.hpp"

namespace catena::cli {
namespace {

constexpr std::size_t kGap = 2;        // between columns
constexpr std::size_t kReadable = 16;  // what a cut cell keeps as long as a column can leave for it
constexpr std::size_t kLeast = 4;

/// A column that is there.
struct Slot {
  std::size_t index = 0;  // of the table's columns
  std::size_t width = 0;
};

std::size_t whole_width(const std::vector<Slot>& slots) {
  const auto gaps = slots.empty() ? 0 : kGap * (slots.size() - 1);
  return std::accumulate(slots.begin(), slots.end(), gaps, [](std::size_t sum, const Slot& slot) { return sum + slot.width; });
}

/// Takes from the widest of those that may give, as long as one has more than `least`. True: it is enough.
template <class MayGive>
bool shrink(std::vector<Slot>& slots, std::size_t room, std::size_t least, MayGive may_give) {
  for (auto whole = whole_width(slots); whole > room; --whole) {
    Slot* widest = nullptr;
    for (auto& slot : slots) {
      if (may_give(slot) && slot.width > least && (widest == nullptr || slot.width >= widest->width)) widest = &slot;
    }
    if (widest == nullptr) return false;
    --widest->width;
  }
  return true;
}

std::vector<Slot> fitted(std::vector<Slot> slots, const std::vector<Column>& columns, std::size_t room) {
  const auto shortens = [&](const Slot& slot) { return columns[slot.index].shortens; };
  while (true) {
    auto tried = slots;
    if (shrink(tried, room, kReadable, shortens)) return tried;
    const auto leaves = [&](const Slot& slot) { return columns[slot.index].leaves; };
    const auto first = std::ranges::max_element(slots, {}, leaves);
    if (first == slots.end() || leaves(*first) == 0) break;
    slots.erase(first);
  }
  if (!shrink(slots, room, kLeast, shortens)) static_cast<void>(shrink(slots, room, kLeast, [](const Slot&) { return true; }));
  return slots;
}

std::string line_of(const Cells& cells, const std::vector<Slot>& slots, const std::vector<Column>& columns, const Room& room, bool titles) {
  std::string line;
  std::size_t spaces = 0;
  for (const auto& slot : slots) {
    const auto cell = columns[slot.index].where == Cut::middle ? cut_middle(cells[slot.index], slot.width, room.style)
                                                               : cut(cells[slot.index], slot.width, room.style);
    if (!cell.empty()) {
      const auto shade = columns[slot.index].shade;
      line.append(spaces, ' ');
      line += painted(cell, titles ? Shade::strong : shade != nullptr ? shade(cells[slot.index]) : Shade::plain, room.style);
      spaces = 0;
    }
    spaces += slot.width - display_width(cell) + kGap;
  }
  return line;
}

}  // namespace

std::vector<std::string> table_lines(const std::vector<Column>& columns, const std::vector<Cells>& rows, const Room& room) {
  Cells titles;
  for (const auto& column : columns) titles.emplace_back(column.title);
  std::vector<Cells> cells;
  for (const auto& row : rows) {
    auto& written = cells.emplace_back();
    for (const auto& cell : row) written.push_back(printable(cell));
  }
  std::vector<Slot> slots;
  for (std::size_t index = 0; index < columns.size(); ++index) {
    if (columns[index].absent || (columns[index].only_wide && !room.wide)) continue;
    auto& slot = slots.emplace_back(Slot{index, display_width(titles[index])});
    for (const auto& row : cells) slot.width = std::max(slot.width, display_width(row[index]));
  }
  if (room.columns != 0 && !room.wide) slots = fitted(std::move(slots), columns, room.columns);
  std::vector<std::string> lines;
  if (std::ranges::any_of(titles, [](const auto& title) { return !title.empty(); })) lines.push_back(line_of(titles, slots, columns, room, true));
  for (const auto& row : cells) lines.push_back(line_of(row, slots, columns, room, false));
  return lines;
}

std::string table(const std::vector<Column>& columns, const std::vector<Cells>& rows, const Room& room) {
  std::string text;
  if (rows.empty()) return text;
  for (const auto& line : table_lines(columns, rows, room)) text += line + '\n';
  return text;
}

}  // namespace catena::cli
