#pragma once
// What the worker of this process announces: worker.capabilities of the configuration, with its programs found.
#include <map>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "config/settings.hpp"
#include "lang/program/program.hpp"

namespace catena::cli {

using Capabilities = std::map<std::string, lang::Endpoint>;

/// A program is an absolute path or stands in one of `search_path`. Errors name the option, the capability and what is wrong with it:
/// field_value, program_not_found.
[[nodiscard]] Result<Capabilities> announced(const config::Table& table, const std::vector<std::string>& search_path);

}  // namespace catena::cli
