#include "lang/document/plain_json.hpp"

#include <array>
#include <cstddef>
#include <cstring>
#include <utility>

#include "base/characters.hpp"
#include "base/json_characters.hpp"
#include "base/limits.hpp"

namespace catena::lang {
namespace {

constexpr std::size_t kLevelsMax = 32;
constexpr std::size_t kKeysMax = 32;
constexpr std::size_t kDigitsMax = 17;  // any number of so many is a double, and as an integer fits in 64 bits
static_assert(kLevelsMax <= limits::kNestingMax);

/// With its quotes.
struct Key {
  const char* text;
  std::size_t size;
};

/// Each function takes what it is named after off the text; false: that is not there, or not plain.
class PlainReader {
 public:
  explicit PlainReader(std::string_view text) : at_{text.data()}, end_{text.data() + text.size()} {}

  [[nodiscard]] bool whole() { return value(0) && at_ == end_; }

 private:
  [[nodiscard]] char next() const { return at_ != end_ ? *at_ : '\0'; }
  [[nodiscard]] bool take(char c) {
    if (at_ == end_ || *at_ != c) return false;
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
    if (!std::string_view{at_, static_cast<std::size_t>(end_ - at_)}.starts_with(said)) return false;
    at_ += said.size();
    return true;
  }

  bool string() {
    const char* at = at_ + 1;
    while (at != end_ && is_plain_in_json(*at)) ++at;
    if (at == end_ || *at != '"') return false;
    at_ = at + 1;
    return true;
  }

  std::size_t digits() {
    const char* at = at_;
    while (at != end_ && is_digit(*at)) ++at;
    return static_cast<std::size_t>(at - std::exchange(at_, at));
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
      const auto* const begin = at_;
      if (next() != '"' || !string()) return false;
      if (!open_key({begin, static_cast<std::size_t>(at_ - begin)}, first)) return false;
      if (!take(':') || !value(level)) return false;
    } while (take(','));
    keys_open_ = first;
    return take('}');
  }

  /// False where its object, whose keys are those from `first` on, has the key already, and where there is no room for another.
  bool open_key(Key key, std::size_t first) {
    for (auto other = first; other < keys_open_; ++other) {
      const auto& known = keys_[other];
      if (known.size == key.size && std::memcmp(known.text, key.text, key.size) == 0) return false;
    }
    if (keys_open_ == kKeysMax) return false;
    keys_[keys_open_++] = key;
    return true;
  }

  const char* at_;
  const char* end_;
  std::size_t keys_open_ = 0;
  std::array<Key, kKeysMax> keys_;  // not initialised: most texts have few
};

}  // namespace

bool is_plain_json(std::string_view text) { return PlainReader{text}.whole(); }

}  // namespace catena::lang
