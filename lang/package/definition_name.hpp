#pragma once
// What a definition is called, from as little of its text as tells it: looking for a name must not cost reading everything.
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace catena::lang {

/// "/tools/sum.tool" is called "sum" where it does not say otherwise.
[[nodiscard]] std::string file_stem(std::string_view path);

/// The `name` that the document gives itself; nothing when it gives none, or one that is no text. Reads no further than that: what is wrong
/// behind it is not seen. Errors: json_syntax, yaml_syntax.
[[nodiscard]] Result<std::optional<std::string>> declared_name(std::istream& text);

/// "there is no tool 'x'", with the nearest of the names there are.
[[nodiscard]] Error no_tool_named(std::string_view name, std::span<const std::string> known);

}  // namespace catena::lang
