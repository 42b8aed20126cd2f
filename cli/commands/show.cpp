#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/options.hpp"
#include "cli/place.hpp"
#include "cli/records.hpp"
#include "cli/show/chain_page.hpp"
#include "cli/show/task_page.hpp"
#include "cli/show/text.hpp"
#include "client/records.hpp"

namespace catena::cli {
namespace {

struct ShowOptions {
  std::string chain;
  std::string task;
  std::string key;
  std::uint32_t epoch = 0;
  bool failed = false;
  Form form = Form::table;
  Place place;
};

/// All failed items, of one step or of each: read page by page, printed as they come.
Result<void> print_failed(client::Questions& questions, const ChainId& chain, const std::string& only, Form form, Console& console) {
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
      if (!for_people(form)) print_element(form, to_json(failures->front()), step.id, console);
      if (for_people(form)) {
        for (const auto& line : failure_lines(chain, *failures, {}, std::nullopt)) console.out().line(line);
      }
      continue;
    }
    const coordinator::ListItems ask{.chain = chain, .step = step.id, .statuses = {coordinator::ItemStatus::failed}, .with_values = true};
    const auto listed = client::for_each_item(questions, ask, 0, [&](const coordinator::ItemRow& row) {
      if (!for_people(form)) print_element(form, to_json(step.id, row), fmt::format("{}/{}", step.id, row.item), console);
      if (for_people(form)) {
        for (const auto& line : item_lines(step.id, row)) console.out().line(line.substr(2));
      }
      return !console.out().closed();
    });
    if (!listed) return fail(listed.error());
  }
  return {};
}

PageLook page_look(Form form, const Console& console) {
  auto room = console.room();
  room.wide = form == Form::wide;
  return {room, console.out_live()};
}

ExitCode show_task(const ShowOptions& options, const ChainId& id, client::Questions& questions, Console& console) {
  const auto task = parse_task(options.task);
  if (!task) return report(console, task.error());
  const auto view = view_of(questions, id, *task, options.place.words());
  if (!view) return report(console, view.error());
  if (for_people(options.form)) {
    console.out().write(task_text(*view, page_look(options.form, console)));
  } else {
    print_record(options.form, task_json(*view), task_name(*task), console);
  }
  return ExitCode::ok;
}

/// As it was at the end of an epoch: its steps, and how it stood.
ExitCode show_epoch(const ShowOptions& options, const ChainId& id, client::Questions& questions, Console& console) {
  if (!for_people(options.form)) {
    const auto record = client::chain_record(questions, id, {.epoch = options.epoch});
    if (!record) return report(console, record.error());
    print_record(options.form, record->json, id.value, console);
    return ExitCode::ok;
  }
  const auto chain = questions.ask(coordinator::DescribeChain{.chain = id, .epoch = options.epoch});
  if (!chain) return report(console, chain.error());
  std::vector<Cells> rows;
  coordinator::ListSteps ask{.chain = id, .epoch = options.epoch};
  do {
    const auto page = questions.ask(ask);
    if (!page) return report(console, page.error());
    for (const auto& step : page->steps) {
      const auto items = step.fan_out ? fmt::format("{} of {}, {} failed", step.ok, step.items, step.failed) : std::string{};
      rows.push_back({step.id, std::string{engine::name(step.status)}, items, step.error ? step.error->message : std::string{}});
    }
    ask.from = page->next;
  } while (ask.from != 0);
  console.out().line(fmt::format("chain {} at the end of epoch {}: {}", id.value, options.epoch, engine::name(chain->status)));
  if (chain->error) console.out().line(fmt::format("error[{}]: {}", name(chain->error->code), chain->error->message));
  console.out().write(table({{.title = "STEP", .shortens = true},
                             {.title = "STATUS", .shade = shade_of_status},
                             {.title = "ITEMS", .leaves = 1},
                             {.title = "ERROR", .shortens = true, .leaves = 2}},
                            rows, console.room()));
  return ExitCode::ok;
}

/// The chain that is meant: by its id, or by the key that it was submitted with.
Result<ChainId> chain_meant(const ShowOptions& options, client::Questions& questions) {
  if (options.key.empty()) return ChainId{options.chain};
  const auto found = questions.ask(coordinator::FindSubmission{.submission_key = options.key});
  if (!found) return fail(found.error());
  if (!found->removed) return found->chain;
  return fail(Code::chain_not_found, fmt::format("chain '{}', which was submitted with this key, has been removed", found->chain.value));
}

ExitCode show(const ShowOptions& options, Console& console) {
  if (options.chain.empty() == options.key.empty())
    return report(console, make_error(Code::usage, "name one chain: by its id, or by --idempotency-key KEY"));
  const auto shelf = open_shelf(options.place, console);
  if (!shelf) return report(console, shelf.error());
  const auto meant = chain_meant(options, *shelf->questions);
  if (!meant) return report(console, meant.error());
  const auto& id = *meant;
  if (options.epoch != 0 && !options.task.empty())
    return report(console, make_error(Code::usage, "--epoch tells of the whole chain: leave out the step"));
  if (options.epoch != 0) return show_epoch(options, id, *shelf->questions, console);
  const auto chain = shelf->questions->ask(coordinator::DescribeChain{.chain = id});
  if (!chain) return report(console, chain.error());
  if (chain->package_error) console.warning(*chain->package_error);
  if (options.failed) {
    const auto printed = print_failed(*shelf->questions, id, options.task, options.form, console);
    return printed ? ExitCode::ok : report(console, printed.error());
  }
  if (!options.task.empty()) return show_task(options, id, *shelf->questions, console);
  const auto view = view_of(*shelf, *chain, options.place);
  if (!view) return report(console, view.error());
  if (for_people(options.form)) {
    console.out().write(chain_text(*view, page_look(options.form, console)));
  } else {
    print_record(options.form, chain_json(*view), id.value, console);
  }
  return ExitCode::ok;
}

}  // namespace

Action define_show(CLI::App& app) {
  const auto options = std::make_shared<ShowOptions>();
  add_chain(app, options->chain);
  app.add_option("task", options->task, "a step, or STEP/INDEX for an item of a fan-out: its arguments, attempts, response")
      ->option_text("STEP[/INDEX]");
  app.add_option("--idempotency-key", options->key, "the chain that was submitted with this key, in place of its id")->option_text("KEY");
  app.add_flag("--failed", options->failed, "every item that failed, with its value, error and what its tool wrote to stderr");
  app.add_option("--epoch", options->epoch, "how the chain stood at the end of this epoch, from 1 on")
      ->option_text("NUMBER")
      ->check(CLI::Range(std::uint32_t{1}, UINT32_MAX))
      ->excludes("--failed");
  add_record_output(app, options->form, "the id of the chain, or STEP/INDEX");
  add_place(app, options->place);
  return [options](Console& console) { return show(*options, console); };
}

}  // namespace catena::cli
