#pragma once
// Why something does not move: one list of reasons, with codes that stay what they are. What finds them: `reasons_of` from a chain's state,
// `explain` of placement.hpp from the workers. What they say to a person: `words`. Pure.
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/ids.hpp"
#include "base/time.hpp"
#include "engine/engine.hpp"

namespace catena::engine {

/// In the order in which they are told: what stops all of it first, what a person can do something about before what passes by itself.
enum class ReasonCode : std::uint8_t {
  ended,
  quarantined,
  not_running,
  admission_closed,
  paused,
  paused_above,
  cancelling,
  failing,
  in_doubt,
  more_in_doubt,
  signal,
  signal_kept,
  approval,
  no_worker,
  not_offered,
  workers_closed,
  worker_away,
  family_limit,
  workers_busy,
  concurrency_limit,
  backoff,
  more_backoff,
  children,
  steps,
  final_step,
  not_reached,
  condition_false,
  attempts,
  evaluating,
  placing,
  deadline,
  other,
};

struct ReasonKind {
  ReasonCode code;
  std::string_view name;
  std::string_view meaning;
  bool told_while_waiting;  // to somebody who waits for the chain: a person can do something about it, or has to know
};
inline constexpr std::array kReasons{
    ReasonKind{ReasonCode::ended, "ended", "the chain, the step or the item has ended: nothing moves any more", false},
    ReasonKind{ReasonCode::quarantined, "quarantined", "the chain was set aside because of a defect in its records", true},
    ReasonKind{ReasonCode::not_running, "not_running", "no process goes on with the chain", true},
    ReasonKind{ReasonCode::admission_closed, "admission_closed", "the process is at its memory mark (`coordinator.memory_max`): no chain begins",
               true},
    ReasonKind{ReasonCode::paused, "paused", "a person paused the chain", true},
    ReasonKind{ReasonCode::paused_above, "paused_above", "the chain that started this one is paused", true},
    ReasonKind{ReasonCode::cancelling, "cancelling", "the chain is being cancelled", false},
    ReasonKind{ReasonCode::failing, "failing", "the chain fails as soon as what runs has ended", false},
    ReasonKind{ReasonCode::in_doubt, "in_doubt", "an attempt was lost and may have happened: a person says what became of it", true},
    ReasonKind{ReasonCode::more_in_doubt, "more_in_doubt", "further attempts of the step are in doubt", true},
    ReasonKind{ReasonCode::signal, "signal", "the step waits for a signal that nobody has sent", true},
    ReasonKind{ReasonCode::signal_kept, "signal_kept", "the step has the signal that it waited for, and takes it when the pause is over", true},
    ReasonKind{ReasonCode::approval, "approval", "the step or the item waits for a person to approve it", true},
    ReasonKind{ReasonCode::no_worker, "no_worker", "no worker has registered", true},
    ReasonKind{ReasonCode::not_offered, "not_offered", "no worker has the label, the capability or the endpoint kind that the step needs", true},
    ReasonKind{ReasonCode::workers_closed, "workers_closed", "the workers that fit are cordoned or draining", true},
    ReasonKind{ReasonCode::worker_away, "worker_away", "a worker that may still run it has not come back", true},
    ReasonKind{ReasonCode::family_limit, "family_limit", "as many descendants of the submitted chain live as may (`chains.family_max`)", true},
    ReasonKind{ReasonCode::workers_busy, "workers_busy", "the workers that fit have no free slot", true},
    ReasonKind{ReasonCode::concurrency_limit, "concurrency_limit", "as many items of the step run as its `max_concurrency` allows", false},
    ReasonKind{ReasonCode::backoff, "backoff", "the next attempt is due later", true},
    ReasonKind{ReasonCode::more_backoff, "more_backoff", "further items of the step wait for their next attempts", false},
    ReasonKind{ReasonCode::children, "children", "a child chain runs for it", false},
    ReasonKind{ReasonCode::steps, "steps", "other steps have to settle first", false},
    ReasonKind{ReasonCode::final_step, "final_step", "a final step begins when all others are over", false},
    ReasonKind{ReasonCode::not_reached, "not_reached", "the sequence has not come to the step", false},
    ReasonKind{ReasonCode::condition_false, "condition_false", "the step was skipped, because its condition did not hold", false},
    ReasonKind{ReasonCode::attempts, "attempts", "attempts run", false},
    ReasonKind{ReasonCode::evaluating, "evaluating", "its expressions are evaluated", false},
    ReasonKind{ReasonCode::placing, "placing", "it has its turn at a worker in a moment", false},
    ReasonKind{ReasonCode::deadline, "deadline", "the step, or the chain, fails at its deadline", false},
    ReasonKind{ReasonCode::other, "other", "a reason that this version does not know", true},
};
static_assert(kReasons.size() == static_cast<std::size_t>(ReasonCode::other) + 1);
[[nodiscard]] constexpr const ReasonKind& kind_of(ReasonCode code) { return kReasons[static_cast<std::size_t>(code)]; }
[[nodiscard]] constexpr std::string_view name(ReasonCode code) { return kind_of(code).name; }
[[nodiscard]] ReasonCode reason_code_named(std::string_view name);

/// Which members a reason has follows from its code: see `words`.
struct Reason {
  ReasonCode code = ReasonCode::other;
  std::string step = {};
  std::optional<ItemIndex> item = {};   // of a fan-out
  std::vector<std::string> names = {};  // of steps that are waited for; of workers
  std::uint64_t count = 0;
  WorkerId worker = {};
  ChainId chain = {};  // a child; what holds slots
  UnixMillis at = 0;   // since when, or until
  std::string text =
      {};  // what is lacking, what a person gave for a reason, a condition with its values, a status, the name of a signal, who is to approve
  std::string by = {};  // the person
  std::optional<Error> error = {};
  UnixMillis until = 0;  // of what began at `at`; 0: for good
  friend bool operator==(const Reason&, const Reason&) = default;
};

/// What is asked about: the whole chain, a step, or an item of a fan-out.
struct ReasonScope {
  std::optional<StepIndex> step = {};
  std::optional<ItemIndex> item = {};
};
/// What the state of a chain says, in no order. `program` null: steps have numbers for names.
[[nodiscard]] std::vector<Reason> reasons_of(const ChainState& state, const PreparedProgram* prepared, const ReasonScope& scope = {});
/// Whether workers have a say in it: what is asked about is to be granted, now or later.
[[nodiscard]] bool waits_for_workers(const ChainState& state, const ReasonScope& scope);
/// In the order in which they are told.
void arrange(std::vector<Reason>& reasons);

/// What a reason says, without the step. `now` 0: times are told as times alone, and stay true.
[[nodiscard]] std::string words(const Reason& reason, const ChainId& chain, UnixMillis now = 0);
/// "resize", or "resize/7" for an item of a fan-out; "": it is about the chain.
[[nodiscard]] std::string task_text(const Reason& reason);
/// The same with the step before it.
[[nodiscard]] std::string line(const Reason& reason, const ChainId& chain, UnixMillis now = 0);

/// A reason of a later version keeps its words.
template <class V>
void fields(V& v, Reason& x) {
  std::string code{name(x.code)};
  v("code", code);
  if (const auto read = reason_code_named(code); read != x.code) x.code = read;
  v("step", x.step), v("item", x.item), v("names", x.names), v("count", x.count), v("worker", x.worker), v("chain", x.chain), v("at", x.at),
      v("text", x.text), v("by", x.by), v("error", x.error), v("until", x.until);
}

}  // namespace catena::engine
