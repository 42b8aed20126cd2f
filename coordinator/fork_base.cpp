#include "coordinator/fork_base.hpp"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "coordinator/named_step.hpp"
#include "lang/run/schema_check.hpp"

namespace catena::coordinator {
namespace {

Result<void> refuse_fork(const ChainId& chain, std::string_view why) {
  return fail(Code::chain_state, fmt::format("chain '{}' {}", chain.value, why));
}

/// The state at the first place, from the event that is asked for on, where the history can be shared.
Result<void> fold_up_to(const storage::Kv& kv, Sequence wanted, ForkBase& base) {
  std::optional<engine::Event> last;
  Result<void> decoded;
  bool found = false;
  const auto loaded = storage::load_events(kv, base.summary.id, 1, [&](Sequence first, std::uint32_t count, std::string_view payload) {
    auto events = engine::decode_events(payload, count);
    if (!events) {
      decoded = fail(events.error());
      return false;
    }
    for (auto sequence = first; auto& event : *events) {
      if (sequence > wanted && (sequence == first || engine::parts(*last, event))) {
        found = true;
        return false;
      }
      engine::evolve(base.state, event);
      last = std::move(event);
      ++sequence;
    }
    return true;
  });
  if (!loaded) return fail(loaded.error());
  if (!decoded) return decoded;
  if (found || base.state.seq >= wanted) return {};
  return fail(Code::usage, fmt::format("chain '{0}' has {1} events: name one of 1 to {1}; `catena history {0}` shows them", base.summary.id.value,
                                       base.state.seq.value));
}

Result<void> check_obstacle(const ForkBase& base, const actors::ForkWish& wish) {
  using engine::ForkObstacle;
  const auto obstacle = engine::obstacle_of_fork(base.state, base.step);
  if (!obstacle) return {};
  const auto& chain = base.summary.id;
  switch (*obstacle) {
    case ForkObstacle::pending: return refuse_fork(chain, "has not begun");
    case ForkObstacle::quarantined: return refuse_fork(chain, "was set aside: name an earlier event, with --seq");
    case ForkObstacle::ended:
      return refuse_fork(chain, fmt::format("has ended with event {}, and nothing is left to run: name an earlier event, or a step, with --at",
                                            base.state.seq.value));
    case ForkObstacle::cancelling:
      return refuse_fork(chain, fmt::format("is being cancelled at event {}: name an earlier event, or a step, with --at", base.state.seq.value));
    case ForkObstacle::failing:
      return refuse_fork(chain,
                         fmt::format("is failing at event {}, and only ends: name an earlier event, or a step, with --at", base.state.seq.value));
    case ForkObstacle::not_begun: break;
  }
  return fail(Code::chain_state, fmt::format("step '{}' of chain '{}' has not run yet: name one that has", wish.step, chain.value));
}

constexpr std::uint32_t kLostNamed = 100;

/// Results of the visits that a fork has, as later events leave them.
class LaterResults {
 public:
  explicit LaterResults(const ForkBase& base) : base_{base}, now_{base.state} {}

  [[nodiscard]] Result<void> add(Sequence sequence, const engine::Event& event) {
    if (const auto* forked = std::get_if<engine::ChainForked>(&event)) {
      if (auto copied = check_copied(sequence, forked->source); !copied) return copied;
    }
    engine::evolve(now_, event);
    if (const auto* retried = std::get_if<engine::RetryRequested>(&event)) {
      for (const auto& opened : retried->steps) {
        if (auto kept = check(sequence, opened.step); !kept) return kept;
      }
    }
    if (const auto* given = std::get_if<engine::ItemsGiven>(&event)) return check(sequence, given->visit.step);
    return {};
  }

 private:
  /// The source is a fork itself: of what its own source had come to by then, it has the latest visits.
  [[nodiscard]] Result<void> check_copied(Sequence sequence, const ChainId& source) const {
    for (StepIndex step = 0; step < base_.state.steps.size(); ++step) {
      const auto& was = base_.state.steps[step];
      const bool kept = has_rows(step, was.visit) && (!was.former || has_rows(step, was.former->visit));
      if (kept) continue;
      return fail(Code::chain_state,
                  fmt::format("chain '{0}' was forked from '{1}' by event {2}, and has what step '{3}' came to by then alone: name "
                              "event {2} or a later one, or fork '{1}'",
                              base_.summary.id.value, source.value, sequence.value, base_.program->steps[step].id));
    }
    return {};
  }
  /// A copy made now would have the rows of this visit; those of steps that are no fan-out stand in the history.
  [[nodiscard]] bool has_rows(StepIndex step, Visit visit) const {
    const auto& was = base_.state.steps[step];
    const bool rows = visit == was.visit ? was.fan_out && was.width != 0 : was.former && was.former->fan_out && was.former->width != 0;
    if (!rows) return true;
    if (step >= now_.steps.size()) return false;
    const auto& is = now_.steps[step];
    return (is.visit == visit && is.entered_at != 0) || (is.former && is.former->visit == visit);
  }
  [[nodiscard]] Result<void> check(Sequence sequence, StepIndex step) const {
    if (step >= base_.state.steps.size() || step >= now_.steps.size()) return {};
    const auto& was = base_.state.steps[step];
    const auto& is = now_.steps[step];
    if (!was.fan_out || was.visit != is.visit) return {};
    if (!is.former && is.width != was.width) return {};  // a visit to come has others
    IndexSet lost;
    for (ItemIndex item = 0; item < was.width; ++item) {
      const bool ok = is.former ? is.former->ok.test(item) : is.ok.test(item);
      const bool bad = !is.former && is.bad.test(item);
      if (was.ok.test(item) && !ok) lost.insert(item);
      if (was.bad.test(item) && !bad && !is.former) lost.insert(item);
    }
    if (lost.empty()) return {};
    const auto named = lost.take(kLostNamed);
    return fail(
        Code::chain_state,
        fmt::format("items {}{} of step '{}' were run again by a person's retry at event {}, and what they had come to by event {} is not kept: "
                    "name event {} or a later one, or a step, with --at",
                    to_text(named), lost.empty() ? "" : " and more", base_.program->steps[step].id, sequence.value, base_.shared.value,
                    sequence.value));
  }

  const ForkBase& base_;
  engine::ChainState now_;
};

}  // namespace

Result<void> check_results_kept(const storage::Kv& kv, const ForkBase& base) {
  LaterResults results{base};
  Result<void> kept;
  const auto read = read_history(
      kv, base.summary.id,
      [&](Sequence sequence, const engine::Event& event) {
        kept = results.add(sequence, event);
        return kept.has_value();
      },
      base.shared + 1);
  return read ? kept : read;
}

Result<ForkBase> read_fork(const storage::Kv& kv, const PackageOf& package_of, const ChainId& source, const actors::ForkWish& wish) {
  if ((wish.event == 0) == wish.step.empty())
    return fail(Code::usage, "say where the fork begins: at a step, with --at, or at an event of the chain's history, with --seq");
  ForkBase base;
  if (wish.event == 0) {
    auto recovered = recover_state(kv, source);
    if (!recovered) return fail(std::move(recovered).error());
    base.summary = std::move(recovered->summary);
    base.state = std::move(recovered->state);
  } else {
    auto summary = storage::load_summary(kv, source);
    if (!summary) return fail(summary.error());
    if (!*summary) return fail(Code::chain_not_found, fmt::format("no chain is called '{}'; `catena list` shows those there are", source.value));
    base.summary = std::move(**summary);
    if (auto folded = fold_up_to(kv, wish.event, base); !folded) return fail(std::move(folded).error());
  }
  base.shared = base.state.seq;
  if (!base.summary.parent.empty())
    return fail(Code::chain_state,
                fmt::format("chain '{}' was begun by chain '{}': fork the chain that somebody submitted", source.value, base.summary.parent));
  auto package = package_of(base.state.package);
  if (!package) return fail(package.error());
  base.package = std::move(*package);
  auto program = program_of(source, base.state, *base.package);
  if (!program) return fail(program.error());
  base.program = std::move(*program);
  if (!wish.step.empty()) {
    const auto step = named_step(*base.program, source, wish.step);
    if (!step) return fail(step.error());
    base.step = *step;
  }
  if (auto free = check_obstacle(base, wish); !free) return fail(std::move(free).error());
  if (wish.arguments) {
    auto parsed = lang::parse_json_text(*wish.arguments);
    if (!parsed) return fail(std::move(parsed).error());
    auto checked = lang::check_arguments(std::move(*parsed), base.program->arguments, fmt::format("definition '{}'", base.program->name));
    if (!checked) return fail(std::move(checked).error());
    base.arguments = std::move(*checked);
  }
  if (auto kept = check_results_kept(kv, base); !kept) return fail(std::move(kept).error());
  return base;
}

}  // namespace catena::coordinator
