#pragma once
// Options that several commands have, so that they are called and mean the same everywhere.
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "cli/console.hpp"
#include "cli/exit_code.hpp"
#include "cli/find/definition_roots.hpp"
#include "lang/package/package.hpp"
#include "lang/package/stored.hpp"

namespace catena::config {
struct Settings;
}

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace catena::cli {

CLI::Option* add_data_dir(CLI::App& app, std::string& data_dir);
CLI::Option* add_chain(CLI::App& app, std::string& chain);
CLI::Option* add_slots(CLI::App& app, std::uint32_t& slots);
CLI::Option* add_reason(CLI::App& app, std::string& reason);

/// A span of time, written 250ms, 5s, 2m or 1h, of at most a day or `most`; a number alone counts seconds.
CLI::Option* add_duration(CLI::App& app, const std::string& name, const std::string& meaning, std::function<void(Millis)> take,
                          Millis most = Millis{86'400'000});

/// --tools DIR, as often as wanted.
CLI::Option* add_tools(CLI::App& app, std::vector<std::string>& tools);

/// PATH as a list of folders.
[[nodiscard]] std::vector<std::string> search_path();

/// Who asks programs for the tools that they serve: they see what tools see.
[[nodiscard]] std::shared_ptr<ToolDescriber> describer_for(const config::Settings& settings);

/// Roots for a definition ("" for none) from --tools, its folder and the environment.
[[nodiscard]] Result<DefinitionRoots> open_roots(const std::vector<std::string>& tools, const std::string& definition);

/// What this program has by itself: all that a pinned package needs.
[[nodiscard]] lang::Catalog catalog();
/// With what the configuration adds: capabilities that are announced, endpoints that are mapped.
[[nodiscard]] Result<lang::Catalog> configured_catalog();

/// Where the capabilities that a definition calls must be announced; elsewhere: nothing is said of it.
enum class Announced { anywhere, here, elsewhere };

/// The definition with all it can reach; all errors and warnings are told. `stored`: where stored definitions come from; null: none are found.
[[nodiscard]] std::optional<lang::Package> load_definition(const std::string& definition, const std::vector<std::string>& tools, Console& console,
                                                           Announced announced = Announced::anywhere, const lang::ReadStored& stored = {});

/// Tells the error; the code that it means.
[[nodiscard]] ExitCode report(Console& console, const Error& error);

}  // namespace catena::cli
