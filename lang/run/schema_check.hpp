#pragma once
// Arguments and responses against the schemas of tools.
#include <string_view>

#include "lang/document/json_text.hpp"
#include "lang/program/program.hpp"

namespace catena::lang {

/// Checks arguments (an object as text) against a schema and fills in defaults. `who` begins the message: "step 'x': tool 'y'".
[[nodiscard]] Result<JsonText> check_arguments(JsonText arguments, const Schema& schema, std::string_view who);
/// Checks a response: required keys are there, declared keys have their type. Further keys stay.
[[nodiscard]] Result<void> check_response(const JsonText& response, const Schema& schema, std::string_view who);

}  // namespace catena::lang
