#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/find/tool_files.hpp"
#include "cli/options.hpp"
#include "lang/package/context.hpp"
#include "lang/program/endpoint.hpp"

namespace catena::cli {
namespace {

struct ValidateOptions {
  std::vector<std::string> files;
  std::vector<std::string> tools;
  bool verbose = false;
};

std::string what_travels(const ToolFiles& tool) {
  std::vector<std::string> paths;
  for (const auto& path : tool.files) paths.push_back(path.lexically_relative(tool.folder).string());
  return fmt::format("tool '{}' takes along from '{}': {}", tool.name, tool.folder.string(), fmt::join(paths, ", "));
}

ExitCode validate(const std::string& file, const ValidateOptions& options, Console& console) {
  auto roots = open_roots(options.tools, file);
  if (!roots) return report(console, roots.error());
  if (options.verbose) {
    roots->observe(
        [&](std::string_view path, std::string_view from, std::string_view key) { console.say(fmt::format("{}: '{}' is {}", from, path, key)); });
  }
  const auto known = configured_catalog();
  if (!known) return report(console, known.error());
  const auto package = lang::load_package(file, *roots, *known);
  for (const auto& warning : roots->warnings()) console.warning(warning);
  if (!package) {
    for (const auto& error : package.error()) console.error(error);
    return ExitCode::usage;
  }
  for (const auto& warning : package->warnings) console.warning(warning);
  if (options.verbose) {
    for (const auto& [form, mapped] : package->mapped) {
      console.say(fmt::format("{}: the endpoint '{}' is mapped to '{}'", file, form, lang::endpoint_text(lang::resolve(mapped, {}).value())));
    }
  }
  const auto tools = tool_files(*package, roots->roots());
  if (!tools) return report(console, tools.error());
  for (const auto& [key, tool] : *tools) {
    if (options.verbose) console.say(fmt::format("{}: {}", file, what_travels(tool)));
  }
  for (const auto& [name, by] : lang::required_context(*package)) {
    console.say(fmt::format("{}: a submission has to give '{}' with --context; {} requires it", file, name, fmt::join(by, ", ")));
  }
  console.out().line(fmt::format("ok {} ({})", file, package->hash));
  return ExitCode::ok;
}

}  // namespace

Action define_validate(CLI::App& app) {
  const auto options = std::make_shared<ValidateOptions>();
  app.add_option("files", options->files, "the definitions to check")->required()->option_text("FILE...");
  add_tools(app, options->tools);
  app.add_flag("-v,--verbose", options->verbose,
               "say which file each path and name was found in, what endpoints are mapped to, and which files travel with tools");
  return [options](Console& console) {
    auto code = ExitCode::ok;
    for (const auto& file : options->files) code = worse(code, validate(file, *options, console));
    return code;
  };
}

}  // namespace catena::cli
