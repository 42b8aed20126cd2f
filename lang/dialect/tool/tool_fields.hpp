#pragma once
// The parts of the tool and agent dialects that declare: schemas of arguments and responses, and how attempts are made. Other dialects use
// them, too.
#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

#include "lang/dialect/shared/object_reader.hpp"
#include "lang/dialect/shared/spelling.hpp"
#include "lang/program/definition.hpp"

namespace catena::lang {

inline constexpr std::size_t kFieldsMax = 1'000;  // of one schema: every step that calls the definition carries a copy
inline constexpr double kBackoffMax = 1'000;

/// The list of fields under `key` ("arguments", "responses", or as the dialect spells it); absent: none.
[[nodiscard]] Schema read_schema(ObjectReader& definition, std::string_view key, const Spelling& spelling, Report& report);

/// A JSON Schema under `key`; null: there is none, or it is none and was reported.
[[nodiscard]] std::shared_ptr<const JsonSchema> read_json_schema(ObjectReader& owner, std::string_view key);

/// What every definition has: name, description and version, which only gets a report.
[[nodiscard]] Definition read_head(const Node& document, ObjectReader& reader);
/// What a program takes over from its definition as it is.
[[nodiscard]] Program with_head(Program program, const Definition& definition);

/// The value of a variable of the environment. Without one only constants are values.
using ReadValue = std::function<Expr(const Node&)>;
/// retry, timeout, heartbeat_timeout, deadline, effect, needs, env, cwd and approve of a definition or an instruction.
[[nodiscard]] CallSettings read_call_settings(ObjectReader& reader, Report& report, const ReadValue& read_value = {});
/// Reports env, cwd and heartbeat_timeout where what is called is no process.
void check_surroundings(ObjectReader& reader, const Definition& target);

/// Fields that read_call_settings reads.
inline constexpr std::string_view kCallSettingsFields[] = {"retry", "timeout", "heartbeat_timeout", "deadline", "effect", "needs", "env",
                                                           "cwd",   "approve"};

}  // namespace catena::lang
