#include "coordinator/repair.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "coordinator/named_step.hpp"
#include "engine/repair.hpp"

namespace catena::coordinator {
namespace {

using engine::VisitStatus;

bool is_entry(const lang::Step& step) { return std::holds_alternative<lang::OnEntry>(step.gate); }

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
  void add_behind(const engine::PreparedProgram& prepared) {
    std::vector<StepIndex> open{retry_.anew.begin(), retry_.anew.end()};
    while (!open.empty()) {
      const auto step = open.back();
      open.pop_back();
      for (const auto dependent : prepared.dependents[step]) {
        if (retry_.anew.insert(dependent).second) open.push_back(dependent);
      }
    }
  }

  engine::Retry take() && { return std::move(retry_); }

 private:
  [[nodiscard]] Result<StepIndex> find(const std::string& name) const { return named_step(program_, of_.chain, name); }
  Result<void> jump(StepIndex step) {
    if (is_entry(program_.steps[step]) && std::exchange(jumped_, true))
      return fail(Code::usage, "a sequence goes on at one step: name one, with --from or with --items");
    return {};
  }
  [[nodiscard]] bool has_begun(StepIndex step) const {
    return step < of_.state.steps.size() && (settled(of_.state.steps[step].status) || of_.state.steps[step].former);
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
  if (status != engine::ChainStatus::failed && status != engine::ChainStatus::cancelled)
    return fail(Code::chain_state,
                fmt::format("chain '{}' is {}: only a failed or cancelled chain can be retried", of.chain.value, engine::name(status)));
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
  if (of.had.hash != of.now.hash) {
    if (auto fits = lang::check_places(of.had, of.state.definition, of.now, definition); !fits) return fail(std::move(fits).error());
    planned.changes = lang::changes(of.had, of.state.definition, of.now, definition);
    for (StepIndex step = 0; step < planned.changes.size() && step < of.state.steps.size(); ++step) wisher.add_changed(step, planned.changes[step]);
  }
  planned.retry = std::move(wisher).take();
  planned.retry.only_failed = wish.only_failed;
  planned.retry.failures_stand = !wish.where.empty();
  if (of.had.hash != of.now.hash) planned.retry.package = of.now.hash;
  if (definition != of.state.definition) planned.retry.definition = definition;
  return planned;
}

RepairCause cause_of(const Planned& planned, const actors::RepairWish& wish, const engine::StepRepair& repair) {
  using engine::RepairReason;
  switch (repair.reason) {
    case RepairReason::failed: return RepairCause::failed;
    case RepairReason::cancelled: return RepairCause::cancelled;
    case RepairReason::behind: return RepairCause::behind;
    case RepairReason::last: return RepairCause::last;
    case RepairReason::asked: break;
  }
  const auto& id = planned.prepared.program->steps[repair.step].id;
  const bool named = std::ranges::find(wish.from, id) != wish.from.end() || wish.items.contains(id);
  if (named || repair.step >= planned.changes.size()) return RepairCause::asked;
  const auto& change = planned.changes[repair.step];
  if (change.tool) return RepairCause::tool;
  if (change.nested) return RepairCause::nested;
  return change.arguments ? RepairCause::arguments : RepairCause::asked;
}

}  // namespace

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
    if (row.action == RepairAction::waits) continue;
    const auto& visit = of.state.steps[repair.step];
    row.action = !repair.reopened.anew ? RepairAction::runs : repair.reopened.keep ? RepairAction::compared : RepairAction::anew;
    row.cause = cause_of(*planned, wish, repair);
    if (repair.reason == engine::RepairReason::behind) row.behind = steps[repair.behind].id;
    if (row.fan_out) row.items = items_to_run(visit, repair.reopened);
  }
  return preview;
}

}  // namespace catena::coordinator
