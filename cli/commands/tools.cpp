#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "base/suggest.hpp"
#include "cli/commands/commands.hpp"
#include "cli/commands/tools_import.hpp"
#include "cli/find/tool_files.hpp"
#include "cli/options.hpp"
#include "cli/records.hpp"
#include "cli/show/text.hpp"
#include "client/records.hpp"
#include "lang/dialect/dialect.hpp"
#include "lang/package/definition_name.hpp"
#include "lang/program/description.hpp"
#include "lang/program/endpoint.hpp"
#include "lang/program/value_check.hpp"
#include "worker/core_tools.hpp"
#include "worker/executors/builtin.hpp"

namespace catena::cli {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kListedFilesMax = 10'000;
constexpr int kDepthMax = 8;

struct ToolsOptions {
  std::string name;  // of the one to describe; empty: all
  std::vector<std::string> tools;
  Form form = Form::table;
};

struct Listed {
  std::string path;  // as a definition would refer to it
  std::string file;
  std::string name;  // as a definition would call it
  std::string kind;  // how it is executed, or the dialect that its steps are written in; empty: nobody knows
  std::optional<lang::Package> package;
  std::size_t errors = 0;
};

/// A primitive is of the kind of its endpoint, anything else of its dialect.
std::string kind_of(const lang::Node& document, const lang::Package& package) {
  const auto* endpoint = document.find("system_event_endpoint");
  const auto& steps = package.main().steps;
  if (endpoint != nullptr && steps.size() == 1) {
    if (const auto* call = std::get_if<lang::ToolCall>(&steps.front().call)) return call->endpoint.kind;
  }
  const auto dialect = lang::recognise(document);
  return dialect ? std::string{(*dialect)->name} : std::string{};
}

void identify(Listed& listed, const DefinitionRoots& roots) {
  listed.name = lang::file_stem(listed.file);
  const auto source = roots.definition(listed.file, "");
  const auto document = source ? lang::read_document(source->text, listed.file) : fail(source.error());
  if (!document) return;
  const auto* name = document->find("name");
  if (name != nullptr && name->kind == lang::JsonKind::string && name->scalar != "") listed.name = name->scalar.get<std::string>();
  if (listed.package) listed.kind = kind_of(*document, *listed.package);
}

/// A file that is no definition at all is passed over, whatever it ends with; one with mistakes is listed with their number.
std::optional<Listed> read(Listed listed, const DefinitionRoots& roots) {
  auto package = lang::load_package(listed.file, roots, configured_catalog().value_or(catalog()));
  if (package) listed.package = std::move(*package);
  identify(listed, roots);
  if (package) return listed;
  listed.errors = package.error().size();
  const auto code = package.error().front().code;
  const bool foreign = !listed.file.ends_with(".tool") && (code == Code::dialect_unknown || code == Code::json_syntax || code == Code::yaml_syntax);
  return foreign ? std::nullopt : std::optional{std::move(listed)};
}

std::vector<fs::path> files_in(const fs::path& root) {
  std::vector<fs::path> files;
  std::error_code failed;
  fs::recursive_directory_iterator at{root, fs::directory_options::skip_permission_denied, failed};
  for (const fs::recursive_directory_iterator end; !failed && at != end && files.size() < kListedFilesMax; at.increment(failed)) {
    if (at.depth() >= kDepthMax) at.disable_recursion_pending();
    std::error_code gone;
    if (at->is_regular_file(gone) && may_be_definition(at->path())) files.push_back(at->path());
  }
  std::ranges::sort(files);
  return files;
}

std::vector<Listed> definitions(const DefinitionRoots& roots) {
  std::vector<Listed> found;
  for (const auto& root : roots.roots()) {
    for (const auto& file : files_in(root)) {
      if (auto listed = read({"/" + file.lexically_relative(root).string(), file.string(), {}, {}, {}, 0}, roots))
        found.push_back(std::move(*listed));
    }
  }
  return found;
}

void print_fields(const lang::Schema& schema, std::string_view label, Output& out) {
  for (const auto& field : schema.fields) {
    auto text = fmt::format("    {} {}: {}{}", label, field.name, lang::word(field.type), field.required ? "" : ", optional");
    if (field.default_value) text += ", default " + lang::abbreviated(*field.default_value);
    if (!field.description.empty()) text += " - " + field.description;
    out.line(printable(text));
  }
}

const lang::Step* process_of(const Listed& listed) {
  const auto& steps = listed.package->main().steps;
  if (steps.size() != 1) return nullptr;
  const auto* call = std::get_if<lang::ToolCall>(&steps.front().call);
  return call != nullptr && lang::runs_program(call->endpoint) ? &steps.front() : nullptr;
}

Json variables_json(const lang::Surroundings& surroundings) {
  auto variables = Json::object();
  for (const auto& variable : surroundings.environment) {
    const auto* literal = std::get_if<lang::Literal>(&variable.value.node);
    if (!variable.secret.empty())
      variables[variable.name] = fmt::format("{}{}", lang::kSecretPrefix, variable.secret);
    else if (literal != nullptr)
      variables[variable.name] = literal->value.is_string() ? literal->value : Json(literal->value.dump());
  }
  return variables;
}

/// What its process finds besides its arguments.
struct ProcessFinds {
  std::string directory;
  Json variables;
  std::vector<std::string> files;  // that travel
};

ProcessFinds found_by(const Listed& listed, const lang::Step& step, const DefinitionRoots& roots) {
  ProcessFinds found{step.surroundings.directory, variables_json(step.surroundings), {}};
  if (found.directory.empty()) found.directory = "where the chain was submitted (catena run), or a fresh folder (on a cluster)";
  if (const auto tools = tool_files(*listed.package, roots.roots())) {
    for (const auto& [key, tool] : *tools) {
      for (const auto& file : tool.files) found.files.push_back(file.lexically_relative(tool.folder).string());
    }
  }
  return found;
}

void print_found(const ProcessFinds& found, Output& out) {
  out.line(printable(fmt::format("    starts in {}", found.directory)));
  for (const auto& [name, value] : found.variables.items()) out.line(printable(fmt::format("    has {}={}", name, value.get<std::string>())));
  if (!found.files.empty()) out.line(printable(fmt::format("    takes along {}", fmt::join(found.files, ", "))));
}

std::vector<Listed> core_definitions(const DefinitionRoots& roots) {
  std::vector<Listed> found;
  for (const auto& tool : worker::core_tools()) {
    const std::string path{tool.path};
    if (auto listed = read({path, path, {}, {}, {}, 0}, roots)) found.push_back(std::move(*listed));
  }
  return found;
}

Json builtin_json(const worker::Builtin& builtin) {
  Json json{{"builtin", builtin.name},
            {"kind", "builtin"},
            {"description", builtin.doc},
            {"arguments", lang::fields_json(worker::to_schema(builtin.arguments))},
            {"responses", lang::fields_json(worker::to_schema(builtin.responses))}};
  if (!builtin.core_tool.empty()) json["definition"] = builtin.core_tool;
  return json;
}

void describe_builtin(const worker::Builtin& builtin, Output& out) {
  const auto described = builtin.core_tool.empty() ? std::string{} : fmt::format("; `catena tools {}` says what it takes", builtin.core_tool);
  out.line(fmt::format("  builtin:{} - {}{}", builtin.name, builtin.doc, described));
  print_fields(worker::to_schema(builtin.arguments), "takes", out);
  print_fields(worker::to_schema(builtin.responses), "gives", out);
}

Json definition_json(const Listed& listed, const DefinitionRoots& roots) {
  const auto* program = listed.package ? &listed.package->main() : nullptr;
  const auto* process = program != nullptr ? process_of(listed) : nullptr;
  Json json{{"definition", listed.path}, {"file", listed.file}, {"valid", program != nullptr}};
  if (program != nullptr) {
    json["name"] = program->name;
    json["kind"] = listed.kind;
    json["description"] = program->description;
    json["arguments"] = lang::fields_json(program->arguments);
    json["responses"] = lang::fields_json(program->responses);
  }
  if (process != nullptr) {
    auto found = found_by(listed, *process, roots);
    json["env"] = std::move(found.variables);
    json["cwd"] = process->surroundings.directory;
    json["files"] = std::move(found.files);
  }
  return json;
}

std::string errors_text(const Listed& listed) {
  return fmt::format("{}; `catena validate {}` shows them", counted(listed.errors, "error"), listed.file);
}

void describe_definition(const Listed& listed, const DefinitionRoots& roots, Output& out) {
  if (!listed.package) return out.line(printable(fmt::format("  {} - {}", listed.path, errors_text(listed))));
  const auto* program = &listed.package->main();
  const auto* process = process_of(listed);
  out.line(printable(
      fmt::format("  {} ({}) {}{}{}", listed.name, listed.kind, listed.path, program->description.empty() ? "" : " - ", program->description)));
  print_fields(program->arguments, "takes", out);
  print_fields(program->responses, "gives", out);
  if (process != nullptr) print_found(found_by(listed, *process, roots), out);
}

/// A table of tools, or what was asked for instead. A name is what `catena tools` takes.
class ToolList {
 public:
  ToolList(Form form, const DefinitionRoots& roots, Console& console)
      : form_{form},
        roots_{roots},
        printer_{form,
                 "name",
                 {{.title = "NAME", .shortens = true},
                  {.title = "KIND"},
                  {.title = "PATH", .shortens = true, .where = Cut::middle, .leaves = 1},
                  {.title = "MEANING", .shortens = true},
                  {.title = "FILE", .only_wide = true}},
                 console} {}

  void add(const worker::Builtin& builtin) {
    const auto name = fmt::format("builtin:{}", builtin.name);
    printer_.add(
        [&] {
          return form_ == Form::name ? Json{{"name", name}} : builtin_json(builtin);
        },
        [&]() -> Cells {
          return {name, "builtin", std::string{builtin.core_tool}, std::string{builtin.doc}, ""};
        });
  }
  void add(const Listed& listed) {
    printer_.add(
        [&] {
          return form_ == Form::name ? Json{{"name", listed.path}} : definition_json(listed, roots_);
        },
        [&]() -> Cells {
          return {listed.name, listed.package ? listed.kind : "invalid", listed.path,
                  listed.package ? listed.package->main().description : errors_text(listed), listed.file};
        });
  }
  void finish() { printer_.finish(); }

 private:
  Form form_;
  const DefinitionRoots& roots_;
  RecordPrinter printer_;
};

/// "math", "math.tool", "/tools/core/math.tool" and "builtin:math" name what a person means.
bool is_named(std::string_view path, std::string_view name) {
  const auto file = path.substr(path.find_last_of('/') + 1);
  return path == name || file == name || lang::file_stem(file) == name;
}

ExitCode describe_tool(const ToolsOptions& options, const DefinitionRoots& roots, Console& console) {
  std::vector<std::string> names;
  std::size_t found = 0;
  const auto wanted = [&](std::string_view path, std::string_view name) {
    names.emplace_back(name);
    const bool meant = name == options.name || is_named(path, options.name);
    found += meant ? 1U : 0U;
    return meant;
  };
  ToolList list{options.form, roots, console};
  const auto tell = [&](const auto& tool) {
    if (!for_people(options.form)) return list.add(tool);
    if constexpr (std::is_same_v<std::decay_t<decltype(tool)>, Listed>) return describe_definition(tool, roots, console.out());
    if constexpr (std::is_same_v<std::decay_t<decltype(tool)>, worker::Builtin>) return describe_builtin(tool, console.out());
  };
  for (const auto& listed : core_definitions(roots)) {
    if (wanted(listed.path, listed.name)) tell(listed);
  }
  for (const auto& builtin : worker::builtins()) {
    // a builtin behind a core tool is meant only by its full name
    const auto full = fmt::format("builtin:{}", builtin.name);
    if (options.name == full || (builtin.core_tool.empty() && wanted(builtin.name, builtin.name))) {
      tell(builtin);
      ++found;
    }
  }
  for (const auto& listed : definitions(roots)) {
    if (wanted(listed.path, listed.name)) tell(listed);
  }
  if (found == 0 && tool_of_file(options.name)) {
    if (const auto served = read({options.name, options.name, {}, {}, {}, 0}, roots)) {
      tell(*served);
      ++found;
    }
  }
  if (found > 0) return ExitCode::ok;
  return report(console, make_error(Code::usage, fmt::format("there is no tool '{}'{}; `catena tools` lists them", options.name,
                                                             did_you_mean(options.name, names))));
}

ExitCode tools(const ToolsOptions& options, Console& console) {
  const auto roots = open_roots(options.tools, tool_of_file(options.name) ? options.name : "");
  if (!roots) return report(console, roots.error());
  if (!options.name.empty()) return describe_tool(options, *roots, console);
  ToolList list{options.form, *roots, console};
  for (const auto& listed : core_definitions(*roots)) list.add(listed);
  for (const auto& builtin : worker::builtins()) list.add(builtin);
  for (const auto& listed : definitions(*roots)) list.add(listed);
  list.finish();
  if (!console.out_live() || !for_people(options.form)) return ExitCode::ok;
  console.say("`catena tools NAME` says what one takes and gives");
  return ExitCode::ok;
}

}  // namespace

Action define_tools(CLI::App& app) {
  const auto options = std::make_shared<ToolsOptions>();
  app.add_option("name", options->name, "the tool to describe, with all it takes and gives (default: all); FILE#NAME is a tool that a program serves")
      ->option_text("NAME");
  add_tools(app, options->tools);
  add_record_output(app, options->form, "what `catena tools` takes");
  const auto import = std::make_shared<ImportOptions>();
  define_tools_import(app, import);
  return [options, import](Console& console) { return import->asked ? import_tools(*import, console) : tools(*options, console); };
}

}  // namespace catena::cli
