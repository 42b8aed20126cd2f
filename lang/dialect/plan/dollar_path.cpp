#include "lang/dialect/plan/dollar_path.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/characters.hpp"

namespace catena::lang {
namespace {

bool is_name_char(char c) {
  // bytes of characters beyond ASCII belong to names
  return in_id(c) || is_beyond_ascii(c);
}

std::size_t name_length(std::string_view text) { return static_cast<std::size_t>(std::ranges::find_if_not(text, is_name_char) - text.begin()); }

/// [0] and the like, as its decimals; nothing else.
std::optional<DollarPath::Segment> take_index(std::string_view& rest) {
  const auto close = rest.find(']');
  if (close == std::string_view::npos || close < 2) return std::nullopt;
  const auto digits = rest.substr(1, close - 1);
  if (!std::ranges::all_of(digits, is_digit)) return std::nullopt;
  rest.remove_prefix(close + 1);
  return DollarPath::Segment{std::string{digits}, true};
}

std::optional<DollarPath::Segment> take_name(std::string_view& rest) {
  const auto length = name_length(rest.substr(1));
  if (length == 0) return std::nullopt;
  DollarPath::Segment segment{std::string{rest.substr(1, length)}};
  rest.remove_prefix(1 + length);
  return segment;
}

}  // namespace

std::optional<std::string_view> dollar_word(std::string_view text) {
  if (!text.starts_with('$')) return std::nullopt;
  const auto length = name_length(text.substr(1));
  if (length == 0 || is_digit(text[1])) return std::nullopt;
  const auto rest = text.substr(1 + length);
  if (!rest.empty() && rest.front() != '.' && rest.front() != '[') return std::nullopt;
  return text.substr(1, length);
}

Result<DollarPath> parse_dollar_path(std::string_view text, const Place& where) {
  const auto word = dollar_word(text).value_or("");
  auto rest = text.substr(1 + word.size());
  DollarPath path{std::string{word}, take_segments(rest)};
  if (rest.empty()) return path;
  return fail(Code::reference_syntax,
              fmt::format("'{}' is not a reference: behind '${}' stand .name or [index], and not '{}' (write '\\$' for a text that begins "
                          "with '$')",
                          text, word, rest),
              where);
}

std::vector<DollarPath::Segment> take_segments(std::string_view& rest) {
  std::vector<DollarPath::Segment> segments;
  while (!rest.empty()) {
    auto segment = rest.front() == '.' ? take_name(rest) : rest.front() == '[' ? take_index(rest) : std::nullopt;
    if (!segment) break;
    segments.push_back(std::move(*segment));
  }
  return segments;
}

std::vector<std::string> segment_texts(const std::vector<DollarPath::Segment>& segments) {
  std::vector<std::string> texts;
  for (const auto& segment : segments) texts.push_back(segment.text);
  return texts;
}

}  // namespace catena::lang
