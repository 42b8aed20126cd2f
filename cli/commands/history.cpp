#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <thread>

#include "cli/commands/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/place.hpp"
#include "cli/records.hpp"
#include "cli/show/history_fold.hpp"
#include "cli/show/text.hpp"
#include "cli/since.hpp"
#include "client/records.hpp"

namespace catena::cli {
namespace {

using coordinator::HistoryEvent;

constexpr std::chrono::milliseconds kLookEvery{500};
constexpr std::size_t kTailMax = 100'000;

struct HistoryOptions {
  std::string chain;
  std::string step;
  std::optional<ItemIndex> item;
  std::vector<std::string> kinds;
  std::string since;
  std::optional<std::size_t> tail;
  bool follow = false;
  bool unfold = false;
  Form form = Form::table;
  Place place;
};

Result<coordinator::ReadHistory> events_asked(const HistoryOptions& options, UnixMillis now) {
  coordinator::ReadHistory ask{.chain = ChainId{options.chain}, .in_full = !for_people(options.form), .step = options.step, .item = options.item};
  ask.kinds = options.kinds;
  if (options.item && options.step.empty()) return fail(Code::usage, "--item needs the step that it is an item of: --step STEP --item N");
  if (options.since.empty()) return ask;
  const auto since = parse_since(options.since, now);
  if (!since) return fail(since.error());
  ask.since = *since;
  return ask;
}

/// Prints events as they come, folded or each by itself, all or the last of them.
class Printer {
 public:
  Printer(const HistoryOptions& options, Console& console)
      : form_{options.form},
        // Who asks for one item, or one kind of events, wants to see each.
        folds_{!options.unfold && options.form != Form::wide && !options.item && options.kinds.empty()},
        tail_{options.tail},
        console_{console},
        fold_{[&console](const std::string& line) {
          // an event is one line of a terminal
          console.out().line(console.columns() == 0 ? line : cut(line, console.columns(), console.style()));
        }} {}

  bool take(const HistoryEvent& event) {
    if (!tail_) {
      print(event);
      return !console_.out().closed();
    }
    kept_.push_back(event);
    if (kept_.size() > *tail_) kept_.pop_front();
    return true;
  }
  /// What was kept back is printed; from now on each as it comes.
  void end_page() {
    tail_.reset();
    for (const auto& event : kept_) print(event);
    kept_.clear();
    fold_.flush();
    console_.out().flush();
  }

 private:
  void print(const HistoryEvent& event) {
    if (form_ == Form::yaml) return console_.out().write(yaml_element(client::to_json(event)));
    if (!for_people(form_)) return console_.out().line(dump_lossy(client::to_json(event)));
    if (!folds_) return console_.out().line(event_line(event));
    fold_.take(event);
  }

  Form form_;
  bool folds_;
  std::optional<std::size_t> tail_;
  Console& console_;
  std::deque<HistoryEvent> kept_;
  HistoryFold fold_;
};

bool has_ended(engine::ChainStatus status) { return engine::terminal(status) || status == engine::ChainStatus::quarantined; }

ExitCode history(const HistoryOptions& options, Console& console) {
  auto ask = events_asked(options, console.now());
  if (!ask) return report(console, ask.error());
  const Interrupt interrupt;
  auto shelf = open_shelf(options.place, console);
  if (!shelf) return report(console, shelf.error());
  Printer printer{options, console};
  for (bool first = true;; first = false) {
    // Before the events: those of an end that is seen here are there.
    const auto known = shelf->questions->ask(coordinator::DescribeChain{.chain = ask->chain});
    if (!known) return report(console, known.error());
    if (first && known->package_error) console.warning(*known->package_error);
    const bool filtered = !ask->step.empty() || !ask->kinds.empty() || ask->since != 0;
    if (first && options.tail && !filtered && known->last_event.value > *options.tail) ask->from = known->last_event.value - *options.tail + 1;
    const auto read = client::for_each_event(*shelf->questions, *ask, [&](const HistoryEvent& event) {
      ask->from = event.sequence + 1;
      return printer.take(event) && !Interrupt::requested();
    });
    if (!read) return report(console, read.error());
    ask->from = std::max<Sequence>(ask->from, known->last_event + 1);
    printer.end_page();
    if (Interrupt::requested()) return ExitCode::interrupted;
    if (!options.follow || has_ended(known->status) || console.out().closed()) return ExitCode::ok;
    std::this_thread::sleep_for(kLookEvery);
    if (shelf->client) continue;
    // What another process has written to a data directory since is seen by opening it anew.
    auto again = open_shelf(options.place, console);
    if (!again) return report(console, again.error());
    shelf = std::move(again);
  }
}

}  // namespace

Action define_history(CLI::App& app) {
  const auto options = std::make_shared<HistoryOptions>();
  add_chain(app, options->chain)->required();
  app.add_option("--step", options->step, "only events of this step")->option_text("STEP");
  app.add_option("--item", options->item, "of that step, only events of this item of its fan-out")->option_text("INDEX");
  app.add_option("--kind", options->kinds, "only events of this kind, as JSON names them (ItemsSettled, ...); several with commas")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->option_text("KIND");
  app.add_option("--since", options->since, "only events in this time (90s, 2h) or since this date or time")->option_text("WHEN");
  app.add_option("--tail", options->tail, "only the last so many of them")->check(CLI::Range(std::size_t{1}, kTailMax))->option_text("N");
  app.add_flag("-f,--follow", options->follow, "print what comes, until the chain ends");
  app.add_flag("--unfold", options->unfold, "each event of a fan-out by itself");
  add_record_output(app, options->form, "");
  add_place(app, options->place);
  return [options](Console& console) { return history(*options, console); };
}

}  // namespace catena::cli
