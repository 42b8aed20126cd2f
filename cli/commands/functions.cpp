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

ExitCode print_one(const std::string& name, Form form, Console& console) {
  const auto* spec = lang::fn::find_function(name);
  if (spec == nullptr) {
    return report(console, make_error(Code::usage, fmt::format("there is no function '{}'{}", name, did_you_mean(name, lang::fn::function_names()))));
  }
  if (for_people(form)) {
    console.out().write(function_text(*spec));
  } else {
    RecordPrinter{form, "name", {}, console}.add([&] { return function_json(*spec); }, {});
  }
  return ExitCode::ok;
}

}  // namespace

Action define_functions(CLI::App& app) {
  struct Options {
    std::string name;
    Form form = Form::table;
  };
  const auto options = std::make_shared<Options>();
  app.add_option("name", options->name, "only this one, with an example")->option_text("NAME");
  add_record_output(app, options->form, "the names of functions");
  return [options](Console& console) {
    if (!options->name.empty()) return print_one(options->name, options->form, console);
    RecordPrinter printer{options->form,
                          "name",
                          {{.title = "FUNCTION", .shortens = true}, {.title = "MEANING", .shortens = true}, {.title = "EXAMPLE", .only_wide = true}},
                          console};
    for (const auto& spec : lang::fn::functions()) {
      printer.add([&] { return function_json(spec); },
                  [&]() -> Cells {
                    return {lang::fn::signature(spec), std::string{spec.doc}, std::string{spec.example}};
                  });
    }
    printer.finish();
    return ExitCode::ok;
  };
}

}  // namespace catena::cli
