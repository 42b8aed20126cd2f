#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/options.hpp"
#include "cli/place.hpp"
#include "cli/show/chain_page.hpp"
#include "cli/show/task_page.hpp"

namespace catena::cli {
namespace {

struct ShowOptions {
  std::string chain;
  std::string task;
  bool failed = false;
  std::string output = "text";
  Place place;
};

/// All failed items, of one step or of each: read page by page, printed as they come.
Result<void> print_failed(client::Questions& questions, const ChainId& chain, const std::string& only, bool json, Console& console) {
  if (!only.empty()) {
    const auto known = questions.ask(coordinator::DescribeTask{.chain = chain, .task = {only, {}}});
    if (!known) return fail(known.error());
  }
  const auto steps = client::all_steps(questions, chain);
  if (!steps) return fail(steps.error());
  for (const auto& step : *steps) {
    if (!only.empty() && step.id != only) continue;
    if (step.failed == 0 && step.status != engine::VisitStatus::failed) continue;
    if (!step.fan_out) {
      const auto failures = failures_of(questions, chain, {step});
      if (!failures) return fail(failures.error());
      if (json) console.out().line(dump_lossy(to_json(failures->front())));
      if (!json) {
        for (const auto& line : failure_lines(chain, *failures, {}, std::nullopt)) console.out().line(line);
      }
      continue;
    }
    const coordinator::ListItems ask{.chain = chain, .step = step.id, .statuses = {coordinator::ItemStatus::failed}, .with_values = true};
    const auto listed = client::for_each_item(questions, ask, 0, [&](const coordinator::ItemRow& row) {
      if (json) console.out().line(dump_lossy(to_json(step.id, row)));
      if (!json) {
        for (const auto& line : item_lines(step.id, row)) console.out().line(line.substr(2));
      }
      return !console.out().closed();
    });
    if (!listed) return fail(listed.error());
  }
  return {};
}

ExitCode show_task(const ShowOptions& options, client::Questions& questions, Console& console) {
  const auto task = parse_task(options.task);
  if (!task) return report(console, task.error());
  const auto view = view_of(questions, ChainId{options.chain}, *task, options.place.words());
  if (!view) return report(console, view.error());
  if (options.output == "json") {
    print_task_json(*view, console.out());
  } else {
    console.out().write(task_text(*view));
  }
  return ExitCode::ok;
}

ExitCode show(const ShowOptions& options, Console& console) {
  const auto shelf = open_shelf(options.place, console);
  if (!shelf) return report(console, shelf.error());
  const ChainId id{options.chain};
  const bool json = options.output == "json";
  const auto chain = shelf->questions->ask(coordinator::DescribeChain{.chain = id});
  if (!chain) return report(console, chain.error());
  if (chain->package_error) console.warning(*chain->package_error);
  if (options.failed) {
    const auto printed = print_failed(*shelf->questions, id, options.task, json, console);
    return printed ? ExitCode::ok : report(console, printed.error());
  }
  if (!options.task.empty()) return show_task(options, *shelf->questions, console);
  const auto view = view_of(*shelf, *chain, options.place);
  if (!view) return report(console, view.error());
  if (json) {
    print_chain_json(*view, console.out());
  } else {
    console.out().write(chain_text(*view, console.out_live()));
  }
  return ExitCode::ok;
}

}  // namespace

Action define_show(CLI::App& app) {
  const auto options = std::make_shared<ShowOptions>();
  add_chain(app, options->chain)->required();
  app.add_option("task", options->task, "a step, or STEP/INDEX for an item of a fan-out: its arguments, attempts, response")
      ->option_text("STEP[/INDEX]");
  app.add_flag("--failed", options->failed, "every item that failed, with its value, error and what its tool wrote to stderr");
  add_output(app, options->output);
  add_place(app, options->place);
  return [options](Console& console) { return show(*options, console); };
}

}  // namespace catena::cli
