#pragma once
// JSON as text. Arguments and results travel as text and are parsed only where an expression looks inside; JsonView walks valid
// text without building a tree, so a list of a million elements costs its bytes and nothing more.
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.hpp"
#include "base/result.hpp"

namespace catena::lang {

enum class JsonKind { null, boolean, number, string, list, object };
[[nodiscard]] std::string_view name(JsonKind kind);

/// Valid, compact JSON text. Only checked text becomes one: by parse_json_text, or by dumping a Json value.
struct JsonText {
  std::string text = "null";
  friend bool operator==(const JsonText&, const JsonText&) = default;
};

/// Checks text from outside (UTF-8, syntax, nesting <= limits::kNestingMax, numbers fit, no duplicate keys) and makes it compact.
/// O(n); memory O(nesting). Error codes: not_utf8, json_syntax, duplicate_key, nesting_too_deep, number_out_of_range.
[[nodiscard]] Result<JsonText> parse_json_text(std::string_view text);
/// As parse_json_text, of a text that the caller gives away: one that is plain already (see plain_json.hpp) is moved and not copied.
[[nodiscard]] Result<JsonText> keep_json_text(std::string text);
[[nodiscard]] JsonText to_text(const Json& value);

/// A window on valid JSON text; cheap to copy; the text must outlive it.
class JsonView {
 public:
  explicit JsonView(std::string_view text) : text_{text} {}
  explicit JsonView(const JsonText& text) : text_{text.text} {}

  [[nodiscard]] JsonKind kind() const;
  [[nodiscard]] std::string_view text() const { return text_; }
  /// The value of a member of an object. O(text).
  [[nodiscard]] std::optional<JsonView> find(std::string_view key) const;
  /// An element of a list. O(text).
  [[nodiscard]] std::optional<JsonView> at(std::size_t index) const;
  /// Elements of a list, members of an object, code points of a string; 0 otherwise. O(text).
  [[nodiscard]] std::size_t size() const;
  /// Calls until it returns false. `key` is decoded.
  void for_each_member(const std::function<bool(std::string_view key, JsonView value)>& visit) const;
  void for_each_element(const std::function<bool(JsonView value)>& visit) const;
  /// The value as a tree.
  [[nodiscard]] Json parse() const;
  /// The decoded string; empty when it is not one.
  [[nodiscard]] std::string string() const;
  [[nodiscard]] bool is_null() const { return kind() == JsonKind::null; }

 private:
  std::string_view text_;
};

}  // namespace catena::lang
