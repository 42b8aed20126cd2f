#include "cli/show/follow.hpp"

#include <fmt/format.h>

#include "base/clock.hpp"
#include "cli/environment.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/show/failure.hpp"
#include "cli/show/family.hpp"
#include "cli/show/progress.hpp"
#include "cli/show/standstill.hpp"
#include "cli/show/text.hpp"
#include "cli/show/waits.hpp"

namespace catena::cli {
namespace {

constexpr std::chrono::milliseconds kFollowTick{100};
constexpr UnixMillis kStandstillAfter = 1000;      // without progress: time to look whether anything can move
constexpr UnixMillis kStandstillElsewhere = 5000;  // where looking costs the coordinator something

/// "catena resume ID", with the data directory or cluster where one was given.
std::string command_for(std::string_view verb, const ChainId& chain, const FollowOptions& options) {
  return fmt::format("catena {} {}{}", verb, chain.value, options.place.words());
}

/// Watches while the chain runs: draws, and finds reasons to stop waiting.
class Watch {
 public:
  Watch(client::ChainsPort& chains, const ChainId& chain, const FollowOptions& options, Console& console)
      : chains_{chains},
        chain_{chain},
        draws_{console.live() && !options.quiet},
        speaks_{!options.quiet},
        console_{console},
        meter_{clock_.now()},
        standstill_{chains, chain, clock_.now()},
        family_{chains.questions(), chain},
        changed_at_{clock_.now()} {}

  bool tick(const std::optional<actors::Progress>& progress) {
    if (Interrupt::requested()) return false;
    const auto now = clock_.now();
    if (!progress) return true;
    if (draws_) {
      auto counts = counts_of(*progress);
      counts.family = family_.look(now);
      meter_.take(counts, now);
      console_.draw(meter_.line(now, console_.width() - 1));
    }
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
  bool draws_;
  bool speaks_;
  Console& console_;
  AnchoredClock clock_;
  ProgressMeter meter_;
  Standstill standstill_;
  FamilyMeter family_;
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

/// One object on one line. The response goes in as the text that it is.
Result<void> print_end_json(client::ChainsPort& chains, const actors::ChainEnded& ended, Output& out) {
  const auto known = chains.questions().ask(coordinator::DescribeChain{.chain = ended.chain});
  if (!known) return fail(known.error());
  const auto rows = client::all_steps(chains.questions(), ended.chain);
  if (!rows) return fail(rows.error());
  Json steps = Json::array();
  for (const auto& row : *rows) steps.push_back(client::to_json(row));
  out.write(fmt::format(R"({{"chain_id":{},"status":"{}")", dump_lossy(ended.chain.value), engine::name(ended.status)));
  // A plan or a sequence that failed has a response as well, which says how far it came.
  if (ended.status == engine::ChainStatus::succeeded || !ended.response.empty()) {
    const auto response = response_of(chains, ended);
    if (!response) return fail(response.error());
    out.write(R"(,"response":)");
    out.write(response->text);
  }
  if (ended.status != engine::ChainStatus::succeeded && ended.error) out.write(R"(,"error":)" + dump_lossy(to_json(*ended.error)));
  out.line(fmt::format(R"(,"steps":{},"started_at":"{}","finished_at":"{}"}})", dump_lossy(steps), iso8601(known->started_at),
                       iso8601(known->finished_at)));
  return {};
}

Result<void> print_response(client::ChainsPort& chains, const actors::ChainEnded& ended, Output& out) {
  const auto response = response_of(chains, ended);
  if (!response) return fail(response.error());
  pretty_json(response->text, [&](std::string_view piece) { out.write(piece); });
  out.write("\n");
  return {};
}

ExitCode tell_end(client::ChainsPort& chains, const actors::ChainEnded& ended, Millis took, const FollowOptions& options, Console& console) {
  console.draw("");
  const bool succeeded = ended.status == engine::ChainStatus::succeeded;
  Result<void> printed;
  if (options.output == "json") {
    printed = print_end_json(chains, ended, console.out());
  } else if (options.print_response && (succeeded || !ended.response.empty())) {
    // A plan or a sequence that failed answers with how far it came.
    printed = print_response(chains, ended, console.out());
  }
  if (!printed) return report(console, printed.error());
  console.out().flush();
  if (ended.status == engine::ChainStatus::cancelled) {
    console.say(fmt::format("chain '{}' is cancelled; `{}` runs what is left", ended.chain.value, command_for("retry", ended.chain, options)));
  } else if (ended.error && !succeeded && options.failure_expected) {
    console.say(fmt::format("{}; chain '{}' {} with it: {}", options.done, ended.chain.value, engine::name(ended.status),
                            told_once(*ended.error).error.message));
    return ExitCode::ok;
  } else if (ended.error && !succeeded) {
    if (!options.done.empty()) console.say(options.done);
    tell_failure(ended, options.place, console);
  }
  if (options.verbose || (console.live() && !options.quiet)) {
    console.say(fmt::format("chain {} {} in {}", ended.chain.value, engine::name(ended.status), span_text(took)));
  }
  return exit_code_of(ended.status);
}

}  // namespace

void tell_failure(const actors::ChainEnded& ended, const Place& place, Console& console) {
  if (!ended.error) return;
  auto error = with_path(*ended.error, place.words());
  error.notes.push_back(fmt::format("chain '{0}' {1}; `catena show {0}{2}` shows more, `catena retry {0}{2}` runs again what did not succeed",
                                    ended.chain.value, engine::name(ended.status), place.words()));
  console.error(error);
}

ExitCode follow(client::ChainsPort& chains, const ChainId& chain, const FollowOptions& options, Console& console) {
  const AnchoredClock clock;
  const auto began = clock.now();
  Watch watch{chains, chain, options, console};
  const auto ended = chains.wait(chain, kFollowTick, [&](const auto& progress) { return watch.tick(progress); });
  console.draw("");
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

ExitCode control_and_follow(const ControlRequest& request, Console& console,
                            const std::function<Result<actors::Control>(client::ChainsPort&, const ChainId&)>& make) {
  const Interrupt interrupt;
  const ChainId chain{request.chain};
  const auto chains = open_existing(request.follow.place, request.slots, chain, console);
  if (!chains) {
    auto error = chains.error();
    if (error.code == Code::storage_locked)
      error.notes.emplace_back("interrupt that process (Ctrl-C): its chains stay resumable, and then this can be done");
    return report(console, error);
  }
  if (const auto known = (*chains)->questions().ask(coordinator::DescribeChain{.chain = chain}); !known) return report(console, known.error());
  auto made = make(**chains, chain);
  if (!made) return report(console, made.error());
  if (const auto taken = (*chains)->control(std::move(*made)); !taken) return report(console, taken.error());
  return follow(**chains, chain, request.follow, console);
}

}  // namespace catena::cli
