// The one place where reasons are put into words.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/span_text.hpp"
#include "engine/reason.hpp"

namespace catena::engine {
namespace {

std::string counted(std::uint64_t count, std::string_view noun) { return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s"); }

/// ", because of TEXT", where there is one.
std::string because(std::string_view text) { return text.empty() ? std::string{} : fmt::format(": {}", text); }

std::string error_text(const std::optional<Error>& error) {
  return error ? fmt::format("[{}] {}", name(error->code), error->message) : std::string{};
}

/// How a list begins, and what of it is not named.
std::string names_text(const Reason& reason) {
  const auto more = reason.count > reason.names.size() ? fmt::format(" and {} more", reason.count - reason.names.size()) : std::string{};
  return fmt::format("{}{}", fmt::join(reason.names, ", "), more);
}

/// "at 2026-…", with how long that is from now.
std::string due_text(UnixMillis at, UnixMillis now) {
  if (now == 0) return fmt::format("at {}", iso8601(at));
  return at > now ? fmt::format("in {} ({})", span_text(Millis{at - now}), iso8601(at)) : fmt::format("now ({})", iso8601(at));
}
std::string since_text(UnixMillis at, UnixMillis now) {
  if (at == 0) return {};
  return now == 0 ? fmt::format(" since {}", iso8601(at)) : fmt::format(" for {}", span_text(Millis{now - at}));
}

/// What a person did, when and why.
std::string paused_text(const Reason& reason, const ChainId& chain, UnixMillis now) {
  const auto by = reason.by.empty() ? std::string{} : fmt::format(" by {}", reason.by);
  return fmt::format("it is paused{}{}{}; `catena unpause {}` lets it go on", by, since_text(reason.at, now), because(reason.text), chain.value);
}

}  // namespace

std::string words(const Reason& reason, const ChainId& chain, UnixMillis now) {
  switch (reason.code) {
    case ReasonCode::ended: return fmt::format("it is {}: nothing moves any more{}", reason.text, because(error_text(reason.error)));
    case ReasonCode::quarantined:
      return fmt::format("it was set aside because of a defect, and nothing moves it{}", because(error_text(reason.error)));
    case ReasonCode::not_running: return fmt::format("it does not run; `catena resume {}` goes on with it", chain.value);
    case ReasonCode::admission_closed: return fmt::format("no chain begins{}", because(reason.text));
    case ReasonCode::paused: return paused_text(reason, chain, now);
    case ReasonCode::paused_above:
      return fmt::format("chain '{}', which started it, is paused{}; it goes on with that one", reason.chain.value, since_text(reason.at, now));
    case ReasonCode::cancelling:
      return fmt::format("it is being cancelled{}: what runs is stopped{}", reason.by.empty() ? "" : " by " + reason.by, because(reason.text));
    case ReasonCode::failing: return fmt::format("it will fail once what runs has ended{}", because(error_text(reason.error)));
    case ReasonCode::in_doubt:
      return fmt::format("its attempt was lost and may or may not have happened; `catena resolve {} {}` settles it", chain.value, task_text(reason));
    case ReasonCode::more_in_doubt: return fmt::format("{} more attempts were lost and may or may not have happened", reason.count);
    case ReasonCode::signal: {
      const auto until = reason.until == 0 ? std::string{} : fmt::format("; it fails {} if none comes", due_text(reason.until, now));
      return fmt::format("it waits for the signal '{1}'{2}{3}; `catena signal {0} {1} --data JSON` sends it", chain.value, reason.text,
                         since_text(reason.at, now), until);
    }
    case ReasonCode::signal_kept: return fmt::format("it has the signal '{}', and takes it when the pause is over", reason.text);
    case ReasonCode::approval: {
      const auto who = reason.text.empty() ? std::string{} : " by " + reason.text;
      const auto many = reason.count > 1 ? fmt::format("{} items wait", reason.count) : std::string{"it waits"};
      const auto task = reason.count > 1 ? reason.step + "/ITEM" : task_text(reason);
      const auto until = reason.until == 0 ? std::string{} : fmt::format("; the time to answer is over {}", due_text(reason.until, now));
      return fmt::format("{2} for approval{3}{4}{5}; `catena approve {0} {1}` lets {6} run, `catena reject` does not", chain.value, task, many, who,
                         since_text(reason.at, now), until, reason.count > 1 ? "them" : "it");
    }
    case ReasonCode::no_worker: return "no worker has registered";
    case ReasonCode::not_offered: return reason.text;
    case ReasonCode::workers_closed: return fmt::format("workers that fit are {}: {}", reason.text, names_text(reason));
    case ReasonCode::worker_away: return fmt::format("it may still run on worker '{}', which has not come back yet", reason.worker.value);
    case ReasonCode::family_limit:
      return fmt::format("its child chains wait for room: as many chains below '{}' live as may (chains.family_max)", reason.chain.value);
    case ReasonCode::workers_busy:
      return fmt::format("all workers that fit are busy: {}{}", names_text(reason), reason.text.empty() ? "" : "; " + reason.text);
    case ReasonCode::concurrency_limit: {
      const auto rest = reason.count == 0 ? std::string{} : fmt::format("; {} to go", counted(reason.count, "item"));
      return fmt::format("as many items run as its max_concurrency of {} allows{}", reason.text, rest);
    }
    case ReasonCode::backoff: return fmt::format("next attempt {}", due_text(reason.at, now));
    case ReasonCode::more_backoff: return fmt::format("{} more wait for their next attempt", reason.count);
    case ReasonCode::children: {
      const auto more = reason.count > 1 ? fmt::format(" and {} more run", reason.count - 1) : std::string{" runs"};
      return fmt::format("chain '{}'{} for it", reason.chain.value, more);
    }
    case ReasonCode::steps: return fmt::format("waits for {}", names_text(reason));
    case ReasonCode::final_step: return "a final step: it begins when all others are over";
    case ReasonCode::not_reached: return "the sequence has not come to it";
    case ReasonCode::condition_false: return fmt::format("it was skipped: its condition did not hold{}", because(reason.text));
    case ReasonCode::attempts:
      return fmt::format("{} at worker '{}'{}", counted(reason.count, "running attempt"), reason.worker.value, since_text(reason.at, now));
    case ReasonCode::evaluating: return "its expressions are being evaluated";
    case ReasonCode::placing: return "it has its turn at a worker in a moment";
    case ReasonCode::deadline: return fmt::format("it fails at its deadline, {}", due_text(reason.at, now));
    case ReasonCode::other: return reason.text.empty() ? "a reason that this version of catena does not know" : reason.text;
  }
  return {};
}

std::string task_text(const Reason& reason) { return reason.item ? fmt::format("{}/{}", reason.step, *reason.item) : reason.step; }

std::string line(const Reason& reason, const ChainId& chain, UnixMillis now) {
  const auto subject = task_text(reason);
  return subject.empty() ? words(reason, chain, now) : fmt::format("{}: {}", subject, words(reason, chain, now));
}

ReasonCode reason_code_named(std::string_view wanted) {
  const auto* const found = std::ranges::find(kReasons, wanted, &ReasonKind::name);
  return found == kReasons.end() ? ReasonCode::other : found->code;
}

void arrange(std::vector<Reason>& reasons) { std::ranges::stable_sort(reasons, {}, &Reason::code); }

}  // namespace catena::engine
