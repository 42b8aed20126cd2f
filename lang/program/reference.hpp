#pragma once
// The text form of a reference: REF:<context>.<segment>[.<segment>…]. What the names mean is the dialect's business.
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace catena::lang {

struct ReferenceText {
  std::string context;
  std::vector<std::string> segments;  // at least one
};

/// The string begins with REF: and so must be a reference.
[[nodiscard]] bool is_reference(std::string_view text);

/// A string that is no reference, as the value it stands for: `\REF:x` is the text `REF:x`.
[[nodiscard]] std::string literal_text(std::string_view text);

/// A letter, a digit, '_' or '-'.
[[nodiscard]] bool is_step_id_char(char c);

/// An id by which a reference can name a step: of such characters, and not empty.
[[nodiscard]] bool is_step_id(std::string_view id);

/// A name that a reference can reach: not empty, no dot, white space, control character or bracket.
[[nodiscard]] bool is_segment(std::string_view name);

/// Error: reference_syntax, with what to write instead.
[[nodiscard]] Result<ReferenceText> parse_reference(std::string_view text, const Place& where);

}  // namespace catena::lang
