#pragma once
// What the command line takes from the environment, in one place.
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "config/settings.hpp"

namespace catena::cli {

/// The variable's value; empty when it is not set.
[[nodiscard]] std::string environment(const char* variable);

/// Names of all variables there are.
[[nodiscard]] std::vector<std::string> environment_names();

/// Parts of a colon-separated list, without empty ones.
[[nodiscard]] std::vector<std::string> split_path_list(std::string_view list);

/// The configuration file and its variables: CATENA_CONFIG, or the first file in its usual places.
[[nodiscard]] Result<config::Loaded> configuration();

/// Where chains are kept: `chosen` (--data-dir), then CATENA_DATA_DIR, then storage.data_dir of the configuration, then
/// $XDG_STATE_HOME/catena, then ~/.local/state/catena.
[[nodiscard]] Result<std::string> data_directory(const std::string& chosen);

}  // namespace catena::cli
