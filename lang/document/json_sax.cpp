#include "lang/document/json_sax.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "base/characters.hpp"
#include "base/limits.hpp"
#include "base/utf8.hpp"

namespace catena::lang {
namespace {

/// Lets the handler know how far the lexer has read; the iterator itself is copied and moved inside nlohmann.
class CountingIterator {
 public:
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;
  using iterator_category = std::input_iterator_tag;

  CountingIterator(const char* at, std::size_t* count) : at_{at}, count_{count} {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    ++at_;
    ++*count_;
    return *this;
  }
  CountingIterator operator++(int) {
    auto before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const CountingIterator& a, const CountingIterator& b) { return a.at_ == b.at_; }

 private:
  const char* at_;
  std::size_t* count_;
};

/// What the parser calls the parts of a text, in words of people who write it.
std::string part_of_text(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kParts{{{"end of input", "the end of the text"},
                                                                                 {"string literal", "a text in double quotes"},
                                                                                 {"number literal", "a number"},
                                                                                 {"true literal", "'true'"},
                                                                                 {"false literal", "'false'"},
                                                                                 {"null literal", "'null'"},
                                                                                 {"'[', '{', or a literal", "a value"}}};
  const auto known = std::ranges::find(kParts, name, &std::pair<std::string_view, std::string_view>::first);
  return std::string{known == kParts.end() ? name : known->second};
}

/// The parser's text from behind "… - ", without the token it read last, which may be megabytes long.
std::string short_message(std::string_view what) {
  const auto dash = what.find(" - ");
  if (dash != std::string_view::npos) what.remove_prefix(dash + 3);
  return std::string{what.substr(0, what.find("; last read"))};
}

/// "unexpected '}'; expected string literal", said so that somebody who writes JSON by hand knows what to do.
std::string in_plain_words(std::string_view what) {
  constexpr std::string_view kUnexpected = "unexpected ";
  constexpr std::string_view kExpected = "; expected ";
  const auto expected = what.find(kExpected);
  if (what.starts_with(kUnexpected) && expected != std::string_view::npos) {
    const auto found = what.substr(kUnexpected.size(), expected - kUnexpected.size());
    const auto wanted = what.substr(expected + kExpected.size());
    return fmt::format("{} stands where {} is expected", part_of_text(found), part_of_text(wanted));
  }
  if (what.starts_with(kUnexpected)) return part_of_text(what.substr(kUnexpected.size())) + " stands where nothing of the kind can";
  if (what == "invalid literal") return "this is no value: texts stand in double quotes, and there are no comments";
  return std::string{what};
}

class Handler {
 public:
  Handler(std::string_view text, const std::size_t& read, JsonSink* sink) : text_{text}, read_{read}, sink_{sink} {}

  std::optional<Fault> fault;

  bool null() {
    return scalar([] { return Json(nullptr); });
  }
  bool boolean(bool value) {
    return scalar([=] { return Json(value); });
  }
  bool number_integer(Json::number_integer_t value) {
    return number([=] { return Json(value); });
  }
  bool number_unsigned(Json::number_unsigned_t value) {
    return number([=] { return Json(value); });
  }
  bool number_float(Json::number_float_t value, const std::string& digits) {
    if (digits.find_first_of(".eE") == std::string::npos) {
      return refuse(Code::number_out_of_range, token_start(),
                    fmt::format("the integer {} does not fit in 64 bits; write it as a string", preview(digits)));
    }
    return number([=] { return Json(value); });
  }
  bool string(std::string& value) {
    return scalar([&] { return Json(std::move(value)); });
  }
  bool binary(Json::binary_t& /*value*/) { return refuse(Code::json_syntax, read_, "JSON text has no binary values"); }

  bool start_object(std::size_t /*size*/) {
    if (!enter()) return false;
    keys_.open();
    if (sink_ != nullptr) sink_->open_object(read_ - 1);
    return true;
  }
  bool start_array(std::size_t /*size*/) {
    if (!enter()) return false;
    if (sink_ != nullptr) sink_->open_list(read_ - 1);
    return true;
  }
  bool end_object() {
    keys_.close();
    return leave();
  }
  bool end_array() { return leave(); }

  bool key(std::string& value) {
    if (!keys_.add(value)) {
      return refuse(Code::duplicate_key, token_start(), fmt::format("the key '{}' stands twice in one object; remove one of them", preview(value)));
    }
    if (sink_ != nullptr) sink_->key(token_start(), value);
    end_ = read_;
    return true;
  }

  bool parse_error(std::size_t /*position*/, const std::string& /*token*/, const Json::exception& error) {
    constexpr int kNumberOverflow = 406;
    if (error.id == kNumberOverflow) return refuse(Code::number_out_of_range, token_start(), "the number is too large for a 64-bit float");
    const auto message = short_message(error.what());
    const auto offset = offset_of(message);
    return refuse(Code::json_syntax, offset, "not valid JSON: " + in_plain_words(message));
  }

 private:
  template <class Make>
  bool scalar(Make make) {
    if (sink_ != nullptr) sink_->scalar(token_start(), make());
    end_ = read_;
    return true;
  }

  template <class Make>
  bool number(Make make) {
    const auto start = token_start();
    static_cast<void>(scalar(make));
    // The lexer knows the end of a number only by the byte behind it, except at the end of the text. A digit behind is possible after a
    // leading zero alone: there the next token is an error, which begins at that digit.
    const auto digits = start + (text_[start] == '-' ? 1 : 0);
    if (text_[digits] == '0' && digits + 1 < text_.size() && is_digit(text_[digits + 1])) {
      end_ = digits + 1;
    } else if (!is_digit(text_[end_ - 1])) {
      --end_;
    }
    return true;
  }

  bool enter() {
    if (++depth_ > limits::kNestingMax) {
      return refuse(Code::nesting_too_deep, read_ - 1, fmt::format("values nest deeper than {} levels", limits::kNestingMax));
    }
    end_ = read_;
    return true;
  }

  bool leave() {
    --depth_;
    if (sink_ != nullptr) sink_->close();
    end_ = read_;
    return true;
  }

  /// Between two tokens that make events stand only white space, ',' and ':'.
  [[nodiscard]] std::size_t token_start() const {
    const auto start = text_.find_first_not_of(" \t\r\n,:", end_);
    return start == std::string_view::npos ? text_.size() : start;
  }

  [[nodiscard]] std::size_t offset_of(std::string_view message) const {
    if (message.starts_with("unexpected end of input")) return text_.size();
    if (message.starts_with("unexpected '")) return read_ - 1;  // a bracket, comma or colon
    if (message.starts_with("unexpected ")) return token_start();
    if (message.find("missing closing quote") != std::string_view::npos) return token_start();
    return read_ == 0 ? 0 : read_ - 1;  // the byte at which the lexer gave up
  }

  static std::string_view preview(std::string_view text) {
    constexpr std::size_t kShown = 60;
    auto shown = text.substr(0, kShown);
    while (find_invalid_utf8(shown)) shown.remove_suffix(1);
    return shown;
  }

  bool refuse(Code code, std::size_t offset, std::string message) {
    fault = Fault{code, offset, std::move(message)};
    return false;
  }

  std::string_view text_;
  const std::size_t& read_;
  JsonSink* sink_;
  std::size_t end_ = 0;  // of the last event's token
  int depth_ = 0;
  OpenKeys keys_;
};

}  // namespace

std::optional<Fault> read_json(std::string_view text, JsonSink* sink) {
  if (const auto bad = find_invalid_utf8(text)) return Fault{Code::not_utf8, *bad, "the text is not valid UTF-8; save it as UTF-8"};
  // The lexer would take a NUL byte for the end of the text and ignore what follows.
  if (const auto nul = text.find('\0'); nul != std::string_view::npos) return Fault{Code::json_syntax, nul, "not valid JSON: a NUL byte"};
  std::size_t read = 0;
  Handler handler{text, read, sink};
  static_cast<void>(Json::sax_parse(CountingIterator{text.data(), &read}, CountingIterator{text.data() + text.size(), &read}, &handler));
  return std::move(handler.fault);
}

std::optional<std::size_t> find_invalid_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto length = static_cast<unsigned char>(text[at]) < 0x80 ? std::size_t{1} : utf8_length(text.substr(at, 4));
    if (length == 0) return at;
    at += length;
  }
  return std::nullopt;
}

std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  return text.starts_with(kMark) ? text.substr(kMark.size()) : text;
}

Place place_at(std::string_view text, std::size_t offset, std::string_view file) {
  Place place{std::string{file}, 1, 1};
  for (const char c : text.substr(0, offset)) {
    if (c == '\n') {
      ++place.line;
      place.column = 1;
    } else {
      ++place.column;
    }
  }
  return place;
}

void OpenKeys::open() {
  if (++depth_ > sets_.size()) sets_.emplace_back();
}

void OpenKeys::close() {
  // clear() costs the buckets there ever were, so a set that was large once is not kept for small objects.
  constexpr std::size_t kBucketsKept = 64;
  auto& keys = sets_[--depth_];
  if (keys.bucket_count() > kBucketsKept) {
    std::unordered_set<std::string>{}.swap(keys);
  } else {
    keys.clear();
  }
}

bool OpenKeys::add(std::string_view key) { return sets_[depth_ - 1].emplace(key).second; }

}  // namespace catena::lang
