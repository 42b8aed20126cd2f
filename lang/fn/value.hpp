#pragma once
// A value on its way through an expression: owned, or a window on one that outlives it, so that a path through a large list copies nothing.
#include <string_view>
#include <utility>

#include "base/json.hpp"

namespace catena::lang::fn {

class Value {
 public:
  // Round brackets: braces would make a list of the one value.
  Value(Json owned) : owned_(std::move(owned)) {}  // NOLINT: a value is what a function returns
  [[nodiscard]] static Value borrowed(const Json& lasting) {
    Value made{Json(nullptr)};
    made.lasting_ = &lasting;
    return made;
  }

  [[nodiscard]] const Json& get() const { return lasting_ != nullptr ? *lasting_ : owned_; }
  [[nodiscard]] bool is_borrowed() const { return lasting_ != nullptr; }
  /// Copies when borrowed.
  [[nodiscard]] Json take() && { return lasting_ != nullptr ? *lasting_ : std::move(owned_); }

 private:
  Json owned_;
  const Json* lasting_ = nullptr;
};

/// How a value is called in messages: the language's words, not the library's.
[[nodiscard]] std::string_view kind_of(const Json& value);
/// null, false, 0, "", [] and {} are false.
[[nodiscard]] bool truthy(const Json& value);

/// What a value costs: one for each part, and for each 64 bytes of text. O(value).
[[nodiscard]] std::uint64_t steps_of(const Json& value);
/// About how much memory a copy takes. O(value).
[[nodiscard]] std::uint64_t bytes_of(const Json& value);
[[nodiscard]] bool nests_deeper_than(const Json& value, int levels);

/// The same text for equal values, 1 and 1.0 included; different texts for different ones.
[[nodiscard]] std::string canonical_text(const Json& value);

/// How many characters (code points) a text has.
[[nodiscard]] std::size_t characters(std::string_view text);
/// Where a text stands in another, or npos. Linear, whatever the texts.
[[nodiscard]] std::size_t find_text(std::string_view whole, std::string_view part, std::size_t from = 0);

}  // namespace catena::lang::fn
