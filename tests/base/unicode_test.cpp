#include "base/unicode.hpp"

#include <catch2/catch.hpp>

namespace catena {

TEST_CASE("letters of all scripts change their case, one character into one") {
  CHECK(to_upper("straße жук σίσυφος ǆ") == "STRAẞE ЖУК ΣΊΣΥΦΟΣ Ǆ");
  CHECK(to_lower("ÀÉÎ ЖУК ΣΊΣΥΦΟΣ") == "àéî жук σίσυφοσ");
  CHECK(to_upper("漢字 123") == "漢字 123");
}

TEST_CASE("accents come off the letters that have them") {
  CHECK(without_marks("März Ångström ñ") == "Marz Angstrom n");
  CHECK(without_marks("日本 ж") == "日本 ж");
  CHECK(without_marks("a\xFF") == "a\xFF");
}

TEST_CASE("bytes that are no UTF-8 stay as they are") {
  CHECK(to_upper("a\xFF z") == "A\xFF Z");
  CHECK(first_character("\xFF z").bytes.size() == 1);
}

TEST_CASE("a column holds a character, two a wide one, none what combines") {
  CHECK(display_width("abc") == 3);
  CHECK(display_width("日本") == 4);
  CHECK(display_width("e\u0301a") == 2);
  CHECK(fitting("日本語", 5) == "日本");
  CHECK(fitting("abc", 5) == "abc");
  CHECK(fitting("e\u0301a", 1) == "e\u0301");
}

TEST_CASE("letters and digits of any script, space, and what has no picture") {
  for (const char32_t letter : {U'a', U'ß', U'ж', U'日', U'7', U'\u0301'}) CHECK(is_letter_or_digit(letter));
  for (const char32_t other : {U'.', U' ', U'/', U'€', U'\n'}) CHECK_FALSE(is_letter_or_digit(other));
  for (const char32_t space : {U' ', U'\t', U'\u00a0', U'\u3000', U'\u2028'}) CHECK(is_space(space));
  for (const char32_t control : {U'\x1b', U'\n', U'\u0085', U'\u202e', U'\u2028'}) CHECK(is_control(control));
  for (const char32_t shown : {U'a', U' ', U'日', U'\u0301'}) CHECK_FALSE(is_control(shown));
}

}  // namespace catena
