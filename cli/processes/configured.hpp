#pragma once
// What the configuration says, as the parts that run chains take it.
#include <memory>
#include <string>

#include "cli/processes/embedded.hpp"
#include "config/settings.hpp"
#include "coordinator/log_book.hpp"
#include "coordinator/services.hpp"
#include "worker/executor.hpp"

namespace catena::cli {

/// Errors: field_unknown, field_value, of chains.retention.
[[nodiscard]] Result<coordinator::Settings> chain_settings(const config::Settings& settings);
/// What is kept of what attempts print.
[[nodiscard]] coordinator::LogLimits log_limits(const config::Settings& settings);
/// Where a process that has a data directory writes the programs of chains.
[[nodiscard]] std::string programs_directory(const config::Settings& settings, const std::string& data_dir);
/// Errors: those of worker.capabilities and worker.run_as.
[[nodiscard]] Result<worker::ExecutorOptions> executor_options(const config::Settings& settings);

/// What process.inspectable says; without it the process stays as main() made it.
void apply_inspection(const config::Settings& settings);

/// Coordinator and worker over a data directory, as configured; `slots` 0: as configured; `clock` null: one of its own.
[[nodiscard]] Result<std::unique_ptr<Embedded>> open_embedded(const std::string& directory, std::uint32_t slots, const Clock* clock);

}  // namespace catena::cli
