#pragma once
// A JSON Schema made safe for the library that checks values against it. Internal to lang/document/json_schema*.
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"

namespace catena::lang::json_schema {

/// What `pattern` is called in a prepared schema: a keyword of ours, matched in time linear in the text.
inline constexpr std::string_view kPattern = "catena:pattern";

struct Prepared {
  Json schema;
  std::vector<std::string> problems;  // each with the place inside
};

/// Takes out what only describes, and finds what the library would not survive or would silently pass over: references into other documents
/// or round in circles, patterns that take for ever, keywords it does not know.
[[nodiscard]] Prepared prepare(const Json& schema);

/// Whole numbers as integers, at any depth: 1.0 is an integer in JSON Schema.
[[nodiscard]] Json with_integers(Json value);

}  // namespace catena::lang::json_schema
