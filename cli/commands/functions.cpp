#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "base/suggest.hpp"
#include "cli/commands/commands.hpp"
#include "cli/options.hpp"
#include "cli/records.hpp"
#include "lang/fn/functions.hpp"

namespace catena::cli {
namespace {

Json function_json(const lang::fn::FnSpec& spec) {
  return {{"name", spec.name}, {"signature", lang::fn::signature(spec)}, {"doc", spec.doc}, {"example", spec.example}, {"result", spec.result}};
}

std::string function_text(const lang::fn::FnSpec& spec) {
  auto text = fmt::format("{}\n  {}\n", lang::fn::signature(spec), spec.doc);
  if (!spec.example.empty()) text += fmt::format("  {}\n    = {}\n", spec.example, spec.result);
  return text;
}

ExitCode print_one(const std::string& name, const std::string& output, Console& console) {
  const auto* spec = lang::fn::find_function(name);
  if (spec == nullptr) {
    return report(console, make_error(Code::usage, fmt::format("there is no function '{}'{}", name, did_you_mean(name, lang::fn::function_names()))));
  }
  if (output == "text") {
    console.out().write(function_text(*spec));
  } else {
    RecordPrinter{output, "name", {}, console}.add(function_json(*spec), {});
  }
  return ExitCode::ok;
}

}  // namespace

Action define_functions(CLI::App& app) {
  struct Options {
    std::string name;
    std::string output = "text";
  };
  const auto options = std::make_shared<Options>();
  app.add_option("name", options->name, "only this one, with an example")->option_text("NAME");
  add_record_output(app, options->output);
  return [options](Console& console) {
    if (!options->name.empty()) return print_one(options->name, options->output, console);
    RecordPrinter printer{options->output, "name", {"FUNCTION", "MEANING"}, console};
    for (const auto& spec : lang::fn::functions()) printer.add(function_json(spec), {lang::fn::signature(spec), std::string{spec.doc}});
    printer.finish();
    return ExitCode::ok;
  };
}

}  // namespace catena::cli
