#include "coordinator/repair.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "coordinator/named_step.hpp"
#include "engine/repair.hpp"

namespace catena::coordinator {
namespace {

using engine::VisitStatus;

/// Of a chain that somebody submitted, what its package is about; of a child, the definition that it runs.
std::string definition_in(const lang::Package& now, const RepairOf& of) {
  return of.state.definition == of.had.root ? now.root : of.state.definition;
}

class Wisher {
 public:
  Wisher(const actors::RepairWish& wish, const RepairOf& of, const lang::Program& program) : wish_{wish}, of_{of}, program_{program} {}

  Result<void> add_from(const std::string& name) {
    const auto step = find(name);
    if (!step) return fail(step.error());
    if (!has_begun(*step)) return not_begun(name);
    retry_.anew.insert(*step);
    return jump(*step);
  }

  Result<void> add_items(const std::string& name, const IndexSet& items) {
    const auto step = find(name);
    if (!step) return fail(step.error());
    if (!has_begun(*step)) return not_begun(name);
    const auto& visit = of_.state.steps[*step];
    if (!visit.fan_out) return fail(Code::usage, fmt::format("step '{0}' is no fan-out: `--from {0}` runs it again", name));
    if (program_.steps[*step].each && program_.steps[*step].each->carries)
      return fail(Code::usage, fmt::format("the rounds of step '{0}' go on from one another: `--from {0}` runs them again", name));
    if (items.empty() || !IndexSet::range(0, visit.width).contains(items))
      return fail(Code::usage, fmt::format("step '{}' has {} items, from 0 on; not all of {} are among them", name, visit.width, to_text(items)));
    retry_.items[*step] = items;
    return jump(*step);
  }

  /// Steps of a sequence stand: it goes on where it failed, or where it is told.
  void add_changed(StepIndex step, const lang::StepChange& change) {
    const auto& visit = of_.state.steps[step];
    if (is_entry(program_.steps[step]) && visit.entered_at != 0) return;
    if (wish_.only_failed) {
      // Its arguments may have been what it failed for.
      if (change.arguments && (visit.status == VisitStatus::failed || visit.status == VisitStatus::cancelled)) retry_.compared.insert(step);
      return;
    }
    const bool has_results = visit.status == VisitStatus::completed || visit.ok.count() > 0;
    if (change.tool || (change.nested && has_results)) {
      retry_.anew.insert(step);
    } else if (change.arguments) {
      retry_.compared.insert(step);
    }
  }

  /// All that depends on what runs from its beginning because somebody said so.
  void add_behind(const engine::PreparedProgram& prepared) { engine::add_dependents(prepared, retry_.anew); }

  engine::Retry take() && { return std::move(retry_); }

 private:
  [[nodiscard]] Result<StepIndex> find(const std::string& name) const { return named_step(program_, of_.chain, name); }
  Result<void> jump(StepIndex step) {
    if (is_entry(program_.steps[step]) && std::exchange(jumped_, true))
      return fail(Code::usage, "a sequence goes on at one step: name one, with --from or with --items");
    return {};
  }
  [[nodiscard]] bool has_begun(StepIndex step) const {
    if (step >= of_.state.steps.size()) return false;
    const auto& visit = of_.state.steps[step];
    return settled(visit.status) || visit.former || (visit.status == VisitStatus::running && !engine::terminal(of_.state.status));
  }
  [[nodiscard]] Result<void> not_begun(const std::string& name) const {
    return fail(Code::chain_state, fmt::format("step '{}' has not run yet: it runs in its turn when chain '{}' goes on", name, of_.chain.value));
  }

  const actors::RepairWish& wish_;
  const RepairOf& of_;
  const lang::Program& program_;
  engine::Retry retry_;
  bool jumped_ = false;
};

/// With what the definitions say of it.
struct Planned {
  engine::PreparedProgram prepared;
  std::vector<lang::StepChange> changes;
  engine::Retry retry;
};

Result<Planned> plan(const actors::RepairWish& wish, const RepairOf& of) {
  const auto status = of.state.status;
  const bool goes_on = engine::is_under_way(status);
  if (!goes_on && status != engine::ChainStatus::failed && status != engine::ChainStatus::cancelled)
    return fail(Code::chain_state, fmt::format("chain '{}' is {}: it cannot be retried", of.chain.value, engine::name(status)));
  const auto definition = definition_in(of.now, of);
  const auto program = of.now.programs.find(definition);
  if (program == of.now.programs.end())
    return fail(Code::chain_state, fmt::format("the definition '{}' that chain '{}' runs is not among those of today", definition, of.chain.value));
  Planned planned{engine::prepare(program->second, of.chain), {}, {}};
  Wisher wisher{wish, of, *program->second};
  for (const auto& step : wish.from) {
    if (auto added = wisher.add_from(step); !added) return fail(std::move(added).error());
  }
  wisher.add_behind(planned.prepared);
  for (const auto& [step, items] : wish.items) {
    if (auto added = wisher.add_items(step, items); !added) return fail(std::move(added).error());
  }
  if (of.had.hash != of.now.hash && !goes_on) {
    if (auto fits = lang::check_places(of.had, of.state.definition, of.now, definition); !fits) return fail(std::move(fits).error());
    planned.changes = lang::changes(of.had, of.state.definition, of.now, definition);
    for (StepIndex step = 0; step < planned.changes.size() && step < of.state.steps.size(); ++step) wisher.add_changed(step, planned.changes[step]);
  }
  planned.retry = std::move(wisher).take();
  planned.retry.only_failed = wish.only_failed;
  planned.retry.failures_stand = !wish.where.empty();
  if (of.had.hash != of.now.hash) planned.retry.package = of.now.hash;
  if (definition != of.state.definition) planned.retry.definition = definition;
  if (goes_on) {
    const auto repairs = engine::plan_repair(planned.prepared, of.state, planned.retry);
    if (const auto hindrance = engine::obstacle_of(planned.prepared, of.state, planned.retry, repairs))
      return fail(refusal_of(*hindrance, of.chain, *program->second));
  }
  return planned;
}

RepairCause cause_in(const Planned& planned, const actors::RepairWish& wish, const engine::StepRepair& repair) {
  if (repair.reason != engine::RepairReason::asked) return cause_of(repair.reason);
  const auto& id = planned.prepared.program->steps[repair.step].id;
  const bool named = std::ranges::find(wish.from, id) != wish.from.end() || wish.items.contains(id);
  if (named || repair.step >= planned.changes.size()) return RepairCause::asked;
  const auto& change = planned.changes[repair.step];
  if (change.tool) return RepairCause::tool;
  if (change.nested) return RepairCause::nested;
  return change.arguments ? RepairCause::arguments : RepairCause::asked;
}

}  // namespace

RepairCause cause_of(engine::RepairReason reason) {
  switch (reason) {
    case engine::RepairReason::failed: return RepairCause::failed;
    case engine::RepairReason::cancelled: return RepairCause::cancelled;
    case engine::RepairReason::asked: return RepairCause::asked;
    case engine::RepairReason::behind: return RepairCause::behind;
    case engine::RepairReason::last: return RepairCause::last;
  }
  return RepairCause::none;
}

Error refusal_of(const engine::Hindrance& hindrance, const ChainId& chain, const lang::Program& program) {
  using engine::Obstacle;
  const auto step = [&](StepIndex index) { return index < program.steps.size() ? program.steps[index].id : fmt::format("#{}", index); };
  const auto of_chain = [&](std::string_view why) { return make_error(Code::chain_state, fmt::format("chain '{}' {}", chain.value, why)); };
  const auto of_step = [&](std::string_view why) { return make_error(Code::chain_state, fmt::format("step '{}' {}", step(hindrance.step), why)); };
  switch (hindrance.why) {
    case Obstacle::cancelling: return of_chain("is being cancelled; it can be repaired when it has ended");
    case Obstacle::past_deadline: return of_chain("fails, as its deadline has passed; it can be repaired when it has ended");
    case Obstacle::final_steps: return of_chain("runs its final steps, or is about to; it can be repaired when it has failed");
    case Obstacle::stops: return of_chain("fails, and stops what still runs; it can be repaired when it has ended");
    case Obstacle::failed_sequence: return of_chain("fails, and its sequence does not go on; it can be repaired when it has ended");
    case Obstacle::package:
      return of_chain("has not ended, and goes on with the definitions and programs that it began with; others are taken up when it has ended");
    case Obstacle::nothing: return of_chain("has not ended, and nothing in it has failed that could run again now");
    case Obstacle::runs: return of_step("runs, or has not begun; it can run again when it has ended");
    case Obstacle::items_run:
      return of_step(fmt::format("has not come to an end with {}, which {} on as before", to_text(hindrance.items),
                                 hindrance.items.size() == 1 ? "goes" : "go"));
    case Obstacle::passed: return of_step("is one of a sequence that has gone on behind it; it can run again when the chain has ended");
    case Obstacle::rounds: return of_step("has rounds that go on from one another; it can run again when the chain has ended");
    case Obstacle::shaping: return of_step("has its list evaluated; it can be repaired when that is done and the chain has ended");
    case Obstacle::out: return of_step("has attempts that were told to stop; try again when they have ended");
    case Obstacle::behind:
      return of_step(
          fmt::format("cannot run again while step '{}' runs, which depends on it; try again when that has ended", step(hindrance.behind)));
  }
  return of_chain("cannot be repaired now");
}

Result<engine::Retry> repair_of(const actors::RepairWish& wish, const RepairOf& of) {
  auto planned = plan(wish, of);
  if (!planned) return fail(std::move(planned).error());
  return std::move(planned->retry);
}

Result<RepairPreview> preview_repair(const actors::RepairWish& wish, const RepairOf& of) {
  const auto planned = plan(wish, of);
  if (!planned) return fail(planned.error());
  const auto& steps = planned->prepared.program->steps;
  RepairPreview preview;
  preview.other_package = of.had.hash != of.now.hash;
  for (StepIndex step = 0; step < steps.size(); ++step) {
    auto& row = preview.steps.emplace_back();
    row.step = steps[step].id;
    if (step >= of.state.steps.size()) {
      row.action = RepairAction::waits;
      row.cause = RepairCause::added;
      continue;
    }
    const auto& visit = of.state.steps[step];
    row.fan_out = visit.fan_out;
    row.width = visit.width;
    row.entered = visit.entered_at != 0;
    if (!settled(visit.status)) row.action = RepairAction::waits;
  }
  for (const auto& repair : engine::plan_repair(planned->prepared, of.state, planned->retry)) {
    auto& row = preview.steps[repair.step];
    const auto& visit = of.state.steps[repair.step];
    if (row.action == RepairAction::waits && visit.status != VisitStatus::running) continue;
    row.action = !repair.reopened.anew ? RepairAction::runs : repair.reopened.keep ? RepairAction::compared : RepairAction::anew;
    row.cause = cause_in(*planned, wish, repair);
    if (repair.reason == engine::RepairReason::behind) row.behind = steps[repair.behind].id;
    if (row.fan_out) row.items = items_to_run(visit, repair.reopened);
  }
  return preview;
}

}  // namespace catena::coordinator
