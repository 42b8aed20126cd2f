#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/options.hpp"
#include "cli/text.hpp"
#include "lang/value_check.hpp"
#include "worker/executors/builtin.hpp"

namespace catena::cli {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kFilesMax = 10'000;
constexpr int kDepthMax = 8;
constexpr std::array kEndings{".tool", ".agent", ".json", ".yaml", ".yml"};

struct ToolsOptions {
  std::vector<std::string> tools;
  std::string output = "text";
};

struct Listed {
  std::string path;  // as a definition would refer to it
  std::string file;
  std::optional<lang::Package> package;
  std::size_t errors = 0;
};

/// A file that is no definition at all is passed over, whatever it ends with; one with mistakes is listed with their number.
std::optional<Listed> read(const fs::path& root, const fs::path& file, const DefinitionRoots& roots) {
  Listed listed{"/" + file.lexically_relative(root).string(), file.string(), {}, 0};
  auto package = lang::load_package(listed.file, roots, configured_catalog().value_or(catalog()));
  if (package) {
    listed.package = std::move(*package);
    return listed;
  }
  listed.errors = package.error().size();
  const auto code = package.error().front().code;
  const bool foreign = file.extension() != ".tool" && (code == Code::dialect_unknown || code == Code::json_syntax || code == Code::yaml_syntax);
  return foreign ? std::nullopt : std::optional{std::move(listed)};
}

std::vector<fs::path> files_in(const fs::path& root) {
  std::vector<fs::path> files;
  std::error_code failed;
  fs::recursive_directory_iterator at{root, fs::directory_options::skip_permission_denied, failed};
  for (const fs::recursive_directory_iterator end; !failed && at != end && files.size() < kFilesMax; at.increment(failed)) {
    if (at.depth() >= kDepthMax) at.disable_recursion_pending();
    std::error_code gone;
    if (at->is_regular_file(gone) && std::ranges::find(kEndings, at->path().extension()) != kEndings.end()) files.push_back(at->path());
  }
  std::ranges::sort(files);
  return files;
}

std::vector<Listed> definitions(const DefinitionRoots& roots) {
  std::vector<Listed> found;
  for (const auto& root : roots.roots()) {
    for (const auto& file : files_in(root)) {
      if (auto listed = read(root, file, roots)) found.push_back(std::move(*listed));
    }
  }
  return found;
}

Json fields_json(const lang::Schema& schema) {
  Json fields = Json::array();
  for (const auto& field : schema.fields) {
    Json json{{"name", field.name}, {"type_name", lang::word(field.type)}, {"required", field.required}};
    if (!field.description.empty()) json["description"] = field.description;
    if (field.default_value) json["default_value"] = *field.default_value;
    if (!field.allowed.empty()) json["enum"] = field.allowed;
    fields.push_back(std::move(json));
  }
  return fields;
}

void print_fields(const lang::Schema& schema, std::string_view label, Output& out) {
  for (const auto& field : schema.fields) {
    auto text = fmt::format("    {} {}: {}{}", label, field.name, lang::word(field.type), field.required ? "" : ", optional");
    if (field.default_value) text += ", default " + lang::abbreviated(*field.default_value);
    if (!field.description.empty()) text += " - " + field.description;
    out.line(printable(text));
  }
}

void print_builtins(const ToolsOptions& options, Output& out) {
  if (options.output == "text") out.line("builtins");
  for (const auto& builtin : worker::builtins()) {
    const auto arguments = worker::to_schema(builtin.arguments);
    const auto responses = worker::to_schema(builtin.responses);
    if (options.output == "json") {
      out.line(Json{{"builtin", builtin.name}, {"description", builtin.doc}, {"arguments", fields_json(arguments)}, {"responses", fields_json(responses)}}.dump());
      continue;
    }
    out.line(fmt::format("  builtin:{} - {}", builtin.name, builtin.doc));
    print_fields(arguments, "takes", out);
    print_fields(responses, "gives", out);
  }
}

void print_definition(const Listed& listed, const ToolsOptions& options, Output& out) {
  const auto* program = listed.package ? &listed.package->main() : nullptr;
  if (options.output == "json") {
    Json json{{"definition", listed.path}, {"file", listed.file}, {"valid", program != nullptr}};
    if (program != nullptr) {
      json["name"] = program->name;
      json["description"] = program->description;
      json["arguments"] = fields_json(program->arguments);
      json["responses"] = fields_json(program->responses);
    }
    return out.line(json.dump(-1, ' ', false, Json::error_handler_t::replace));
  }
  if (program == nullptr) {
    return out.line(fmt::format("  {} - {}; `catena validate {}` shows them", listed.path, counted(listed.errors, "error"), listed.file));
  }
  out.line(printable(fmt::format("  {}{}{}", listed.path, program->description.empty() ? "" : " - ", program->description)));
  print_fields(program->arguments, "takes", out);
  print_fields(program->responses, "gives", out);
}

ExitCode tools(const ToolsOptions& options, Console& console) {
  const auto roots = open_roots(options.tools, "");
  if (!roots) return report(console, roots.error());
  print_builtins(options, console.out());
  if (options.output == "text" && !roots->roots().empty()) console.out().line("\ndefinitions");
  for (const auto& listed : definitions(*roots)) print_definition(listed, options, console.out());
  return ExitCode::ok;
}

}  // namespace

Action define_tools(CLI::App& app) {
  const auto options = std::make_shared<ToolsOptions>();
  add_tools(app, options->tools);
  add_output(app, options->output);
  return [options](Console& console) { return tools(*options, console); };
}

}  // namespace catena::cli
