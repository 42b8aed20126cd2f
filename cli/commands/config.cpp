#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/environment.hpp"
#include "cli/options.hpp"
#include "cli/records.hpp"

namespace catena::cli {
namespace {

struct ConfigOptions {
  bool example = false;
  Form form = Form::table;
};

std::string origin_of(const config::Option& option, const config::Loaded& loaded) {
  const auto origin = loaded.origin.find(option.name());
  return origin == loaded.origin.end() ? "default" : origin->second;
}

Json option_json(const config::Option& option, const config::Loaded& loaded) {
  return {{"name", option.name()},         {"value", option.show(loaded.settings)}, {"meaning", option.meaning},
          {"variable", option.variable()}, {"from", origin_of(option, loaded)},     {"live", option.live}};
}

void print_options(const config::Loaded& loaded, Form form, Console& console) {
  RecordPrinter printer{form,
                        "name",
                        {{.title = "OPTION"},
                         {.title = "VALUE", .shortens = true},
                         {.title = "FROM", .shortens = true, .leaves = 1},
                         {.title = "VARIABLE", .only_wide = true},
                         {.title = "MEANING", .only_wide = true}},
                        console};
  for (const auto& option : config::options()) {
    printer.add([&] { return option_json(option, loaded); },
                [&]() -> Cells {
                  return {option.name(), option.show(loaded.settings), origin_of(option, loaded), option.variable(), std::string{option.meaning}};
                });
  }
  printer.finish();
}

}  // namespace

Action define_config(CLI::App& app) {
  const auto options = std::make_shared<ConfigOptions>();
  auto* form = add_record_output(app, options->form, "the names of options");
  form->description("instead of a file that catena reads: " + form->get_description());
  app.add_flag("--example", options->example, "every option with its default, whatever this machine has set: a file to begin with")->excludes(form);
  return [options, form](Console& console) {
    if (options->example) {
      console.out().write(config::example());
      return ExitCode::ok;
    }
    const auto configured = configuration();
    if (!configured) return report(console, configured.error());
    if (form->count() == 0) {
      console.out().write(config::show(*configured));
      return ExitCode::ok;
    }
    print_options(*configured, options->form, console);
    return ExitCode::ok;
  };
}

}  // namespace catena::cli
