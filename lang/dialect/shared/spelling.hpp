#pragma once
// Dialects that say the same in other words. This table is all that the tool and the agent dialect differ in; of the composite dialect it
// has what it calls the parts of a declared field.
#include <string>
#include <string_view>

namespace catena::lang {

struct Spelling {
  std::string_view dialect;
  std::string_view arguments;  // what a definition takes
  std::string_view responses;  // what it gives
  std::string_view call_path;  // whom an instruction calls
  std::string_view call_inline;
  std::string_view short_type = {};  // a field's type, beside `type`
  std::string_view type = "type_name";
  std::string_view default_value = "default_value";
  std::string_view argument = "argument";  // one of `arguments`, in messages
};

inline constexpr Spelling kToolSpelling{"tool", "arguments", "responses", "tool_definition_path", "tool_definition"};
inline constexpr Spelling kAgentSpelling{"agent", "argument_definitions", "response_definitions", "agent_definition_path", "agent_definition",
                                         "type"};
inline constexpr Spelling kCompositeSpelling{"composite", "parameters", "", "tool", "", "", "type", "default", "parameter"};

/// Why a field is not known here, if it is the other dialect's word for one that is; else empty.
[[nodiscard]] std::string said_otherwise(const Spelling& own, std::string_view key);

}  // namespace catena::lang
