#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/place.hpp"
#include "cli/records.hpp"
#include "client/records.hpp"

namespace catena::cli {
namespace {

struct ApprovalsOptions {
  Place place;
  Form form = Form::table;
  std::string chain;
  std::string who;
  std::string namespace_;
};

std::string waits_at(const storage::WaitingApproval& row) { return row.fan_out ? row.step + "/" + row.items : row.step; }

ExitCode list_waiting(const ApprovalsOptions& options, Console& console) {
  const Interrupt interrupt;
  auto of = namespace_or_given(options.place, options.namespace_);
  if (!of) return report(console, of.error());
  const auto shelf = open_shelf(options.place, console);
  if (!shelf) return report(console, shelf.error());
  RecordPrinter printer{options.form,
                        "chain_id",
                        {{.title = "CHAIN", .shortens = true},
                         {.title = "STEP", .shortens = true},
                         {.title = "SINCE"},
                         {.title = "UNTIL", .leaves = 2},
                         {.title = "WHO", .shortens = true},
                         {.title = "ARGUMENTS", .shortens = true, .leaves = 1}},
                        console};
  coordinator::ListApprovals ask{.namespace_ = std::move(*of), .about = options.chain, .who = options.who};
  while (true) {
    const auto page = shelf->questions->ask(ask);
    if (!page) return report(console, page.error());
    for (const auto& row : page->rows) {
      printer.add([&] { return client::to_json(row); },
                  [&]() -> Cells {
                    return {row.chain.value, waits_at(row), iso8601(row.since), row.until == 0 ? std::string{} : iso8601(row.until),
                            row.who,         row.arguments};
                  });
    }
    if (Interrupt::requested()) return ExitCode::interrupted;
    if (page->next.empty() || console.out().closed()) break;
    ask.after = page->next;
  }
  printer.finish();
  if (for_people(options.form) && printer.count() == 0) console.say("nothing waits for approval");
  return ExitCode::ok;
}

}  // namespace

Action define_approvals(CLI::App& app) {
  const auto options = std::make_shared<ApprovalsOptions>();
  app.add_option("--chain", options->chain, "only of this chain, and of those below it")->option_text("ID");
  app.add_option("--who", options->who, "only those that these words are to approve, as definitions have them")->option_text("TEXT");
  app.add_option("--namespace", options->namespace_, "only of chains of this namespace")->option_text("NAME");
  add_record_output(app, options->form, "the ids of chains");
  add_place(app, options->place);
  return [options](Console& console) { return list_waiting(*options, console); };
}

}  // namespace catena::cli
