#include "cli/options.hpp"

#include <CLI/CLI.hpp>

#include "cli/environment.hpp"
#include "worker/executors/builtin.hpp"

namespace catena::cli {

CLI::Option* add_output(CLI::App& app, std::string& output) {
  return app.add_option("-o,--output", output, "how to print: text or json (default text)")->check(CLI::IsMember({"text", "json"}))->option_text("FORMAT");
}

CLI::Option* add_data_dir(CLI::App& app, std::string& data_dir) {
  return app.add_option("--data-dir", data_dir, "where the chains are kept")->option_text("DIR");
}

CLI::Option* add_chain(CLI::App& app, std::string& chain) { return app.add_option("id", chain, "the chain's id")->option_text("ID"); }

CLI::Option* add_slots(CLI::App& app, std::uint32_t& slots) {
  return app.add_option("--slots", slots, "how many tasks run at a time (default: twice the processors, at least 4)")
      ->check(CLI::Range(1U, 4096U))
      ->option_text("N");
}

CLI::Option* add_tools(CLI::App& app, std::vector<std::string>& tools) {
  // One value an option, so that what follows is not taken for another folder.
  return app.add_option("--tools", tools, "a folder with definitions and programs; may be given several times")
      ->allow_extra_args(false)
      ->option_text("DIR");
}

Result<DefinitionRoots> open_roots(const std::vector<std::string>& tools, const std::string& definition) {
  auto path = environment("PATH");
  if (path.empty()) path = "/usr/local/bin:/usr/bin:/bin";
  auto configured = configuration();
  if (!configured) return fail(configured.error());
  auto further = split_path_list(environment("CATENA_TOOLS"));
  further.insert(further.end(), configured->settings.roots.begin(), configured->settings.roots.end());
  return DefinitionRoots::open({.tools = tools,
                                .definition = definition,
                                .environment = std::move(further),
                                .search_path = split_path_list(path)});
}

lang::Catalog catalog() { return {worker::builtin_names()}; }

std::optional<lang::Package> load_definition(const std::string& definition, const std::vector<std::string>& tools, Console& console) {
  const auto roots = open_roots(tools, definition);
  if (!roots) {
    console.error(roots.error());
    return std::nullopt;
  }
  auto package = lang::load_package(definition, *roots, catalog());
  if (!package) {
    for (const auto& error : package.error()) console.error(error);
    return std::nullopt;
  }
  for (const auto& warning : package->warnings) console.warning(warning);
  return std::move(*package);
}

ExitCode report(Console& console, const Error& error) {
  console.error(error);
  return exit_code_of(error);
}

}  // namespace catena::cli
