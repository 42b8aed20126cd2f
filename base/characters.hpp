#pragma once
// Characters of ASCII, whatever the locale: which of them are digits, letters, parts of names.
#include <algorithm>
#include <string_view>

namespace catena {

[[nodiscard]] constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
[[nodiscard]] constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
[[nodiscard]] constexpr bool is_alphanumeric(char c) { return is_letter(c) || is_digit(c); }
[[nodiscard]] constexpr bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
/// A byte of a character of another script.
[[nodiscard]] constexpr bool is_beyond_ascii(char c) { return static_cast<unsigned char>(c) >= 0x80U; }
/// Of identifiers: A-Z a-z 0-9 _, the digits not first.
[[nodiscard]] constexpr bool begins_identifier(char c) { return is_letter(c) || c == '_'; }
[[nodiscard]] constexpr bool in_identifier(char c) { return is_alphanumeric(c) || c == '_'; }
/// Of ids: A-Z a-z 0-9 _ -
[[nodiscard]] constexpr bool in_id(char c) { return in_identifier(c) || c == '-'; }
/// Of names of nodes, and what an address keeps as it is, `~` aside: A-Z a-z 0-9 _ - .
[[nodiscard]] constexpr bool in_dotted_name(char c) { return in_id(c) || c == '.'; }

[[nodiscard]] constexpr bool is_digits(std::string_view text) { return !text.empty() && std::ranges::all_of(text, is_digit); }
[[nodiscard]] constexpr bool is_identifier(std::string_view text) {
  return !text.empty() && begins_identifier(text.front()) && std::ranges::all_of(text, in_identifier);
}

[[nodiscard]] constexpr std::string_view without_space_around(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace catena
