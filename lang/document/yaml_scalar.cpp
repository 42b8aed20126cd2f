#include "lang/document/yaml_scalar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/characters.hpp"

namespace catena::lang {
namespace {

template <std::size_t N>
bool is_one_of(std::string_view text, const std::array<std::string_view, N>& words) {
  return std::ranges::find(words, text) != words.end();
}

Result<Json> out_of_range(std::string_view text) {
  constexpr std::size_t kShown = 60;
  return fail(Code::number_out_of_range, fmt::format("the number {} does not fit in 64 bits; quote it to make it a string", text.substr(0, kShown)));
}

template <class Number>
bool whole_number(std::string_view digits, int base, Number& number) {
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number, base);
  return error == std::errc{} && end == digits.data() + digits.size();
}

/// `digits` in `base`, with an optional '-' in front.
Result<Json> integer(std::string_view text, std::string_view digits, int base) {
  if (std::int64_t number = 0; whole_number(digits, base, number)) return Json(number);
  if (std::uint64_t number = 0; whole_number(digits, base, number)) return Json(number);
  return out_of_range(text);
}

bool all_of(std::string_view digits, bool (*fits)(char)) { return !digits.empty() && std::ranges::all_of(digits, fits); }

/// (\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?
bool is_float(std::string_view text) {
  const auto take_digits = [&] {
    const auto end = std::min(text.size(), static_cast<std::size_t>(std::ranges::find_if_not(text, is_digit) - text.begin()));
    text.remove_prefix(end);
    return end > 0;
  };
  const bool whole = take_digits();
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (!take_digits() && !whole) return false;
  } else if (!whole) {
    return false;
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
    if (!take_digits()) return false;
  }
  return text.empty();
}

}  // namespace

Result<Json> resolve_plain_scalar(std::string_view text) {
  constexpr std::array<std::string_view, 5> kNull{"", "~", "null", "Null", "NULL"};
  constexpr std::array<std::string_view, 3> kTrue{"true", "True", "TRUE"};
  constexpr std::array<std::string_view, 3> kFalse{"false", "False", "FALSE"};
  constexpr std::array<std::string_view, 6> kNotFinite{".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN"};
  if (is_one_of(text, kNull)) return Json(nullptr);
  if (is_one_of(text, kTrue)) return Json(true);
  if (is_one_of(text, kFalse)) return Json(false);

  const bool negative = text.starts_with('-');
  const auto unsigned_text = negative || text.starts_with('+') ? text.substr(1) : text;
  if (is_one_of(unsigned_text, kNotFinite)) {
    return fail(Code::number_out_of_range, fmt::format("{} is not a number that JSON has; quote it to make it a string", text));
  }
  const auto signed_digits = negative ? text : unsigned_text;  // from_chars takes no '+'
  if (all_of(unsigned_text, is_digit)) return integer(text, signed_digits, 10);
  const auto digits = text.substr(std::min<std::size_t>(2, text.size()));
  if (text.starts_with("0x") && all_of(digits, [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); })) {
    return integer(text, digits, 16);
  }
  if (text.starts_with("0o") && all_of(digits, [](char c) { return is_digit(c) && c < '8'; })) return integer(text, digits, 8);
  if (!is_float(unsigned_text)) return Json(std::string{text});
  double number = 0;
  const auto [end, error] = std::from_chars(signed_digits.data(), signed_digits.data() + signed_digits.size(), number);
  if (error != std::errc{} || !std::isfinite(number)) return out_of_range(text);
  return Json(number);
}

}  // namespace catena::lang
