#include "cli/options.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>

#include "cli/environment.hpp"
#include "worker/executors/builtin.hpp"

namespace catena::cli {

CLI::Option* add_data_dir(CLI::App& app, std::string& data_dir) {
  return app.add_option("--data-dir", data_dir, "where the chains are kept")->option_text("DIR");
}

CLI::Option* add_chain(CLI::App& app, std::string& chain) { return app.add_option("id", chain, "the chain's id")->option_text("ID"); }

CLI::Option* add_reason(CLI::App& app, std::string& reason) {
  return app.add_option("--reason", reason, "why, for the audit log")->option_text("TEXT");
}

CLI::Option* add_slots(CLI::App& app, std::uint32_t& slots) {
  return app.add_option("--slots", slots, "how many tasks run at a time (default: twice the processors, at least 4)")
      ->check(CLI::Range(1U, 4096U))
      ->option_text("N");
}

CLI::Option* add_duration(CLI::App& app, const std::string& name, const std::string& meaning, std::function<void(Millis)> take, Millis most) {
  const auto read = [name, take = std::move(take), most](const std::string& text) {
    const bool bare = text.find_first_not_of("0123456789.") == std::string::npos;
    const auto span = parse_duration(bare ? text + "s" : text);
    if (!span || *span > most) {
      throw CLI::ValidationError(name,
                                 fmt::format("'{}' is no duration of at most {}; write one such as 250ms, 5s, 2m or 1h", text, to_string(most)));
    }
    take(*span);
  };
  return app.add_option_function<std::string>(name, read, meaning)->option_text("DURATION");
}

CLI::Option* add_tools(CLI::App& app, std::vector<std::string>& tools) {
  // One value an option, so that what follows is not taken for another folder.
  return app.add_option("--tools", tools, "a folder with definitions and programs; may be given several times")
      ->allow_extra_args(false)
      ->option_text("DIR");
}

std::vector<std::string> search_path() {
  auto path = environment("PATH");
  if (path.empty()) path = "/usr/local/bin:/usr/bin:/bin";
  return split_path_list(path);
}

std::shared_ptr<ToolDescriber> describer_for(const config::Settings& settings) {
  // who is not root has no other user to be, and hears so where tools are run
  const auto user = ::geteuid() == 0 ? settings.worker_run_as : std::string{};
  return std::make_shared<ToolDescriber>(DescriberOptions{.env_pass = settings.worker_env_pass, .run_as = user});
}

Result<DefinitionRoots> open_roots(const std::vector<std::string>& tools, const std::string& definition) {
  auto configured = configuration();
  if (!configured) return fail(configured.error());
  auto further = split_path_list(environment("CATENA_TOOLS"));
  further.insert(further.end(), configured->settings.roots.begin(), configured->settings.roots.end());
  return DefinitionRoots::open({.tools = tools,
                                .definition = definition,
                                .environment = std::move(further),
                                .search_path = search_path(),
                                .describer = describer_for(configured->settings)});
}

lang::Catalog catalog() { return {worker::builtin_names()}; }

Result<lang::Catalog> configured_catalog() {
  const auto configured = configuration();
  if (!configured) return fail(configured.error());
  auto known = catalog();
  for (const auto& [name, endpoint] : configured->settings.capabilities) known.capabilities.push_back(name);
  auto endpoints = lang::EndpointMap::make(configured->settings.endpoints);
  if (!endpoints) {
    auto error = std::move(endpoints).error();
    error.message = "option 'endpoints': " + error.message;
    error.where.file = configured->origin.at("endpoints");
    return fail(std::move(error));
  }
  known.endpoints = std::move(*endpoints);
  known.binder = configured->settings.plan_binder;
  return known;
}

std::optional<lang::Package> load_definition(const std::string& definition, const std::vector<std::string>& tools, Console& console,
                                             Announced announced, const lang::ReadStored& stored) {
  const auto roots = open_roots(tools, definition);
  const auto known = configured_catalog();
  if (!roots || !known) {
    console.error(roots ? known.error() : roots.error());
    return std::nullopt;
  }
  auto package = stored ? lang::load_package(definition, lang::StoredFinder{*roots, stored}, *known) : lang::load_package(definition, *roots, *known);
  for (const auto& warning : roots->warnings()) console.warning(warning);
  if (!package) {
    for (const auto& error : package.error()) console.error(error);
    return std::nullopt;
  }
  bool runs_here = true;
  for (const auto& warning : package->warnings) {
    if (announced == Announced::elsewhere && warning.code == Code::capability_unknown) continue;
    const bool stops = announced == Announced::here && warning.code == Code::capability_unknown;
    stops ? console.error(warning) : console.warning(warning);
    runs_here = runs_here && !stops;
  }
  return runs_here ? std::optional{std::move(*package)} : std::nullopt;
}

ExitCode report(Console& console, const Error& error) {
  console.error(error);
  return exit_code_of(error);
}

}  // namespace catena::cli
