#include "lang/document/plain_json.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "base/characters.hpp"
#include "base/limits.hpp"

namespace catena::lang {
namespace {

constexpr std::size_t kLevelsMax = 32;
constexpr std::size_t kKeysMax = 32;
constexpr std::size_t kDigitsMax = 17;  // any number of so many is a double, and as an integer fits in 64 bits
static_assert(kLevelsMax <= limits::kNestingMax);

/// Each function takes what it is named after off the text; false: that is not there, or not plain.
class PlainReader {
 public:
  explicit PlainReader(std::string_view text) : text_{text} {}

  [[nodiscard]] bool whole() { return value(0) && at_ == text_.size(); }

 private:
  [[nodiscard]] char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  [[nodiscard]] bool take(char c) {
    if (next() != c) return false;
    ++at_;
    return true;
  }

  bool value(std::size_t level) {
    switch (next()) {
      case '"': return string();
      case '{': return level < kLevelsMax && object(level + 1);
      case '[': return level < kLevelsMax && list(level + 1);
      case 't': return word("true");
      case 'f': return word("false");
      case 'n': return word("null");
      default: return number();
    }
  }

  bool word(std::string_view said) {
    if (!text_.substr(at_).starts_with(said)) return false;
    at_ += said.size();
    return true;
  }

  bool string() {
    ++at_;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '"') return true;
      if (c < ' ' || c > '~' || c == '\\') return false;
    }
    return false;
  }

  std::size_t digits() {
    const auto begin = at_;
    while (is_digit(next())) ++at_;
    return at_ - begin;
  }

  bool number() {
    static_cast<void>(take('-'));
    const bool zero = next() == '0';
    const auto whole = digits();
    if (whole == 0 || (zero && whole > 1)) return false;
    if (!take('.')) return whole <= kDigitsMax;
    const auto part = digits();
    return part > 0 && whole + part <= kDigitsMax;
  }

  bool list(std::size_t level) {
    ++at_;
    if (take(']')) return true;
    do {
      if (!value(level)) return false;
    } while (take(','));
    return take(']');
  }

  bool object(std::size_t level) {
    ++at_;
    if (take('}')) return true;
    const auto first = keys_open_;
    do {
      const auto begin = at_;
      if (next() != '"' || !string()) return false;
      const auto key = text_.substr(begin, at_ - begin);
      const auto known = std::span{keys_}.subspan(first, keys_open_ - first);
      if (std::ranges::find(known, key) != known.end() || keys_open_ == kKeysMax) return false;
      keys_.at(keys_open_++) = key;
      if (!take(':') || !value(level)) return false;
    } while (take(','));
    keys_open_ = first;
    return take('}');
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::array<std::string_view, kKeysMax> keys_;
  std::size_t keys_open_ = 0;
};

}  // namespace

bool is_plain_json(std::string_view text) { return PlainReader{text}.whole(); }

}  // namespace catena::lang
