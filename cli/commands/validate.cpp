#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/find/tool_describer.hpp"
#include "cli/find/tool_files.hpp"
#include "cli/options.hpp"
#include "cli/records.hpp"
#include "lang/package/context.hpp"
#include "lang/program/endpoint.hpp"

namespace catena::cli {
namespace {

struct ValidateOptions {
  std::vector<std::string> files;
  std::vector<std::string> tools;
  bool verbose = false;
  Form form = Form::table;
};

Json verdict_json(const std::string& file, const std::string& hash, const std::vector<Error>& errors, const std::vector<Error>& warnings) {
  Json json{{"file", file}, {"valid", errors.empty()}};
  if (!hash.empty()) json["package"] = hash;
  for (const auto& error : errors) json["errors"].push_back(to_json(error));
  for (const auto& warning : warnings) json["warnings"].push_back(to_json(warning));
  return json;
}

/// A program that reads verdicts gets them instead of messages.
void print_verdict(const ValidateOptions& options, const Json& verdict, Console& console) {
  if (options.form == Form::yaml) return console.out().write(yaml_element(verdict));
  if (options.form != Form::name || verdict.at("valid") == true)
    print_record(options.form, dump_lossy(verdict), verdict.at("file").get<std::string>(), console);
}

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
  const bool people = for_people(options.form);
  if (!package) {
    if (people || options.form == Form::name) {
      for (const auto& error : package.error()) console.error(error);
    }
    if (!people) print_verdict(options, verdict_json(file, "", package.error(), {}), console);
    return ExitCode::usage;
  }
  if (people || options.form == Form::name) {
    for (const auto& warning : package->warnings) console.warning(warning);
  }
  if (options.verbose) {
    for (const auto& [form, mapped] : package->mapped) {
      console.say(fmt::format("{}: the endpoint '{}' is mapped to '{}'", file, form, lang::endpoint_text(lang::resolve(mapped, {}).value())));
    }
  }
  if (const auto checked = check_descriptions(*package, roots->describer()); !checked) {
    if (people || options.form == Form::name) return report(console, checked.error());
    print_verdict(options, verdict_json(file, "", {checked.error()}, {}), console);
    return ExitCode::usage;
  }
  const auto tools = tool_files(*package, roots->roots());
  if (!tools) return report(console, tools.error());
  for (const auto& [key, tool] : *tools) {
    if (options.verbose) console.say(fmt::format("{}: {}", file, what_travels(tool)));
  }
  for (const auto& [name, by] : lang::required_context(*package)) {
    console.say(fmt::format("{}: a submission has to give '{}' with --context; {} requires it", file, name, fmt::join(by, ", ")));
  }
  if (people) {
    console.out().line(fmt::format("{} {} ({})", painted("ok", Shade::good, console.style()), printable(file), package->hash));
  } else {
    print_verdict(options, verdict_json(file, package->hash, {}, package->warnings), console);
  }
  return ExitCode::ok;
}

}  // namespace

Action define_validate(CLI::App& app) {
  const auto options = std::make_shared<ValidateOptions>();
  app.add_option("files", options->files, "the definitions to check")->required()->option_text("FILE...");
  add_tools(app, options->tools);
  app.add_flag("-v,--verbose", options->verbose,
               "say which file each path and name was found in, what endpoints are mapped to, and which files travel with tools");
  add_record_output(app, options->form, "the files that are valid");
  return [options](Console& console) {
    auto code = ExitCode::ok;
    for (const auto& file : options->files) code = worse(code, validate(file, *options, console));
    return code;
  };
}

}  // namespace catena::cli
