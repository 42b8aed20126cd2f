#pragma once
// The parts of the tool and agent dialects that declare: schemas of arguments and responses, and how attempts are made. Other dialects use
// them, too.
#include <cstddef>
#include <string_view>

#include "lang/dialect/shared/object_reader.hpp"
#include "lang/dialect/shared/spelling.hpp"
#include "lang/program/definition.hpp"

namespace catena::lang {

inline constexpr std::size_t kFieldsMax = 1'000;  // of one schema: every step that calls the definition carries a copy
inline constexpr double kBackoffMax = 1'000;

/// The list of fields under `key` ("arguments", "responses", or as the dialect spells it); absent: none.
[[nodiscard]] Schema read_schema(ObjectReader& definition, std::string_view key, const Spelling& spelling, Report& report);

/// `version` of a definition, only for what it reports.
void read_version(ObjectReader& reader);

/// retry, timeout, deadline, effect and needs of a definition or an instruction.
[[nodiscard]] CallSettings read_call_settings(ObjectReader& reader, Report& report);

/// Fields that read_call_settings reads.
inline constexpr std::string_view kCallSettingsFields[] = {"retry", "timeout", "deadline", "effect", "needs"};

}  // namespace catena::lang
