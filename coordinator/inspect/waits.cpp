// What a chain waits for, and what a person may say about it.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/overloads.hpp"
#include "coordinator/inspect/describe_event.hpp"
#include "coordinator/inspect/inspector.hpp"
#include "lang/run/schema_check.hpp"
#include "lang/run/scope.hpp"

namespace catena::coordinator {
namespace {

// Rows of one step; what is beyond them is counted.
constexpr std::uint32_t kRetriesShown = 5;
constexpr std::uint32_t kDoubtsShown = 100;
constexpr std::size_t kStepsNamed = 100;

/// Collects what a chain waits for, as much of it as an answer has.
class WaitList {
 public:
  WaitList(const engine::ChainState& state, const lang::Program* program, ChainWaits& into) : state_{state}, program_{program}, into_{into} {}

  void collect() {
    if (state_.status == engine::ChainStatus::paused) add({.kind = WaitKind::paused});
    if (state_.cancelling) add({.kind = WaitKind::cancelling});
    if (state_.failing) add({.kind = WaitKind::failing, .error = state_.failing});
    for (StepIndex step = 0; step < state_.steps.size() && !full(); ++step) {
      const auto& visit = state_.steps[step];
      if (visit.status == engine::VisitStatus::blocked) add_blocked(step);
      if (visit.status != engine::VisitStatus::running) continue;
      add_doubts(step, visit);
      add_retries(step, visit);
    }
    for (const auto& [id, grant] : state_.grants) {
      add({.kind = WaitKind::attempts, .step = id_of(grant.visit.step), .count = grant.open.size(), .worker = grant.worker, .at = grant.at});
      if (full()) return;
    }
  }

 private:
  [[nodiscard]] bool full() const { return into_.waits.size() >= kWaitsMax; }
  [[nodiscard]] std::string id_of(StepIndex step) const { return step_id(program_, step); }
  [[nodiscard]] static std::optional<ItemIndex> item_of(const engine::VisitState& visit, ItemIndex item) {
    return visit.fan_out ? std::optional{item} : std::nullopt;
  }
  void add(Wait wait) { into_.waits.push_back(std::move(wait)); }

  void add_blocked(StepIndex step) {
    if (program_ == nullptr) return;
    const auto* gate = std::get_if<lang::AfterAll>(&program_->steps[step].gate);
    if (gate == nullptr) return;
    Wait wait{.kind = WaitKind::steps, .step = id_of(step)};
    for (const auto dep : gate->deps) {
      if (dep >= state_.steps.size() || engine::settled(state_.steps[dep].status)) continue;
      if (++wait.count <= kStepsNamed) wait.steps.push_back(id_of(dep));
    }
    if (wait.count != 0) add(std::move(wait));
  }

  void add_doubts(StepIndex step, const engine::VisitState& visit) {
    std::uint32_t shown = 0;
    for (const auto& run : visit.in_doubt.ranges()) {
      for (auto item = run.first; item < run.last && shown < kDoubtsShown; ++item, ++shown) {
        add({.kind = WaitKind::in_doubt, .step = id_of(step), .item = item_of(visit, item)});
      }
    }
    if (const auto all = visit.in_doubt.size(); all > shown) add({.kind = WaitKind::more_in_doubt, .step = id_of(step), .count = all - shown});
  }

  void add_retries(StepIndex step, const engine::VisitState& visit) {
    std::uint32_t shown = 0;
    for (const auto& [due, item] : visit.waiting) {
      if (++shown > kRetriesShown) {
        return add({.kind = WaitKind::more_retries, .step = id_of(step), .count = visit.waiting.size() - kRetriesShown});
      }
      add({.kind = WaitKind::retry, .step = id_of(step), .item = item_of(visit, item), .at = due});
    }
  }

  const engine::ChainState& state_;
  const lang::Program* program_;
  ChainWaits& into_;
};

std::vector<TaskName> tasks_in_doubt(const engine::ChainState& state, const lang::Program& program) {
  std::vector<TaskName> tasks;
  for (const auto step : state.running) {
    const auto& visit = state.steps[step];
    for (const auto& run : visit.in_doubt.ranges()) {
      for (auto item = run.first; item < run.last && tasks.size() < kDoubtsShown; ++item) {
        tasks.push_back({program.steps[step].id, visit.fan_out ? std::optional{item} : std::nullopt});
      }
    }
  }
  return tasks;
}

MovedBy moved_by(const engine::ChainState& state, std::shared_ptr<const lang::Program> program, const ChainId& chain, bool in_doubt) {
  const auto* steps = program.get();
  const auto prepared = engine::prepare(std::move(program), chain);
  bool children = false;
  for (const auto& effect : engine::outstanding(prepared, state)) {
    using namespace engine;
    const auto runs_chains = [&](const Run& run) {
      return std::holds_alternative<lang::ProgramCall>(steps->steps[state.grants.at(run.grant).visit.step].call);
    };
    const bool is_child = std::visit(
        Overloads{runs_chains, [](const OneOf<Evaluate, Shape, EvaluateOutputs, Demand, Stop, Wake, Announce> auto&) { return false; }}, effect);
    if (!is_child) return MovedBy::itself;
    children = true;
  }
  if (children) return MovedBy::children;
  return in_doubt ? MovedBy::person : MovedBy::nobody;
}

Result<void> check_in_doubt(const engine::VisitState& visit, const TaskName& task) {
  if (visit.fan_out && !task.item ? !visit.in_doubt.empty() : visit.in_doubt.contains(task.item.value_or(0))) return {};
  std::string known;
  if (!visit.in_doubt.empty())
    known = fmt::format("; of this step, {}", visit.in_doubt.size() == 1 ? fmt::format("item {} is", to_text(visit.in_doubt))
                                                                         : fmt::format("items {} are", to_text(visit.in_doubt)));
  return fail(Code::chain_state, fmt::format("nothing of '{}' is in doubt{}", task.step, known));
}

}  // namespace

Result<ChainWaits> Inspector::answer(const AskWaits& ask) {
  const auto chain = known(ask.chain);
  if (!chain) return fail(chain.error());
  const auto& state = chain->state();
  ChainWaits told;
  told.now = std::max(clock_.now(), state.last_at);
  if (engine::terminal(state.status)) return told;
  auto program = chain->program();
  WaitList{state, program.get(), told}.collect();
  if (!program) {
    told.moved_by = MovedBy::itself;  // nobody can say that it is not
    return told;
  }
  told.in_doubt = tasks_in_doubt(state, *program);
  told.moved_by = moved_by(state, std::move(program), ask.chain, !told.in_doubt.empty());
  return told;
}

Result<FoundTask> Inspector::answer(const FindTask& ask) {
  const auto chain = known(ask.chain);
  if (!chain) return fail(chain.error());
  const auto index = step_named(*chain, ask.chain, ask.task.step);
  if (!index) return fail(index.error());
  const auto& visit = chain->state().steps[*index];
  if (auto valid = check_in_doubt(visit, ask.task); !valid) return fail(std::move(valid).error());
  if (ask.response) {
    // What follows relies on it as on a tool's own.
    const auto& step = chain->program()->steps[*index];
    auto fits = lang::check_response(lang::JsonText{*ask.response}, step.responses, fmt::format("step '{}'", step.id));
    if (!fits) return fail(std::move(fits).error());
  }
  return FoundTask{{*index, visit.visit}, ask.task.item.value_or(0), visit.fan_out, visit.in_doubt};
}

}  // namespace catena::coordinator
