#include "cli/show/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/unicode.hpp"

namespace catena::cli {
namespace {

constexpr std::size_t kGap = 2;  // between columns
constexpr std::string_view kSpaces = "                                                                ";

void new_line(std::size_t depth, const Sink& sink) {
  sink("\n");
  for (auto left = 2 * depth; left > 0;) {
    const auto part = std::min(left, kSpaces.size());
    sink(kSpaces.substr(0, part));
    left -= part;
  }
}

/// The end of the string that begins at `at`.
std::size_t string_end(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return std::min(at + 1, text.size());
}

void add_row(std::string& out, const std::vector<std::string>& row, const std::vector<std::size_t>& widths) {
  std::string line;
  for (std::size_t column = 0; column < row.size(); ++column) {
    const auto cell = cut(row[column], widths[column]);
    line += cell;
    if (column + 1 < row.size()) line.append(widths[column] - display_width(cell) + kGap, ' ');
  }
  line.erase(line.find_last_not_of(' ') + 1);
  out += line + '\n';
}

/// Takes columns from the widest until all fit, or none has any to spare.
void fit(std::vector<std::size_t>& widths, std::size_t columns) {
  constexpr std::size_t kLeast = 8;
  const auto gaps = kGap * (widths.size() - 1);
  auto whole = std::accumulate(widths.begin(), widths.end(), gaps);
  while (whole > columns) {
    auto& widest = *std::ranges::max_element(widths);
    if (widest <= kLeast) return;
    --widest;
    --whole;
  }
}

}  // namespace

void pretty_json(std::string_view compact, const Sink& sink) {
  std::size_t depth = 0;
  std::size_t at = 0;
  while (at < compact.size()) {
    const char c = compact[at];
    const bool opens = c == '{' || c == '[';
    if (opens && at + 1 < compact.size() && (compact[at + 1] == '}' || compact[at + 1] == ']')) {
      sink(compact.substr(at, 2));
      at += 2;
    } else if (opens) {
      sink(compact.substr(at++, 1));
      new_line(++depth, sink);
    } else if (c == '}' || c == ']') {
      new_line(--depth, sink);
      sink(compact.substr(at++, 1));
    } else if (c == ',') {
      sink(",");
      new_line(depth, sink);
      ++at;
    } else if (c == ':') {
      sink(": ");
      ++at;
    } else {
      const auto end = c == '"' ? string_end(compact, at) : std::min(compact.find_first_of(",:]}", at), compact.size());
      sink(compact.substr(at, end - at));
      at = end;
    }
  }
}

std::string table(const std::vector<std::string>& header, const std::vector<std::vector<std::string>>& rows, std::size_t columns) {
  if (rows.empty()) return {};
  std::vector<std::size_t> widths(header.size());
  for (std::size_t column = 0; column < header.size(); ++column) {
    widths[column] = display_width(header[column]);
    for (const auto& row : rows) widths[column] = std::max(widths[column], display_width(row[column]));
  }
  if (columns != 0) fit(widths, columns);
  std::string out;
  add_row(out, header, widths);
  for (const auto& row : rows) add_row(out, row, widths);
  return out;
}

std::string span_text(Millis span) {
  const auto millis = std::max<std::int64_t>(span.count(), 0);
  if (millis < 10'000) return fmt::format("{}.{}s", millis / 1000, millis % 1000 / 100);
  const auto seconds = millis / 1000;
  if (seconds < 60) return fmt::format("{}s", seconds);
  if (seconds < 3600) return fmt::format("{}m {}s", seconds / 60, seconds % 60);
  if (seconds < 86'400) return fmt::format("{}h {}m", seconds / 3600, seconds % 3600 / 60);
  return fmt::format("{}d {}h", seconds / 86'400, seconds % 86'400 / 3600);
}

std::string age_text(UnixMillis age) {
  const auto seconds = age / 1000;
  if (seconds < 1) return "just now";
  if (seconds < 60) return fmt::format("{}s ago", seconds);
  if (seconds < 3600) return fmt::format("{}m ago", seconds / 60);
  if (seconds < 86'400) return fmt::format("{}h ago", seconds / 3600);
  return fmt::format("{}d ago", seconds / 86'400);
}

std::string cut(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string{text};
  return width == 0 ? std::string{} : std::string{fitting(text, width - 1)} + "…";
}

std::string counted(std::uint64_t count, std::string_view noun) { return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s"); }

}  // namespace catena::cli
