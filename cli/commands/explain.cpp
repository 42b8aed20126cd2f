#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "base/characters.hpp"
#include "cli/commands/commands.hpp"
#include "cli/options.hpp"
#include "cli/place.hpp"
#include "cli/records.hpp"
#include "cli/shared_chains.hpp"
#include "cli/show/standstill.hpp"
#include "cli/show/task_page.hpp"
#include "client/reasons.hpp"

namespace catena::cli {
namespace {

struct ExplainOptions {
  std::string chain;
  std::string task;
  Form form = Form::table;
  Place place;
};

/// Whoever runs the chains: a coordinator, or the process that holds the data directory. Null: nobody does.
struct Sources {
  Shelf shelf;
  std::shared_ptr<client::ChainsPort> runner;
};

Result<Sources> open_sources(const Place& place, Console& console) {
  auto shelf = open_shelf(place, console);
  if (!shelf) return fail(std::move(shelf).error());
  Sources sources{std::move(*shelf), nullptr};
  sources.runner = sources.shelf.client;
  if (sources.runner || !sources.shelf.owner) return sources;
  auto holder = connect_to_holder(sources.shelf.where);
  if (!holder) return fail(with_way_in(std::move(holder).error(), sources.shelf.where));
  sources.runner = std::move(*holder);
  return sources;
}

Result<void> print_task(const ExplainOptions& options, Sources& sources, const coordinator::AskWaits& ask, Console& console) {
  auto told = client::explain(*sources.shelf.questions, sources.runner.get(), ask);
  if (!told) return fail(std::move(told).error());
  if (!for_people(options.form)) {
    print_record(options.form, dump_lossy(client::reasons_json(told->reasons, told->chain, told->status)), told->chain.value, console);
    return {};
  }
  FamilyReasons family{std::move(*told), {}};
  // What is below a chain is told as long as nothing of it is asked about.
  if (ask.step.empty()) {
    auto whole = explain_family(*sources.shelf.questions, sources.runner.get(), ask.chain);
    if (!whole) return fail(std::move(whole).error());
    family = std::move(*whole);
  }
  const auto lines = reason_lines(family);
  for (const auto& line : lines) console.out().line(printable(line));
  if (lines.empty()) console.out().line("nothing holds it up");
  return {};
}

Result<void> print_queue(const ExplainOptions& options, Sources& sources, Console& console) {
  auto groups = client::queue_of_index(*sources.shelf.questions);
  if (!groups) return fail(std::move(groups).error());
  if (sources.runner) {
    auto live = sources.runner->queue();
    if (!live) return fail(std::move(live).error());
    for (auto& group : *live) groups->push_back(std::move(group));
  }
  const auto json = client::to_json(*groups);
  RecordPrinter printer{
      options.form,
      "code",
      {{.title = "CHAINS"}, {.title = "ORDERS"}, {.title = "REASON", .shortens = true}, {.title = "SUCH AS", .shortens = true, .leaves = 1}},
      console};
  for (const auto& row : json.at("reasons")) {
    printer.add([&] { return row; },
                [&]() -> Cells {
                  return {std::to_string(row.at("chains").get<std::uint64_t>()), std::to_string(row.value("orders", std::uint64_t{0})),
                          row.at("message").get<std::string>(), fmt::format("{}", fmt::join(row.at("some").get<std::vector<std::string>>(), ", "))};
                });
  }
  printer.finish();
  if (printer.count() == 0 && for_people(options.form)) console.say(sources.runner ? "nothing waits" : "nothing runs, and no chain is paused");
  return {};
}

ExitCode explain(const ExplainOptions& options, Console& console) {
  coordinator::AskWaits ask;
  // "build/3" names a step, a chain of that id is named alone; a task may also stand behind the id.
  ask.chain = ChainId{options.chain};
  if (!options.task.empty()) {
    const auto task = parse_task(options.task);
    if (!task) return report(console, task.error());
    ask.step = task->step;
    ask.item = task->item;
  }
  auto sources = open_sources(options.place, console);
  if (!sources) return report(console, sources.error());
  const auto printed = options.chain.empty() ? print_queue(options, *sources, console) : print_task(options, *sources, ask, console);
  return printed ? ExitCode::ok : report(console, printed.error());
}

}  // namespace

Action define_explain(CLI::App& app) {
  const auto options = std::make_shared<ExplainOptions>();
  add_chain(app, options->chain)->description("the chain; without one: what waits of all chains, by reason");
  app.add_option("task", options->task, "a step, or STEP/INDEX for an item of a fan-out")->option_text("STEP[/INDEX]");
  add_record_output(app, options->form, "the id of the chain, or the codes of reasons");
  add_place(app, options->place);
  return [options](Console& console) { return explain(*options, console); };
}

}  // namespace catena::cli
