#include <fmt/format.h>

#include <algorithm>

#include "lang/convert/convert_parts.hpp"

namespace catena::lang::convert {
namespace {

void put_dependencies(const Names& names, const Step& step, Pretty& out) {
  const auto* gate = std::get_if<AfterAll>(&step.gate);
  if (gate == nullptr || gate->deps.empty()) return;
  for (const auto dependency : gate->deps) out["dependencies"].push_back(names.ids[dependency]);
}

/// The response of one step, as far as responses have names.
void put_last_response(const Names& names, const Ref& last, Pretty& out, Findings& findings) {
  const auto& step = names.program.steps[last.step];
  const auto& fields = step.responses.fields;
  auto map = Pretty::object();
  if (!fields.empty() && std::ranges::all_of(fields, &Field::required)) {
    for (const auto& field : fields)
      map[field.name] = fmt::format("REF:{}.{}{}", names.ids[last.step], field.name, field.type == Type::file ? ".path" : "");
    findings.note(fmt::format("the response has what '{}' declares to return; whatever it returns beyond that is left out", step.name), step.where);
  } else {
    map["response"] = fmt::format("REF:{}.response", names.ids[last.step]);
    findings.note(fmt::format("the response of '{}' stands under 'response': a tool definition names what it returns", step.name), step.where);
  }
  out["response_reference_map"] = std::move(map);
}

void put_plan_response(const Names& names, const PlanResult& result, Pretty& out, Findings& findings) {
  auto map = Pretty::object();
  for (const auto& step : result.steps) {
    if (step.tools.empty()) continue;
    const auto& id = names.ids[step.tools.back()];
    map[fmt::format("step_{}_status", step.id)] = fmt::format("REF:{}.status", id);
    map[fmt::format("step_{}_result", step.id)] = fmt::format("REF:{}.response", id);
  }
  out["response_reference_map"] = std::move(map);
  findings.note("a plan that fails answers what became of its steps, with a summary; the tool definition only fails",
                names.definition.document->where);
  bool alone = true;
  for (StepIndex index = 1; index < names.program.steps.size(); ++index) {
    const auto* gate = std::get_if<AfterAll>(&names.program.steps[index].gate);
    alone = alone && gate != nullptr && std::ranges::find(gate->deps, index - 1) != gate->deps.end();
  }
  if (!alone) {
    findings.note("when a step fails, the steps of other branches still run in a plan; in a tool definition those that have not begun do not begin",
                  names.definition.document->where);
  }
}

/// Its condition, if any, asks only that what it waits for has completed: in a tool definition, whose chain fails otherwise, that is
/// certain.
bool waits_only(const Step& step) {
  const auto* group = step.when ? std::get_if<Group>(&step.when->node) : nullptr;
  if (group == nullptr) return !step.when;
  return group->logic == Logic::all && std::ranges::all_of(group->conditions, [](const Condition& condition) {
           const auto* test = std::get_if<Test>(&condition.node);
           const auto* ref = test == nullptr ? nullptr : std::get_if<Ref>(&test->param.node);
           return ref != nullptr && test->op == "exists" && ref->root == Root::step && ref->path.empty();
         });
}

}  // namespace

void put_graph(const Names& names, const SourceFinder& finder, Pretty& out, Findings& findings) {
  const auto& program = names.program;
  for (StepIndex index = 0; index < program.steps.size(); ++index) {
    const auto& step = program.steps[index];
    if (step.each || !waits_only(step) || step.prepare || step.shape)
      findings.cannot(fmt::format("{}: only plain steps can be converted", said(step)), step.where);
    auto instruction = instruction_of(names, index, finder, findings);
    put_dependencies(names, step, instruction);
    out["instructions"].push_back(std::move(instruction));
  }
  const bool heeds = std::ranges::any_of(program.steps, &Step::heeds_success);
  if (heeds) {
    findings.note("a response with \"success\": false fails a step here; a tool definition takes it for a response like any other",
                  names.definition.document->where);
  }
  const auto* outputs = std::get_if<Expr>(&program.outputs);
  const auto* last = outputs == nullptr ? nullptr : std::get_if<Ref>(&outputs->node);
  if (last != nullptr && last->root == Root::step && last->path.empty()) return put_last_response(names, *last, out, findings);
  if (const auto* plan = std::get_if<PlanResult>(&program.outputs)) return put_plan_response(names, *plan, out, findings);
  findings.cannot("its response has no counterpart in a tool definition", names.definition.document->where);
}

}  // namespace catena::lang::convert
