#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands/commands.hpp"
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
  app.add_flag("-v,--verbose", options->verbose, "say which file each path and name was found in, and what endpoints are mapped to");
  return [options](Console& console) {
    auto code = ExitCode::ok;
    for (const auto& file : options->files) code = worse(code, validate(file, *options, console));
    return code;
  };
}

}  // namespace catena::cli
