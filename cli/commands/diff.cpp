#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/options.hpp"
#include "cli/place.hpp"
#include "cli/records.hpp"
#include "cli/show/diff_page.hpp"

namespace catena::cli {
namespace {

struct DiffOptions {
  std::string chain;
  std::string other;
  Form form = Form::table;
  Place place;
};

ExitCode print_diff(const DiffOptions& options, Console& console) {
  const auto shelf = open_shelf(options.place, console);
  if (!shelf) return report(console, shelf.error());
  const auto diff = client::whole_diff(*shelf->questions, ChainId{options.chain}, ChainId{options.other});
  if (!diff) return report(console, diff.error());
  if (for_people(options.form)) {
    console.out().write(diff_text(*diff, {.columns = console.columns(), .wide = options.form == Form::wide, .style = console.style()}));
  } else {
    print_record(options.form, dump_lossy(client::to_json(*diff)), options.chain, console);
  }
  return ExitCode::ok;
}

}  // namespace

Action define_diff(CLI::App& app) {
  const auto options = std::make_shared<DiffOptions>();
  add_chain(app, options->chain)->required();
  app.add_option("other", options->other, "the chain that it is compared with")->required()->option_text("OTHER");
  add_record_output(app, options->form, "the id of the first chain");
  add_place(app, options->place);
  return [options](Console& console) { return print_diff(*options, console); };
}

}  // namespace catena::cli
