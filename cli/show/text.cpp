#include "cli/show/text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/unicode.hpp"

namespace catena::cli {
namespace {

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

/// Where the words of a line begin that are to stay below each other.
std::size_t hanging_indent(std::string_view line) {
  const auto begin = std::min(line.find_first_not_of(' '), line.size());
  const auto gap = line.find("  ", begin);
  if (gap == std::string_view::npos || begin == 0) return begin;
  return std::min(line.find_first_not_of(' ', gap), line.size());
}

void wrap_line(std::string_view line, std::size_t width, std::string& text) {
  auto indent = hanging_indent(line);
  if (indent > width / 2) indent = std::min<std::size_t>(4, width / 2);
  bool first = true;
  while (true) {
    const auto room = first ? width : width - indent;
    if (!first) text.append(indent, ' ');
    first = false;
    const auto fits = fitting(line, room).size();
    auto end = fits == line.size() ? fits : line.rfind(' ', fits);
    // a word that is longer than the room is broken
    if (end == std::string_view::npos || line.find_first_not_of(' ') >= end) end = std::max<std::size_t>(fits, 1);
    text += line.substr(0, line.find_last_not_of(' ', end == 0 ? 0 : end - 1) + 1);
    text += '\n';
    line.remove_prefix(std::min(line.find_first_not_of(' ', end), line.size()));
    if (line.empty()) return;
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

std::string age_text(UnixMillis age) {
  const auto seconds = age / 1000;
  if (seconds < 1) return "just now";
  if (seconds < 60) return fmt::format("{}s ago", seconds);
  if (seconds < 3600) return fmt::format("{}m ago", seconds / 60);
  if (seconds < 86'400) return fmt::format("{}h ago", seconds / 3600);
  return fmt::format("{}d ago", seconds / 86'400);
}

std::string cut(std::string_view text, std::size_t width, const Style& style) {
  if (display_width(text) <= width) return std::string{text};
  const auto dots = ellipsis(style);
  const auto taken = display_width(dots);
  if (width <= taken) return width < taken ? std::string(width, '.') : std::string{dots};
  return std::string{fitting(text, width - taken)} + std::string{dots};
}

std::string cut_middle(std::string_view text, std::size_t width, const Style& style) {
  const auto dots = ellipsis(style);
  const auto taken = display_width(dots);
  if (display_width(text) <= width || width < taken + 2) return cut(text, width, style);
  const auto end = (width - taken) * 2 / 3;  // more of the end
  const auto begin = fitting(text, width - taken - end);
  auto rest = text.substr(begin.size());
  while (display_width(rest) > end) rest.remove_prefix(std::max<std::size_t>(fitting(rest, 1).size(), first_character(rest).bytes.size()));
  return fmt::format("{}{}{}", begin, dots, rest);
}

std::string wrapped(std::string_view text, std::size_t width) {
  if (width == 0) return std::string{text};
  std::string made;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    wrap_line(text.substr(0, end), width, made);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return made;
}

std::string counted(std::uint64_t count, std::string_view noun) { return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s"); }

std::string label_words(const ChainLabels& labels) {
  std::string words;
  for (const auto& [key, value] : labels) words += fmt::format("{}{}={}", words.empty() ? "" : " ", key, value);
  return words;
}

}  // namespace catena::cli
