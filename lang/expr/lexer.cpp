#include "lang/expr/lexer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/characters.hpp"
#include "lang/expr/error.hpp"

namespace catena::lang::expr {
namespace {

bool is_word_start(char c) { return begins_identifier(c) || is_beyond_ascii(c); }
bool is_word_char(char c) { return is_word_start(c) || is_digit(c); }
bool is_reference_char(char c) { return is_word_char(c) || c == '-'; }

void append_utf8(std::string& out, std::uint32_t point) {
  const auto put = [&](std::uint32_t byte) { out += static_cast<char>(static_cast<unsigned char>(byte)); };
  if (point < 0x80) return put(point);
  if (point < 0x800) {
    put(0xC0U | point >> 6U);
  } else {
    if (point < 0x10000) {
      put(0xE0U | point >> 12U);
    } else {
      put(0xF0U | point >> 18U);
      put(0x80U | (point >> 12U & 0x3FU));
    }
    put(0x80U | (point >> 6U & 0x3FU));
  }
  put(0x80U | (point & 0x3FU));
}

bool is_high_surrogate(std::uint32_t point) { return point >= 0xD800 && point < 0xDC00; }
bool is_low_surrogate(std::uint32_t point) { return point >= 0xDC00 && point < 0xE000; }

}  // namespace

bool is_word(std::string_view text) { return !text.empty() && is_word_start(text.front()) && std::ranges::all_of(text, is_word_char); }

bool is_segment_text(std::string_view text) { return is_word(text) || (!text.empty() && std::ranges::all_of(text, is_digit)); }

tl::unexpected<Error> Lexer::refuse(Code code, std::string message, std::size_t at) const {
  return fail_at(code, std::move(message), text_, static_cast<std::uint32_t>(at));
}

Token Lexer::token(TokenKind kind, std::size_t begin) const {
  return Token{kind, static_cast<std::uint32_t>(begin), text_.substr(begin, pos_ - begin), nullptr};
}

void Lexer::skip_space() {
  while (pos_ < text_.size() && is_space(text_[pos_])) ++pos_;
}

bool Lexer::at_assignment() const {
  auto at = pos_;
  while (at < text_.size() && is_space(text_[at])) ++at;
  return at < text_.size() && text_[at] == '=' && (at + 1 == text_.size() || text_[at + 1] != '=');
}

Result<Token> Lexer::next() {
  skip_space();
  const auto begin = pos_;
  if (pos_ == text_.size()) return token(TokenKind::end, begin);
  const char c = peek();
  if (text_.substr(pos_).starts_with("REF:")) return reference();
  if (is_digit(c)) return number();
  if (c == '\'' || c == '"') return string();
  if (!is_word_start(c)) return symbol();
  while (is_word_char(peek())) ++pos_;
  return token(TokenKind::word, begin);
}

Result<Token> Lexer::segment() {
  skip_space();
  const auto begin = pos_;
  if (is_digit(peek())) {
    while (is_digit(peek())) ++pos_;
    if (is_word_start(peek())) return refuse(kSyntax, "a name cannot begin with a digit; write [\"key\"] for a key of such a form", begin);
  } else {
    while (is_word_char(peek())) ++pos_;
  }
  if (pos_ == begin) return refuse(kSyntax, "after a dot comes a name or an index; write [\"key\"] for a key of another form", begin);
  return token(TokenKind::word, begin);
}

Result<Token> Lexer::number() {
  const auto begin = pos_;
  bool whole = true;
  const auto digits = [&] {
    while (is_digit(peek())) ++pos_;
  };
  digits();
  if (pos_ - begin > 1 && text_[begin] == '0') return refuse(kSyntax, "a number has no leading zero", begin);
  if (peek() == '.' && is_digit(peek(1))) {
    whole = false;
    ++pos_;
    digits();
  }
  const bool signed_exponent = (peek(1) == '+' || peek(1) == '-') && is_digit(peek(2));
  if ((peek() == 'e' || peek() == 'E') && (is_digit(peek(1)) || signed_exponent)) {
    whole = false;
    pos_ += 2;
    digits();
  }
  if (is_word_start(peek())) return refuse(kSyntax, "a number ends before a letter; names cannot begin with a digit", begin);
  auto made = token(TokenKind::number, begin);
  const auto* first = made.text.data();
  const auto* last = first + made.text.size();
  if (whole) {
    std::uint64_t value = 0;
    if (std::from_chars(first, last, value).ec != std::errc{}) return refuse(kRange, "the integer does not fit in 64 bits", begin);
    made.value = value;
    return made;
  }
  double value = 0;
  const auto read = std::from_chars(first, last, value);
  if (read.ec != std::errc{} || !std::isfinite(value)) return refuse(kRange, "the number does not fit in a double", begin);
  made.value = value;
  return made;
}

Result<Token> Lexer::string() {
  const auto begin = pos_;
  const char quote = text_[pos_++];
  std::string value;
  for (;;) {
    if (pos_ == text_.size()) return refuse(kSyntax, fmt::format("the string that begins here has no closing {}", quote), begin);
    const char c = text_[pos_];
    if (c == quote) break;
    if (c == '\\') {
      if (const auto done = escape(value); !done) return fail(done.error());
    } else {
      value += c;
      ++pos_;
    }
  }
  ++pos_;
  auto made = token(TokenKind::string, begin);
  made.value = std::move(value);
  return made;
}

Result<void> Lexer::escape(std::string& out) {
  const auto begin = pos_;
  const char c = peek(1);
  pos_ += 2;
  switch (c) {
    case 'n': out += '\n'; return {};
    case 't': out += '\t'; return {};
    case '\\':
    case '"':
    case '\'': out += c; return {};
    case 'u': break;
    default: return refuse(kSyntax, R"(an unknown escape; there are \n \t \\ \" \' \uXXXX, and a backslash itself is \\)", begin);
  }
  auto point = hex4(begin);
  if (!point) return fail(point.error());
  if (is_high_surrogate(*point) && peek() == '\\' && peek(1) == 'u') {
    pos_ += 2;
    const auto low = hex4(begin);
    if (!low) return fail(low.error());
    if (!is_low_surrogate(*low)) return refuse(kSyntax, "the first half of a surrogate pair is not followed by the second", begin);
    *point = 0x10000U + ((*point - 0xD800U) << 10U) + (*low - 0xDC00U);
  }
  if (is_high_surrogate(*point) || is_low_surrogate(*point)) return refuse(kSyntax, "half of a surrogate pair is no character", begin);
  append_utf8(out, *point);
  return {};
}

Result<std::uint32_t> Lexer::hex4(std::size_t begin) {
  constexpr std::size_t kDigits = 4;
  const auto digits = text_.substr(std::min(pos_, text_.size()), kDigits);
  std::uint32_t value = 0;
  const auto* end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, value, 16);
  if (digits.size() != kDigits || read.ec != std::errc{} || read.ptr != end) return refuse(kSyntax, "\\u needs four hexadecimal digits", begin);
  pos_ += kDigits;
  return value;
}

Result<Token> Lexer::reference() {
  const auto begin = pos_;
  constexpr std::string_view kPrefix = "REF:";
  pos_ += kPrefix.size();
  for (;;) {
    const auto segment = pos_;
    while (is_reference_char(peek())) ++pos_;
    if (pos_ == segment) {
      return refuse(Code::reference_syntax, "a reference is REF:<context>.<segment>, with a name or an index after each dot", segment);
    }
    if (peek() != '.') return token(TokenKind::reference, begin);
    ++pos_;
  }
}

Result<Token> Lexer::symbol() {
  constexpr std::array<std::string_view, 22> kSymbols{"==", "!=", "<=", ">=", "<", ">", "=", "|", "+", "-", "*",
                                                      "/",  "%",  ".",  ",",  ":", "(", ")", "[", "]", "{", "}"};
  const auto begin = pos_;
  const auto rest = text_.substr(pos_);
  const auto found = std::ranges::find_if(kSymbols, [&](std::string_view symbol) { return rest.starts_with(symbol); });
  if (found == kSymbols.end()) {
    const auto* hint = rest.starts_with("&&") ? "; write 'and'" : rest.starts_with("!") ? "; write 'not'" : "";
    const auto byte = static_cast<unsigned char>(rest.front());
    return refuse(kSyntax,
                  byte < 0x20 || byte == 0x7F ? fmt::format("a control character (0x{:02x}) cannot stand here", byte)
                                              : fmt::format("'{}' means nothing here{}", rest.front(), hint),
                  begin);
  }
  pos_ += found->size();
  return token(TokenKind::symbol, begin);
}

}  // namespace catena::lang::expr
