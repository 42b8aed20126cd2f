#include "base/unicode.hpp"

#include <utf8proc.h>

#include <array>
#include <cstdlib>

namespace catena {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

void append(std::string& text, utf8proc_int32_t code) {
  std::array<utf8proc_uint8_t, 4> bytes{};
  const auto count = utf8proc_encode_char(code, bytes.data());
  for (utf8proc_ssize_t at = 0; at < count; ++at) text += static_cast<char>(bytes[static_cast<std::size_t>(at)]);
}

template <class Change>
std::string changed_characters(std::string_view text, Change change) {
  std::string made;
  made.reserve(text.size());
  while (!text.empty()) {
    const auto next = first_character(text);
    text.remove_prefix(next.bytes.size());
    const auto code = static_cast<utf8proc_int32_t>(next.code);
    const auto other = change(code);
    if (other == code) {
      made += next.bytes;
    } else {
      append(made, other);
    }
  }
  return made;
}

utf8proc_category_t category(char32_t code) { return utf8proc_category(static_cast<utf8proc_int32_t>(code)); }

std::size_t width_of(char32_t code) {
  const auto width = utf8proc_charwidth(static_cast<utf8proc_int32_t>(code));
  return width < 0 ? 0 : static_cast<std::size_t>(width);
}

}  // namespace

Character first_character(std::string_view text) {
  utf8proc_int32_t code = 0;
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  const auto length = utf8proc_iterate(bytes, static_cast<utf8proc_ssize_t>(text.size()), &code);
  if (length <= 0 || code < 0) return {kReplacement, text.substr(0, 1)};
  return {static_cast<char32_t>(code), text.substr(0, static_cast<std::size_t>(length))};
}

std::string to_upper(std::string_view text) { return changed_characters(text, utf8proc_toupper); }
std::string to_lower(std::string_view text) { return changed_characters(text, utf8proc_tolower); }

std::string without_marks(std::string_view text) {
  utf8proc_uint8_t* made = nullptr;
  const auto length = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()), static_cast<utf8proc_ssize_t>(text.size()), &made,
                                   static_cast<utf8proc_option_t>(UTF8PROC_DECOMPOSE | UTF8PROC_STRIPMARK));
  if (length < 0) return std::string{text};  // no UTF-8
  std::string plain{reinterpret_cast<const char*>(made), static_cast<std::size_t>(length)};
  std::free(made);
  return plain;
}

bool is_letter_or_digit(char32_t code) {
  switch (category(code)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ND: return true;
    default: return false;
  }
}

bool is_space(char32_t code) {
  if (code == ' ' || (code >= '\t' && code <= '\r') || code == 0x85) return true;
  const auto kind = category(code);
  return kind == UTF8PROC_CATEGORY_ZS || kind == UTF8PROC_CATEGORY_ZL || kind == UTF8PROC_CATEGORY_ZP;
}

bool is_control(char32_t code) {
  const auto kind = category(code);
  const bool turns_text = (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) || code == 0x200E || code == 0x200F;
  return kind == UTF8PROC_CATEGORY_CC || kind == UTF8PROC_CATEGORY_ZL || kind == UTF8PROC_CATEGORY_ZP || turns_text;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    if (const auto byte = static_cast<unsigned char>(text.front()); byte < 0x80) {  // most texts, and tables may be long
      width += byte >= 0x20 && byte != 0x7f ? 1U : 0U;
      text.remove_prefix(1);
      continue;
    }
    const auto next = first_character(text);
    width += width_of(next.code);
    text.remove_prefix(next.bytes.size());
  }
  return width;
}

std::string_view fitting(std::string_view text, std::size_t columns) {
  std::size_t end = 0;    // behind the last character as a reader sees it, which may be several here: "e" and its accent, a family of emoji
  std::size_t width = 0;  // up to `at`
  utf8proc_int32_t state = 0;
  utf8proc_int32_t before = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto next = first_character(text.substr(at));
    const auto code = static_cast<utf8proc_int32_t>(next.code);
    if (at == 0 || utf8proc_grapheme_break_stateful(before, code, &state)) end = at;
    width += width_of(next.code);
    if (width > columns) return text.substr(0, end);
    before = code;
    at += next.bytes.size();
  }
  return text;
}

}  // namespace catena
