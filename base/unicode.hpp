#pragma once
// Characters of all scripts: case, kind, and how many columns of a terminal they take.
#include <cstdint>
#include <string>
#include <string_view>

namespace catena {

/// The character at the front of a text, and what is left behind it. A byte that is no UTF-8 counts as U+FFFD.
struct Character {
  char32_t code = 0;
  std::string_view bytes;  // as they stand in the text
};
[[nodiscard]] Character first_character(std::string_view text);

/// Character by character, whatever the language: "straße" is "STRAẞE", and "İ" is "i".
[[nodiscard]] std::string to_upper(std::string_view text);
[[nodiscard]] std::string to_lower(std::string_view text);

/// With accents and the like taken off the letters that have them: "März" is "Marz".
[[nodiscard]] std::string without_marks(std::string_view text);

/// Of any script.
[[nodiscard]] bool is_letter_or_digit(char32_t code);
[[nodiscard]] bool is_space(char32_t code);
/// Moves no cursor and has no picture: control characters, those that change the direction of the text around them, and line separators.
[[nodiscard]] bool is_control(char32_t code);

/// Columns of a terminal: 2 for most of Chinese, Japanese and Korean, 0 for what combines with the character before it.
[[nodiscard]] std::size_t display_width(std::string_view text);
/// The longest beginning of a text that fits into that many columns. What a reader sees as one character is there whole or not at all.
[[nodiscard]] std::string_view fitting(std::string_view text, std::size_t columns);

}  // namespace catena
