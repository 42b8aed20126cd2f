#pragma once
// The body of a request: a JSON object whose values know where they stand, so that what is wrong with one is told with its place.
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/problem.hpp"
#include "base/result.hpp"
#include "lang/document/document.hpp"

namespace catena::api {

class Body {
 public:
  /// Errors: not_utf8, json_syntax, duplicate_key, nesting_too_deep, number_out_of_range, document_too_large, each with its place.
  [[nodiscard]] static Outcome<Body> parse(std::string text, std::string_view called = "body");

  [[nodiscard]] const lang::Node& root() const { return root_; }
  /// The text of a member of the object, as it was sent.
  [[nodiscard]] std::string_view text_of(std::string_view member) const;
  /// JSON Pointer to the innermost value that begins at the place or last before it, in the order of the text.
  [[nodiscard]] std::string pointer_at(std::uint32_t line, std::uint32_t column) const;

 private:
  Body(std::string text, lang::Node root) : text_{std::move(text)}, root_{std::move(root)} {}
  std::string text_;
  lang::Node root_;
};

/// Reads the members of an object of the body. Each is asked for once; what is wrong is gathered, and told all at once.
class Members {
 public:
  /// `pointer` leads to the object; the body's own is empty. Body and object must outlive it.
  Members(const lang::Node& object, std::string pointer = {}) : object_{object}, pointer_{std::move(pointer)} {}

  /// Null: it is not there, or null.
  [[nodiscard]] const lang::Node* any(std::string_view member);
  [[nodiscard]] std::string text(std::string_view member, bool required = false);
  [[nodiscard]] const lang::Node* object(std::string_view member, bool required = false);
  [[nodiscard]] bool flag(std::string_view member);
  [[nodiscard]] std::int64_t whole(std::string_view member, std::int64_t least, std::int64_t most, std::int64_t otherwise);
  [[nodiscard]] std::vector<std::string> texts(std::string_view member);

  void wrong(Error error, std::string_view member = {});
  [[nodiscard]] std::string pointer_to(std::string_view member) const;
  /// A problem, where anything was wrong or a member is there that nobody asked for.
  [[nodiscard]] Outcome<void> finish();

 private:
  void wrong_type(const lang::Node& node, std::string_view member, std::string_view wanted);
  const lang::Node& object_;
  std::string pointer_;
  std::vector<std::string> known_;
  std::vector<Finding> findings_;
};

/// The problem that tells all of these, with the first of them as its own.
[[nodiscard]] Problem problem_of(std::vector<Finding> findings);

}  // namespace catena::api
