#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <thread>

#include "cli/commands/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/place.hpp"
#include "cli/records.hpp"
#include "cli/show/log_lines.hpp"
#include "cli/show/task_page.hpp"

namespace catena::cli {
namespace {

constexpr std::chrono::milliseconds kLogsLookEvery{250};
/// Where each look opens a data directory.
constexpr std::chrono::milliseconds kLogsOpenEvery{500};
/// Looks that find nothing more of a chain that has ended: what its last attempts printed comes behind their reports.
constexpr int kLooksAfterEnd = 3;
constexpr std::size_t kLogTailMax = 1'000'000;

struct LogsOptions {
  std::string chain;
  std::string task;
  Attempt attempt = 0;
  bool only_error = false;
  bool only_output = false;
  bool follow = false;
  std::optional<std::size_t> tail;
  Form form = Form::table;
  Place place;
};

Result<coordinator::ReadLogs> logs_asked(const LogsOptions& options) {
  coordinator::ReadLogs ask{.chain = ChainId{options.chain}, .attempt = options.attempt};
  if (options.only_error) ask.stream = actors::LogStream::standard_error;
  if (options.only_output) ask.stream = actors::LogStream::standard_output;
  if (options.task.empty()) return ask;
  auto task = parse_task(options.task);
  if (!task) return fail(std::move(task).error());
  ask.step = std::move(task->step);
  ask.item = task->item;
  return ask;
}

/// Prints lines as they come, or keeps the last of them until a first page is over.
class LogPrinter {
 public:
  LogPrinter(const LogsOptions& options, Console& console)
      : form_{options.form},
        terminal_{console.out_live()},
        colors_{terminal_ && console.style().color},
        tail_{options.tail},
        console_{console},
        lines_{[this](const LogLine& line) { add(line); }} {}

  void take(const coordinator::LogRow& row) { lines_.take(row); }
  void end_page() {
    tail_.reset();
    for (const auto& line : kept_) print(line);
    kept_.clear();
    console_.out().flush();
  }
  void end() {
    lines_.end();
    end_page();
  }
  [[nodiscard]] bool printed() const { return printed_; }

 private:
  void add(const LogLine& line) {
    printed_ = true;
    if (!tail_) return print(line);
    kept_.push_back(line);
    if (kept_.size() > *tail_) kept_.pop_front();
  }
  /// What tools say may steer a terminal; a file or a pipe gets it as it came.
  void print(const LogLine& line) {
    if (!for_people(form_)) return print_element(form_, to_json(line), {}, console_);
    auto text = text_of(line);
    if (!terminal_) return console_.out().line(text);
    const auto name = attempt_name(line.of);
    text = printable_lines(text);
    if (colors_ && text.starts_with(name)) text = color_of(name) + name + "\x1b[0m" + text.substr(name.size());
    console_.out().line(text);
  }
  /// The same for the same attempt.
  static std::string color_of(const std::string& name) {
    constexpr std::array<std::string_view, 6> kColors{"\x1b[36m", "\x1b[33m", "\x1b[32m", "\x1b[35m", "\x1b[34m", "\x1b[31m"};
    return std::string{kColors.at(std::hash<std::string>{}(name) % kColors.size())};
  }

  Form form_;
  bool terminal_;
  bool colors_;
  std::optional<std::size_t> tail_;
  Console& console_;
  std::deque<LogLine> kept_;
  bool printed_ = false;
  LogLines lines_;
};

/// All that is there from `ask.first` on, which moves behind it. True: there was something.
Result<bool> read_logs(client::Questions& questions, coordinator::ReadLogs& ask, LogPrinter& printer, std::uint64_t& dropped, Console& console) {
  bool some = false;
  for (bool more = true; more && !Interrupt::requested() && !console.out().closed();) {
    const auto page = questions.ask(ask);
    if (!page) return fail(page.error());
    for (const auto& row : page->rows) printer.take(row);
    some = some || !page->rows.empty();
    more = page->more && page->next > ask.first;
    ask.first = page->next;
    dropped = page->dropped;
  }
  return some;
}

bool is_over(engine::ChainStatus status) { return engine::terminal(status) || status == engine::ChainStatus::quarantined; }

ExitCode logs(const LogsOptions& options, Console& console) {
  auto ask = logs_asked(options);
  if (!ask) return report(console, ask.error());
  const Interrupt interrupt;
  auto shelf = open_shelf(options.place, console);
  if (!shelf) return report(console, shelf.error());
  LogPrinter printer{options, console};
  std::uint64_t dropped = 0;
  for (int quiet = 0;;) {
    const auto known = shelf->questions->ask(coordinator::DescribeChain{.chain = ask->chain});
    if (!known) return report(console, known.error());
    const auto some = read_logs(*shelf->questions, *ask, printer, dropped, console);
    if (!some) return report(console, some.error());
    printer.end_page();
    if (Interrupt::requested()) return ExitCode::interrupted;
    quiet = is_over(known->status) && !*some ? quiet + 1 : 0;
    if (!options.follow || quiet == kLooksAfterEnd || console.out().closed()) break;
    std::this_thread::sleep_for(shelf->client ? kLogsLookEvery : kLogsOpenEvery);
    if (shelf->client) continue;
    // What another process has written to a data directory since is seen by opening it anew.
    auto again = open_shelf(options.place, console);
    if (!again) return report(console, again.error());
    shelf = std::move(again);
  }
  printer.end();
  if (dropped != 0)
    console.say(fmt::format("{} bytes that were printed earlier are not kept: the chain printed more than logs.chain_max says", dropped));
  if (!printer.printed())
    console.say("nothing is kept of what was printed there; logs.keep of the configuration says of which attempts of exec: and serve: tools it is");
  return ExitCode::ok;
}

}  // namespace

Action define_logs(CLI::App& app) {
  const auto options = std::make_shared<LogsOptions>();
  add_chain(app, options->chain)->required();
  app.add_option("task", options->task, "only of this step, or of STEP/INDEX for an item of a fan-out")->option_text("STEP[/INDEX]");
  app.add_flag("-f,--follow", options->follow, "print what comes, until the chain ends");
  app.add_option("--attempt", options->attempt, "only of this attempt of each task, from 1")->check(CLI::PositiveNumber)->option_text("N");
  auto* const error = app.add_flag("--stderr", options->only_error, "only what was written to stderr");
  app.add_flag("--stdout", options->only_output, "only what was written to stdout: of attempts that failed")->excludes(error);
  app.add_option("--tail", options->tail, "only the last so many lines of what is there")
      ->check(CLI::Range(std::size_t{1}, kLogTailMax))
      ->option_text("N");
  add_text_output(app, options->form, "");
  add_place(app, options->place);
  return [options](Console& console) { return logs(*options, console); };
}

}  // namespace catena::cli
