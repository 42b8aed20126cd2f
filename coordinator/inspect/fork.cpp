// What a fork would share and run.
#include "coordinator/fork_base.hpp"
#include "coordinator/inspect/inspector.hpp"
#include "coordinator/repair.hpp"

namespace catena::coordinator {
namespace {

RepairRow fork_row(const lang::Step& step, const engine::VisitState& visit) {
  RepairRow row;
  row.step = step.id;
  row.fan_out = visit.fan_out;
  row.width = visit.width;
  row.entered = visit.entered_at != 0;
  if (visit.status == engine::VisitStatus::blocked) row.action = RepairAction::waits;
  if (visit.status != engine::VisitStatus::running) return row;
  row.action = RepairAction::runs;
  row.items = visit.fan_out ? visit.width - visit.ok.count() - visit.bad.count() : 0;
  return row;
}

}  // namespace

Result<ForkPreview> Inspector::answer(const PreviewFork& ask) {
  if (auto there = summary_of_chain(ask.chain); !there) return fail(std::move(there).error());
  const auto base = read_fork(
      kv_, [this](const std::string& hash) { return package_of(hash); }, ask.chain, ask.wish);
  if (!base) return fail(base.error());
  const auto& steps = base->program->steps;
  ForkPreview preview;
  preview.shared = base->shared;
  for (StepIndex step = 0; step < steps.size(); ++step) preview.steps.push_back(fork_row(steps[step], base->state.steps[step]));
  if (!base->step) return preview;
  const auto plan = engine::plan_fork(engine::prepare(base->program, ask.chain), base->state, *base->step);
  plan.cut.for_each([&](std::uint32_t step) { preview.steps[step].action = RepairAction::waits; });
  for (const auto& repair : plan.steps) {
    auto& row = preview.steps[repair.step];
    row.action = !repair.reopened.anew ? RepairAction::runs : repair.reopened.keep ? RepairAction::compared : RepairAction::anew;
    row.cause = repair.step == *base->step ? RepairCause::asked : cause_of(repair.reason);
    // What depends on the step that is named begins anew as that does.
    if (row.cause == RepairCause::asked && repair.step != *base->step) {
      row.cause = RepairCause::behind;
      row.behind = steps[*base->step].id;
    }
    if (repair.reason == engine::RepairReason::behind) row.behind = steps[repair.behind].id;
    row.items = row.fan_out ? engine::items_to_run(base->state.steps[repair.step], repair.reopened) : 0;
  }
  return preview;
}

}  // namespace catena::coordinator
