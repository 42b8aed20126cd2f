#include "lang/document/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "base/characters.hpp"
#include "lang/document/json_sax.hpp"
#include "lang/document/plain_json.hpp"

namespace catena::lang {
namespace {

/// Walks valid JSON text. On any other text it stops at the end instead of reading past it.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_{text} {}

  [[nodiscard]] bool done() const { return at_ >= text_.size(); }
  /// The next byte that is not white space; 0 at the end.
  char peek() {
    while (!done() && is_space(text_[at_])) ++at_;
    return done() ? '\0' : text_[at_];
  }
  void skip() { ++at_; }
  /// Takes the byte if it comes next.
  bool take(char c) {
    if (peek() != c) return false;
    skip();
    return true;
  }
  /// The text of the value that comes next, whatever it is. Nesting is counted, not followed.
  std::string_view value() {
    const char first = peek();
    const auto start = at_;
    if (first == '"') {
      skip_string();
    } else if (first == '{' || first == '[') {
      skip_container();
    } else {
      while (!done() && !ends_scalar(text_[at_])) ++at_;
    }
    return text_.substr(start, at_ - start);
  }

 private:
  static bool ends_scalar(char c) { return c == ',' || c == ']' || c == '}' || c == ':' || is_space(c); }

  void skip_string() {
    ++at_;
    while (!done()) {
      const char c = text_[at_++];
      if (c == '"') return;
      if (c == '\\' && !done()) ++at_;
    }
  }

  void skip_container() {
    std::size_t depth = 0;
    while (!done()) {
      switch (text_[at_]) {
        case '"': skip_string(); continue;
        case '{':
        case '[': ++depth; break;
        case '}':
        case ']': --depth; break;
        default: break;
      }
      ++at_;
      if (depth == 0) return;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

/// The decoded text of a string token with its quotes. `storage` holds it when it has escapes.
std::string_view decode(std::string_view token, std::string& storage) {
  if (token.size() < 2) return {};
  const auto inside = token.substr(1, token.size() - 2);
  if (inside.find('\\') == std::string_view::npos) return inside;
  const auto json = Json::parse(token, nullptr, false);
  storage = json.is_string() ? json.get<std::string>() : std::string{};
  return storage;
}

std::size_t code_points(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

/// Visits the members of an object; templates, so that walking costs no allocation.
template <class Visit>
void walk_members(std::string_view text, Visit visit) {
  Scanner scanner{text};
  if (!scanner.take('{')) return;
  std::string storage;
  while (scanner.peek() == '"') {
    const auto key = decode(scanner.value(), storage);
    if (!scanner.take(':')) return;
    const auto value = scanner.value();
    if (value.empty() || !visit(key, JsonView{value})) return;
    if (!scanner.take(',')) return;
  }
}

template <class Visit>
void walk_elements(std::string_view text, Visit visit) {
  Scanner scanner{text};
  if (!scanner.take('[')) return;
  while (true) {
    const auto value = scanner.value();
    if (value.empty() || !visit(JsonView{value})) return;
    if (!scanner.take(',')) return;
  }
}

std::string compact(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  Scanner scanner{text};
  while (true) {
    const char c = scanner.peek();
    if (scanner.done()) return out;
    if (c == '{' || c == '[' || c == '}' || c == ']' || c == ',' || c == ':') {
      out += c;
      scanner.skip();
    } else {
      out += scanner.value();
    }
  }
}

/// What is not plain: the reader of all JSON checks it.
Result<JsonText> read_any(std::string_view text) {
  text = without_byte_order_mark(text);
  if (auto fault = read_json(text, nullptr)) {
    const auto place = place_at(text, fault->offset, {});
    return fail(fault->code, fmt::format("{} (line {}, column {})", fault->message, place.line, place.column));
  }
  return JsonText{compact(text)};
}

}  // namespace

std::string_view name(JsonKind kind) {
  switch (kind) {
    case JsonKind::null: return "null";
    case JsonKind::boolean: return "boolean";
    case JsonKind::number: return "number";
    case JsonKind::string: return "string";
    case JsonKind::list: return "list";
    case JsonKind::object: return "object";
  }
  return "?";
}

Result<JsonText> parse_json_text(std::string_view text) {
  if (is_plain_json(text)) return JsonText{std::string{text}};
  return read_any(text);
}

Result<JsonText> keep_json_text(std::string text) {
  if (is_plain_json(text)) return JsonText{std::move(text)};
  return read_any(text);
}

// Text that is not UTF-8 cannot come in through the readers; a replacement character is better than an exception here.
JsonText to_text(const Json& value) { return JsonText{dump_lossy(value)}; }

JsonKind JsonView::kind() const {
  switch (Scanner{text_}.peek()) {
    case '{': return JsonKind::object;
    case '[': return JsonKind::list;
    case '"': return JsonKind::string;
    case 't':
    case 'f': return JsonKind::boolean;
    case 'n':
    case '\0': return JsonKind::null;
    default: return JsonKind::number;
  }
}

std::optional<JsonView> JsonView::find(std::string_view key) const {
  std::optional<JsonView> found;
  walk_members(text_, [&](std::string_view name, JsonView value) {
    if (name != key) return true;
    found = value;
    return false;
  });
  return found;
}

std::optional<JsonView> JsonView::at(std::size_t index) const {
  std::optional<JsonView> found;
  walk_elements(text_, [&](JsonView value) {
    if (index-- > 0) return true;
    found = value;
    return false;
  });
  return found;
}

std::size_t JsonView::size() const {
  std::size_t count = 0;
  switch (kind()) {
    case JsonKind::object: walk_members(text_, [&](std::string_view, JsonView) { return ++count > 0; }); return count;
    case JsonKind::list: walk_elements(text_, [&](JsonView) { return ++count > 0; }); return count;
    case JsonKind::string: {
      std::string storage;
      return code_points(decode(without_space_around(text_), storage));
    }
    case JsonKind::null:
    case JsonKind::boolean:
    case JsonKind::number: return 0;
  }
  return 0;
}

void JsonView::for_each_member(const std::function<bool(std::string_view, JsonView)>& visit) const { walk_members(text_, std::cref(visit)); }

void JsonView::for_each_element(const std::function<bool(JsonView)>& visit) const { walk_elements(text_, std::cref(visit)); }

Json JsonView::parse() const {
  auto json = Json::parse(text_, nullptr, false);
  return json.is_discarded() ? Json(nullptr) : json;
}

std::string JsonView::string() const {
  if (kind() != JsonKind::string) return {};
  std::string storage;
  return std::string{decode(without_space_around(text_), storage)};
}

}  // namespace catena::lang
