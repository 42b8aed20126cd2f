#include "cli/show/follow.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/random.hpp"
#include "cli/environment.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/place.hpp"
#include "cli/records.hpp"
#include "cli/show/failure.hpp"
#include "cli/show/live_feed.hpp"
#include "cli/show/repair_hint.hpp"
#include "cli/show/shortened.hpp"
#include "cli/show/standstill.hpp"
#include "cli/show/text.hpp"
#include "cli/show/waits.hpp"
#include "client/records.hpp"

namespace catena::cli {
namespace {

constexpr std::chrono::milliseconds kFollowTick{100};
constexpr UnixMillis kStandstillAfter = 1000;      // without progress: time to look whether anything can move
constexpr UnixMillis kStandstillElsewhere = 5000;  // where looking costs the coordinator something

/// "catena resume ID", with the data directory or cluster where one was given.
std::string command_for(std::string_view verb, const ChainId& chain, const FollowOptions& options) {
  return fmt::format("catena {} {}{}", verb, chain.value, options.place.words());
}

Telling telling(const FollowOptions& options, const Console& console) {
  if (options.quiet) return Telling::nothing;
  if (console.can_draw()) return Telling::picture;
  return options.verbose || console.live() ? Telling::lines : Telling::nothing;
}

/// Watches while the chain runs: draws, and finds reasons to stop waiting.
class Watch {
 public:
  Watch(client::ChainsPort& chains, const ChainId& chain, const FollowOptions& options, Console& console)
      : chains_{chains},
        chain_{chain},
        speaks_{!options.quiet},
        console_{console},
        clock_{console.clock()},
        feed_{chains, chain, telling(options, console), console},
        standstill_{chains, chain, clock_.now()},
        changed_at_{clock_.now()} {}

  bool tick(const std::optional<actors::Progress>& progress) {
    if (Interrupt::requested()) return false;
    const auto now = clock_.now();
    if (!progress) return true;
    feed_.take(*progress, now);
    if (speaks_) {
      for (const auto& line : standstill_.look(progress, now)) console_.say(fmt::format("chain '{}': {}", chain_.value, line));
    }
    const auto done = progress->items_settled + progress->steps_settled;
    if (done != done_) changed_at_ = now;
    done_ = done;
    if (now - changed_at_ < (chains_.elsewhere() ? kStandstillElsewhere : kStandstillAfter)) return true;
    changed_at_ = now;
    auto stuck = waits_for_person(chains_.questions(), chain_);
    if (stuck) in_doubt_ = std::move(*stuck);
    return in_doubt_.empty();
  }

  [[nodiscard]] const std::vector<std::string>& in_doubt() const { return in_doubt_; }

 private:
  client::ChainsPort& chains_;
  const ChainId& chain_;
  bool speaks_;
  Console& console_;
  const Clock& clock_;
  LiveFeed feed_;
  Standstill standstill_;
  UnixMillis changed_at_;
  std::uint64_t done_ = 0;
  std::vector<std::string> in_doubt_;
};

Error in_doubt_error(const ChainId& chain, const std::vector<std::string>& tasks, const FollowOptions& options) {
  auto error =
      make_error(Code::in_doubt, fmt::format("chain '{}' waits for a person: attempts were lost that may or may not have happened", chain.value));
  const auto where = options.place.words();
  for (const auto& task : tasks)
    error.notes.push_back(fmt::format("`catena resolve {}{} --response JSON` (or --failed MESSAGE, or --again)", task, where));
  return error;
}

/// Its text stands in what came, unless it is too large for that.
Result<lang::JsonText> response_of(client::ChainsPort& chains, const actors::ChainEnded& ended) {
  return client::read_value(chains.questions(), ended.chain, coordinator::ValueOf::response, {ended.response.text, ended.response.bytes});
}

/// JSON is an object on a line. In YAML the end of one chain is a document, that of one of several an element of a list.
Result<void> print_end(client::ChainsPort& chains, const actors::ChainEnded& ended, const FollowOptions& options, Output& out) {
  if (options.output == Form::name) return out.line(printable(ended.chain.value)), Result<void>{};
  const auto record = client::chain_record(chains.questions(), ended.chain);
  if (!record) return fail(record.error());
  if (options.output != Form::yaml) return out.line(record->json), Result<void>{};
  const auto json = Json::parse(record->json, nullptr, false);
  out.write(options.print_response ? yaml_document(json) : yaml_element(json));
  return {};
}

/// Whole, but on a terminal: there as much of it as can be seen at once. True: it was all of it.
Result<bool> print_response(client::ChainsPort& chains, const actors::ChainEnded& ended, Console& console) {
  auto& out = console.out();
  const auto response = response_of(chains, ended);
  if (!response) return fail(response.error());
  if (console.out_live() && console.lines() != 0) {
    constexpr std::size_t kLinesAround = 6;  // the prompt, the command and what is said at the end
    constexpr std::size_t kLinesLeast = 10;
    const auto shown = shortened_json(response->text, console.columns(),
                                      std::max(kLinesLeast, console.lines() - std::min(console.lines(), kLinesAround)), console.style());
    for (const auto& line : shown.lines) out.line(line);
    return shown.whole;
  }
  pretty_json(response->text, [&](std::string_view piece) { out.write(piece); });
  out.write("\n");
  return true;
}

/// "3/3 steps, 40 items, 2 failed".
std::string counts_text(const std::vector<coordinator::StepRow>& steps) {
  std::uint64_t settled = 0, items = 0, failed = 0;
  for (const auto& step : steps) {
    settled += engine::settled(step.status) ? 1U : 0U;
    items += step.fan_out ? step.ok + step.failed : 0U;
    failed += step.fan_out ? step.failed : 0U;
  }
  auto text = fmt::format("{}/{} steps", settled, steps.size());
  if (items != 0) text += ", " + counted(items, "item");
  if (failed != 0) text += fmt::format(", {} failed", failed);
  return text;
}

/// What is left to say when a chain has ended: how, where its response is, and what to do next.
void tell_summary(client::ChainsPort& chains, const actors::ChainEnded& ended, Millis took, bool response_shown, const FollowOptions& options,
                  Console& console) {
  const auto style = console.err_style();
  const auto status = engine::name(ended.status);
  const auto steps = client::all_steps(chains.questions(), ended.chain);
  console.say(fmt::format("{} chain {} {} in {}{}", painted(symbol_of_status(status, style), shade_of_status(status), style),
                          printable(ended.chain.value), painted(status, shade_of_status(status), style), span_text(took),
                          steps ? ": " + counts_text(*steps) : std::string{}));
  if (!ended.response.empty())
    console.say(fmt::format("  response  {}, `{}` prints {}",
                            response_shown                                         ? "above"
                            : options.print_response && for_people(options.output) ? "shortened above"
                                                                                   : "kept",
                            command_for("show", ended.chain, options), response_shown ? "it again" : "all of it"));
  if (ended.status == engine::ChainStatus::failed)
    console.say(fmt::format("  next      `{}`; {}", command_for("show", ended.chain, options),
                            repair_hint(chains.questions(), ended.chain, options.place.words())));
}

ExitCode tell_end(client::ChainsPort& chains, const actors::ChainEnded& ended, Millis took, const FollowOptions& options, Console& console) {
  console.clear();
  const bool succeeded = ended.status == engine::ChainStatus::succeeded;
  const bool summary = options.verbose || (console.live() && !options.quiet);
  bool shown = false;  // all of the response
  if (!for_people(options.output)) {
    if (const auto printed = print_end(chains, ended, options, console.out()); !printed) return report(console, printed.error());
    shown = options.output != Form::name;
  } else if (options.print_response && (succeeded || !ended.response.empty())) {
    // A plan or a sequence that failed answers with how far it came.
    const auto printed = print_response(chains, ended, console);
    if (!printed) return report(console, printed.error());
    shown = *printed;
  }
  console.out().flush();
  if (ended.status == engine::ChainStatus::cancelled) {
    console.say(fmt::format("chain '{}' is cancelled; `{}` runs what is left", ended.chain.value, command_for("retry", ended.chain, options)));
  } else if (ended.error && !succeeded && options.failure_expected) {
    console.say(fmt::format("{}; chain '{}' {} with it: {}", options.done, ended.chain.value, engine::name(ended.status),
                            told_once(*ended.error).error.message));
    return ExitCode::ok;
  } else if (ended.error && !succeeded) {
    if (!options.done.empty()) console.say(options.done);
    tell_failure(chains.questions(), ended, options.place, summary ? Advice::elsewhere : Advice::here, console);
  }
  if (summary) tell_summary(chains, ended, took, shown, options, console);
  return exit_code_of(ended.status);
}

}  // namespace

void tell_failure(client::Questions& questions, const actors::ChainEnded& ended, const Place& place, Advice advice, Console& console) {
  if (!ended.error) return;
  auto error = with_path(*ended.error, place.words());
  if (advice == Advice::here)
    error.notes.push_back(fmt::format("chain '{0}' {1}; `catena show {0}{2}` shows more, {3}", ended.chain.value, engine::name(ended.status),
                                      place.words(), repair_hint(questions, ended.chain, place.words())));
  console.error(error);
}

std::string accepted_text(const client::Submitted& submitted, Form form) {
  Json record{{"chain_id", submitted.chain.value}};
  if (submitted.again) record["submitted_before"] = true;
  if (form == Form::json) return dump_lossy(record);
  auto text = form == Form::yaml ? yaml_document(record) : submitted.chain.value;
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

ExitCode follow(client::ChainsPort& chains, const ChainId& chain, const FollowOptions& options, Console& console) {
  const auto& clock = console.clock();
  const auto began = clock.now();
  Watch watch{chains, chain, options, console};
  const auto ended = chains.wait(chain, kFollowTick, [&](const auto& progress) { return watch.tick(progress); });
  console.clear();
  if (!ended) return report(console, ended.error());
  if (*ended) return tell_end(chains, **ended, Millis{clock.now() - began}, options, console);
  if (!watch.in_doubt().empty()) {
    if (options.done.empty()) return report(console, in_doubt_error(chain, watch.in_doubt(), options));
    const auto count = watch.in_doubt().size();
    console.say(fmt::format("{}; {} in doubt:", options.done, count == 1 ? "one more attempt is" : fmt::format("{} more attempts are", count)));
    for (const auto& task : watch.in_doubt())
      console.say(fmt::format("    `catena resolve {}{} --response JSON` (or --failed MESSAGE, or --again)", task, options.place.words()));
    return ExitCode::ok;
  }
  console.say(chains.elsewhere()
                  ? fmt::format("chain '{}' goes on at its cluster; `{}` waits for its end", chain.value, command_for("wait", chain, options))
                  : fmt::format("chain '{}' was interrupted; `{}` goes on with it", chain.value, command_for("resume", chain, options)));
  return ExitCode::interrupted;
}

namespace {

/// The chains, once the chain has done what was asked of it.
Result<std::unique_ptr<client::ChainsPort>> carry_out(const ControlRequest& request, Console& console, const MakeControl& make) {
  const ChainId chain{request.chain};
  auto chains = open_existing(request.follow.place, request.slots, chain, console);
  if (!chains) {
    auto error = std::move(chains).error();
    if (error.code == Code::storage_locked)
      error.notes.emplace_back("interrupt that process (Ctrl-C): its chains stay resumable, and then this can be done");
    return fail(std::move(error));
  }
  if (const auto known = (*chains)->questions().ask(coordinator::DescribeChain{.chain = chain}); !known) return fail(known.error());
  auto made = make(**chains, chain);
  if (!made) return fail(std::move(made).error());
  made->reason = request.reason;
  if (auto taken = (*chains)->control(std::move(*made)); !taken) return fail(std::move(taken).error());
  return chains;
}

ExitCode tell_done(const ControlRequest& request, std::string_view what, Console& console) {
  const Form form = request.follow.output;
  if (for_people(form)) {
    console.out().line(fmt::format("chain '{}' {}", request.chain, what));
  } else {
    print_record(form, dump_lossy(Json{{"chain_id", request.chain}, {"status", "ok"}}), request.chain, console);
  }
  return ExitCode::ok;
}

}  // namespace

ExitCode control_and_follow(const ControlRequest& request, Console& console, const MakeControl& make) {
  const Interrupt interrupt;
  const auto chains = carry_out(request, console, make);
  return chains ? follow(**chains, ChainId{request.chain}, request.follow, console) : report(console, chains.error());
}

ExitCode control_only(const ControlRequest& request, Console& console, std::string_view done, const MakeControl& make) {
  const Interrupt interrupt;
  const auto chains = carry_out(request, console, make);
  return chains ? tell_done(request, done, console) : report(console, chains.error());
}

ExitCode control_or_follow(const ControlRequest& request, Console& console, std::string_view done, const MakeControl& make) {
  const Interrupt interrupt;
  const auto chains = carry_out(request, console, make);
  if (!chains) return report(console, chains.error());
  return (*chains)->elsewhere() ? tell_done(request, done, console) : follow(**chains, ChainId{request.chain}, request.follow, console);
}

std::string key_or_made(const std::string& given) { return given.empty() ? readable_id("sent", entropy()) : given; }

void add_control_request(CLI::App& app, ControlRequest& request) {
  add_reason(app, request.reason);
  add_slots(app, request.slots);
  add_place(app, request.follow.place);
  add_text_output(app, request.follow.output, "the id of the chain");
  app.add_flag("-q,--quiet", request.follow.quiet, "no progress and no line at the end");
}

}  // namespace catena::cli
