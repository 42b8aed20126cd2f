// What a chain waits for, and what a person may say about it.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/cut_text.hpp"
#include "base/overloads.hpp"
#include "coordinator/inspect/describe_event.hpp"
#include "coordinator/inspect/inspector.hpp"
#include "coordinator/step_actor.hpp"
#include "coordinator/values.hpp"
#include "lang/run/evaluate.hpp"
#include "lang/run/schema_check.hpp"
#include "lang/run/scope.hpp"

namespace catena::coordinator {
namespace {

constexpr std::uint32_t kDoubtsShown = 100;
constexpr std::size_t kValuesShown = 8;
constexpr std::size_t kValueBytesShown = 200;

/// What the references of a condition come to now, as its evaluation saw them: "input.go is false".
std::string values_text(const lang::Condition& condition, const lang::Program& program, const lang::Scope& scope) {
  std::string text;
  std::size_t shown = 0;
  std::set<std::string> seen;
  lang::for_each_reference(condition, [&](const lang::Ref& ref) {
    if (shown == kValuesShown || ref.text.empty() || !seen.insert(ref.text).second) return;
    ++shown;
    // One that cannot be resolved counts as null in a condition.
    const auto value = lang::evaluate(lang::Expr{ref, {}}, program, scope);
    text += fmt::format("{}{} is {}", text.empty() ? "" : ", ", ref.text, value ? cut_text(value->text, kValueBytesShown) : "null");
  });
  return text;
}

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
    const bool is_child =
        std::visit(Overloads{runs_chains, [](const HoldChildren&) { return true; },
                             [](const OneOf<Evaluate, Shape, EvaluateOutputs, Demand, Stop, Wake, Announce, UseSignal> auto&) { return false; }},
                   effect);
    if (!is_child) return MovedBy::itself;
    children |= !std::holds_alternative<HoldChildren>(effect);
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

Result<engine::ReasonScope> Inspector::scope_of(const Known& chain, const AskWaits& ask) {
  engine::ReasonScope scope;
  if (ask.step.empty()) return scope;
  const auto step = step_named(chain, ask.chain, ask.step);
  if (!step) return fail(step.error());
  scope.step = *step;
  if (!ask.item) return scope;
  const auto& visit = chain.state().steps[*step];
  if (!chain.program()->steps[*step].each) return fail(Code::usage, fmt::format("step '{}' is no fan-out: it has no items", ask.step));
  if (visit.entered_at != 0 && *ask.item >= visit.width)
    return fail(Code::usage,
                fmt::format("step '{}' has no item {}: it has {} item{}", ask.step, *ask.item, visit.width, visit.width == 1 ? "" : "s"));
  scope.item = ask.item;
  return scope;
}

/// What the engine does not know: names of child chains, and values.
void Inspector::complete(engine::Reason& reason, const Known& chain, const ChainId& id) const {
  const auto program = chain.program();
  const auto step = program ? program->find_step(reason.step) : std::nullopt;
  if (!step) return;
  const auto& state = chain.state();
  if (reason.code == engine::ReasonCode::children)
    reason.chain = ChainId{task_key(id, program->steps[*step], {*step, state.steps[*step].visit}, reason.item.value_or(0))};
  if (reason.code == engine::ReasonCode::condition_false && program->steps[*step].when) {
    const ChainScope scope{{kv_, nullptr, clock_.now()}, id, *program, state};
    reason.text = values_text(*program->steps[*step].when, *program, scope);
  }
}

Result<ChainWaits> Inspector::answer(const AskWaits& ask) {
  const auto chain = known(ask.chain);
  if (!chain) return fail(chain.error());
  const auto& state = chain->state();
  auto program = chain->program();
  ChainWaits told;
  told.now = std::max(clock_.now(), state.last_at);
  told.last_at = state.last_at;
  told.status = state.status;
  const auto scope = scope_of(*chain, ask);
  if (!scope) return fail(scope.error());
  std::optional<engine::PreparedProgram> prepared;
  if (program) prepared = engine::prepare(program, ask.chain);
  told.reasons = engine::reasons_of(state, prepared ? &*prepared : nullptr, *scope);
  for (auto& reason : told.reasons) complete(reason, *chain, ask.chain);
  engine::arrange(told.reasons);
  told.workers_decide = engine::waits_for_workers(state, *scope);
  if (engine::terminal(state.status)) return told;
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
