// Why a chain, a step or an item does not move, as far as the chain's own state tells.
#include "engine/reason.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/approvals.hpp"
#include "engine/items.hpp"
#include "engine/outstanding.hpp"
#include "engine/signals.hpp"

namespace catena::engine {
namespace {

// Rows of one step; what is beyond them is counted.
constexpr std::uint32_t kRetriesShown = 5;
constexpr std::uint32_t kDoubtsShown = 100;
constexpr std::size_t kStepsNamed = 100;
constexpr std::size_t kReasonsMost = 1000;

class Finder {
 public:
  Finder(const ChainState& state, const PreparedProgram* prepared, const ReasonScope& scope) : state_{state}, prepared_{prepared}, scope_{scope} {}

  [[nodiscard]] std::vector<Reason> find() && {
    add_of_chain();
    if (terminal(state_.status) || state_.status == ChainStatus::quarantined) {
      if (scope_.step) add_settled(*scope_.step, state_.steps[*scope_.step]);
      return std::move(found_);
    }
    for (StepIndex step = 0; step < state_.steps.size() && !full(); ++step) {
      if (!scope_.step || *scope_.step == step) add_of_step(step, state_.steps[step]);
    }
    for (const auto& [id, grant] : state_.grants) {
      if (!full()) add_grant(grant);
    }
    if (!scope_.step && prepared_ != nullptr && owes_outputs(*prepared_, state_)) add({.code = ReasonCode::evaluating});
    return std::move(found_);
  }

 private:
  [[nodiscard]] bool full() const { return found_.size() >= kReasonsMost; }
  void add(Reason reason) { found_.push_back(std::move(reason)); }
  [[nodiscard]] const lang::Step* step_at(StepIndex step) const {
    return prepared_ != nullptr && step < prepared_->program->steps.size() ? &prepared_->program->steps[step] : nullptr;
  }
  [[nodiscard]] std::string id_of(StepIndex step) const {
    const auto* known = step_at(step);
    return known == nullptr ? fmt::format("#{}", step) : known->id;
  }
  [[nodiscard]] bool asked_about(ItemIndex item) const { return !scope_.item || *scope_.item == item; }
  [[nodiscard]] static std::optional<ItemIndex> item_of(const VisitState& visit, ItemIndex item) {
    return visit.fan_out ? std::optional{item} : std::nullopt;
  }

  void add_of_chain() {
    if (terminal(state_.status) && !scope_.step)
      add({.code = ReasonCode::ended, .at = state_.finished_at, .text = std::string{name(state_.status)}, .error = state_.error});
    if (state_.status == ChainStatus::quarantined) add({.code = ReasonCode::quarantined, .error = state_.error});
    if (state_.paused_own) add({.code = ReasonCode::paused, .at = state_.paused_at, .text = state_.pause_reason, .by = state_.paused_by});
    if (state_.paused_above) add({.code = ReasonCode::paused_above, .chain = state_.parent, .at = state_.paused_at});
    if (terminal(state_.status) || state_.status == ChainStatus::quarantined) return;
    if (state_.cancelling) add({.code = ReasonCode::cancelling, .text = state_.cancel_words.get().reason, .by = state_.cancel_words.get().by});
    if (state_.failing) add({.code = ReasonCode::failing, .error = state_.failing});
    if (const auto deadline = awaited_deadline(state_); deadline != 0 && !scope_.step) add({.code = ReasonCode::deadline, .at = deadline});
  }

  void add_of_step(StepIndex step, const VisitState& visit) {
    if (visit.status == VisitStatus::blocked) return add_blocked(step);
    if (visit.status != VisitStatus::running) {
      if (scope_.step) add_settled(step, visit);
      return;
    }
    if (scope_.item && (visit.ok.test(*scope_.item) || visit.bad.test(*scope_.item))) return add_settled(step, visit);
    const auto* known = step_at(step);
    if (const auto* signal = known == nullptr ? nullptr : lang::signal_of(*known)) {
      return add_signal(step, visit, *signal);
    }
    add_approvals(step, visit, known);
    add_doubts(step, visit);
    add_retries(step, visit);
    add_window(step, visit);
    if (known != nullptr && owes_shape(*known, visit)) add({.code = ReasonCode::evaluating, .step = id_of(step)});
    if (visit.deadline_at != 0) add({.code = ReasonCode::deadline, .step = id_of(step), .at = visit.deadline_at});
  }

  /// One that has come is taken at once, but for a pause.
  void add_signal(StepIndex step, const VisitState& visit, const lang::SignalCall& signal) {
    if (!signals_due(*prepared_->program, state_).contains(step))
      return add({.code = ReasonCode::signal, .step = id_of(step), .at = visit.entered_at, .text = signal.name, .until = visit.deadline_at});
    if (state_.status == ChainStatus::paused) return add({.code = ReasonCode::signal_kept, .step = id_of(step), .text = signal.name});
    if (!halted(*prepared_, state_, step)) add({.code = ReasonCode::evaluating, .step = id_of(step)});
  }

  void add_settled(StepIndex step, const VisitState& visit) {
    if (visit.status == VisitStatus::skipped) return add({.code = ReasonCode::condition_false, .step = id_of(step), .at = visit.settled_at});
    const bool known = scope_.item && visit.fan_out && *scope_.item < visit.width;
    if (!known) {
      const auto status = visit.status == VisitStatus::blocked ? std::string{"not begun"} : std::string{name(visit.status)};
      return add({.code = ReasonCode::ended, .step = id_of(step), .at = visit.settled_at, .text = status, .error = visit.error});
    }
    const auto* status = visit.ok.test(*scope_.item) ? "succeeded" : visit.bad.test(*scope_.item) ? "failed" : "not needed";
    add({.code = ReasonCode::ended, .step = id_of(step), .item = scope_.item, .at = visit.settled_at, .text = status});
  }

  void add_blocked(StepIndex step) {
    const auto* known = step_at(step);
    if (known == nullptr) return;
    if (gate_open(*prepared_, state_, step))
      return halted(*prepared_, state_, step) ? void() : add({.code = ReasonCode::evaluating, .step = known->id});
    const auto* gate = std::get_if<lang::AfterAll>(&known->gate);
    if (gate == nullptr) return scope_.step ? add({.code = ReasonCode::not_reached, .step = known->id}) : void();
    Reason waits{.code = ReasonCode::steps, .step = known->id};
    for (const auto dep : gate->deps) {
      if (dep >= state_.steps.size() || settled(state_.steps[dep].status)) continue;
      if (++waits.count <= kStepsNamed) waits.names.push_back(id_of(dep));
    }
    if (waits.count != 0)
      add(std::move(waits));
    else if (known->finally)
      add({.code = ReasonCode::final_step, .step = known->id});
  }

  void add_approvals(StepIndex step, const VisitState& visit, const lang::Step* known) {
    const auto* asked = asked_approval(state_, step);
    if (asked == nullptr || asked->open.empty() || (scope_.item && !asked->open.contains(*scope_.item))) return;
    Reason waits{.code = ReasonCode::approval, .step = id_of(step), .at = asked->since, .until = asked->until};
    if (known != nullptr && known->approve) waits.text = known->approve->who;
    waits.count = scope_.item ? 1 : asked->open.size();
    if (waits.count == 1) waits.item = item_of(visit, scope_.item.value_or(asked->open.front()));
    add(std::move(waits));
  }

  void add_doubts(StepIndex step, const VisitState& visit) {
    std::uint32_t shown = 0, all = 0;
    for (const auto& run : visit.in_doubt.ranges()) {
      for (auto item = run.first; item < run.last; ++item) {
        if (!asked_about(item)) continue;
        if (++all <= kDoubtsShown) ++shown, add({.code = ReasonCode::in_doubt, .step = id_of(step), .item = item_of(visit, item)});
      }
    }
    if (all > shown) add({.code = ReasonCode::more_in_doubt, .step = id_of(step), .count = all - shown});
  }

  void add_retries(StepIndex step, const VisitState& visit) {
    std::uint32_t shown = 0, all = 0;
    for (const auto& [due, item] : visit.waiting) {
      if (!asked_about(item)) continue;
      if (++all <= kRetriesShown) ++shown, add({.code = ReasonCode::backoff, .step = id_of(step), .item = item_of(visit, item), .at = due});
    }
    if (all > shown) add({.code = ReasonCode::more_backoff, .step = id_of(step), .count = all - shown});
  }

  /// Items that could run, were it not for the bound of the step.
  void add_window(StepIndex step, const VisitState& visit) {
    const auto* known = step_at(step);
    if (known == nullptr || halted(*prepared_, state_, step)) return;
    const auto window = window_of(*known, visit);
    const auto waiting = visit.again.size() + (visit.width - visit.next);
    const bool of_item = !scope_.item || visit.again.contains(*scope_.item) || *scope_.item >= visit.next;
    if (visit.in_flight < window || waiting == 0 || !of_item || verdict_of(*known, visit) != Verdict::open) return;
    add({.code = ReasonCode::concurrency_limit, .step = id_of(step), .count = waiting, .text = std::to_string(window)});
  }

  void add_grant(const Grant& grant) {
    const auto step = grant.visit.step;
    if (scope_.step && (*scope_.step != step || (scope_.item && !grant.open.contains(*scope_.item)))) return;
    const auto* known = step_at(step);
    Reason reason{.code = ReasonCode::attempts, .step = id_of(step), .count = grant.open.size(), .worker = grant.worker, .at = grant.at};
    if (known != nullptr && std::holds_alternative<lang::ProgramCall>(known->call)) {
      reason.code = ReasonCode::children;
      reason.item = scope_.item ? scope_.item : known->each ? std::optional{grant.open.front()} : std::nullopt;
      if (scope_.item) reason.count = 1;
    }
    add(std::move(reason));
  }

  const ChainState& state_;
  const PreparedProgram* prepared_;
  const ReasonScope& scope_;
  std::vector<Reason> found_;
};

}  // namespace

std::vector<Reason> reasons_of(const ChainState& state, const PreparedProgram* prepared, const ReasonScope& scope) {
  return Finder{state, prepared, scope}.find();
}

bool waits_for_workers(const ChainState& state, const ReasonScope& scope) {
  if (terminal(state.status) || state.status == ChainStatus::quarantined) return false;
  if (!scope.step) return true;
  const auto& visit = state.steps[*scope.step];
  if (!scope.item || visit.status == VisitStatus::blocked) return !settled(visit.status);
  if (visit.status != VisitStatus::running) return false;
  return visit.again.contains(*scope.item) || *scope.item >= visit.next;
}

}  // namespace catena::engine
