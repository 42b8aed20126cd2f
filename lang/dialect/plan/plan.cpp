#include "lang/dialect/plan/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/limits.hpp"
#include "lang/dialect/plan/plan_binder.hpp"
#include "lang/dialect/plan/plan_parts.hpp"
#include "lang/dialect/plan/plan_values.hpp"
#include "lang/dialect/tool/tool_arguments.hpp"
#include "lang/dialect/tool/tool_fields.hpp"
#include "lang/dialect/tool/tool_step.hpp"
#include "lang/program/order.hpp"

namespace catena::lang {
namespace {

constexpr std::array<std::string_view, 6> kPlanFields{"name", "description", "version", "arguments", "additional_arguments", "steps"};

/// Whom the steps call, as far as they say so rightly; what is wrong with it is reported when the plan is lowered.
void read_plan_calls(ObjectReader& reader, Definition& definition) {
  const auto* list = reader.of_kind("steps", JsonKind::list);
  if (list == nullptr) return;
  if (list->items.empty()) reader.wrong(Code::field_value, "steps", "is empty: a plan needs at least one", list->where);
  if (list->items.size() > limits::kStepsMax) {
    reader.wrong(Code::field_value, "steps", fmt::format("has {} elements; at most {} are allowed", list->items.size(), limits::kStepsMax),
                 list->where);
    return;
  }
  for (const auto& step : list->items) {
    for (const auto* tool : tools_named(step)) {
      CallSite call;
      call.tool = tool->scalar.get<std::string>();
      call.where = tool->where;
      definition.calls.push_back(std::move(call));
    }
  }
  if (definition.calls.size() <= limits::kStepsMax) return;
  reader.wrong(Code::field_value, "steps", fmt::format("run {} tools; at most {} are allowed", definition.calls.size(), limits::kStepsMax),
               list->where);
  definition.calls.clear();
}

/// Sources that all that is bound by name may be looked for in: every earlier tool may be one of every later one.
constexpr std::size_t kSourcesMax = 200'000;

class Lowering {
 public:
  Lowering(const Definition& definition, Report& report) : plan_{read_plan_steps(definition, report)}, report_{report} {}

  Program run() {
    for (std::size_t step = 0; step < plan_.steps.size(); ++step) {
      read_plan_dependencies(plan_, step, report_);
      wait_for_results(step);
    }
    refuse_cycles();
    bound_sources();
    lay_out();
    Program program;
    PlanResult result;
    for (std::size_t step = 0; step < plan_.steps.size(); ++step) {
      result.steps.push_back({plan_.steps[step].id, {}});
      lower_step(step, program, result.steps.back());
    }
    program.outputs = std::move(result);
    return program;
  }

 private:
  /// What RESULT_FROM_ names has to be there before the first tool of the step.
  void wait_for_results(std::size_t index) {
    auto& step = plan_.steps[index];
    std::set<std::size_t> known{step.waits_for.begin(), step.waits_for.end()};
    known.insert(index);
    const auto add = [&](const Node* value) {
      if (value == nullptr) return;
      for (const auto named : steps_named(plan_, *value)) {
        if (known.insert(named).second) step.waits_for.push_back(named);
      }
    };
    add(instruction_of(step));
    for (const auto& tool : step.tools) add(tool.parameters);
  }

  /// Cycles are spelled out in the ids of the plan, not in those of its tools.
  void refuse_cycles() {
    std::vector<Step> steps(plan_.steps.size());
    for (std::size_t index = 0; index < steps.size(); ++index) {
      const auto& step = plan_.steps[index];
      steps[index].id = step.id;
      steps[index].where = step.node->where;
      AfterAll gate;
      for (const auto other : step.waits_for) gate.deps.push_back(static_cast<StepIndex>(other));
      steps[index].gate = std::move(gate);
    }
    report_cycles(steps, report_);
  }

  void bound_sources() {
    std::size_t sources = 0;
    for (auto& step : plan_.steps) {
      std::size_t seen = 0;
      for (const auto other : step.waits_for) seen += plan_.steps[other].tools.size();
      for (auto& tool : step.tools) {
        const auto before = sources;
        sources += tool.open.size() * seen++;
        if (sources <= kSourcesMax) continue;
        if (before <= kSourcesMax) {
          report_.error(Code::field_value,
                        fmt::format("{}: the plan leaves so much to be bound by name that more than {} places would be looked at; write "
                                    "parameters down, as RESULT_FROM_<id>.name or $prev.name",
                                    step.what, kSourcesMax),
                        tool.where);
        }
        tool.open.clear();
        tool.target = nullptr;  // nothing more is said about it
      }
    }
  }

  void lay_out() {
    StepIndex next = 0;
    for (auto& step : plan_.steps) {
      for (auto& tool : step.tools) {
        if (plan_.definition.binder != nullptr && !tool.open.empty()) tool.bind = next++;
        tool.step = next++;
      }
    }
    if (std::ranges::any_of(plan_.steps, [](const PlanStep& step) {
          return std::ranges::any_of(step.tools, [](const PlanTool& tool) { return tool.bind.has_value(); });
        })) {
      check_binder(plan_, report_);
    }
  }

  void lower_step(std::size_t index, Program& program, PlanResult::PlanStep& result) {
    const auto& step = plan_.steps[index];
    if (step.node->kind != JsonKind::object) return;
    ObjectReader reader{*step.node, step.what, report_};
    const auto settings = read_call_settings(reader, report_);
    // Only for what it reports: a step without a binder has no use for it.
    if (const auto* text = instruction_of(step)) static_cast<void>(PlanValues{plan_, index, 0, report_}.read_instruction(*text));
    for (std::size_t tool = 0; tool < step.tools.size(); ++tool) {
      if (step.tools[tool].target != nullptr) check_surroundings(reader, *step.tools[tool].target);
      auto given = given_to(index, tool);
      if (step.tools[tool].bind) {
        program.steps.push_back(bind_step(plan_, index, tool, given));
        result.tools.push_back(*step.tools[tool].bind);
      }
      program.steps.push_back(lower_tool(step, tool, std::move(given), settings));
      result.tools.push_back(step.tools[tool].step);
    }
  }

  Step lower_tool(const PlanStep& step, std::size_t index, ObjectExpr given, const CallSettings& settings) {
    const auto& tool = step.tools[index];
    Step made;
    made.id = tool_step_id(step, index);
    made.name = made.id;
    made.where = tool.where;
    for (const auto* field : tool.open) {
      auto last = tool.bind ? std::optional{answer_of_binder(*tool.bind, tool.where)} : std::nullopt;
      given.members.emplace_back(field->name, bound_by_name(plan_, step, index, *field, std::move(last)));
    }
    made.bind = Expr{std::move(given), tool.where};
    if (tool.target != nullptr) {
      bind_call(made, *tool.target, settings);
      check_given(step, tool, made);
    }
    wait_for(made, waits_of(plan_, step, index));
    if (tool.bind) wait_for_binder(made, *tool.bind, tool.where);
    if (!tool.open.empty() && plan_.definition.binder == nullptr) {
      made.when_missing = "; no result has such a name, and no tool is asked for it: the setting plan.binder names one";
    }
    made.heeds_success = true;
    made.failed = FailAtEnd{};
    return made;
  }

  ObjectExpr given_to(std::size_t step, std::size_t tool) {
    ObjectExpr given;
    const auto* parameters = plan_.steps[step].tools[tool].parameters;
    if (parameters == nullptr) return given;
    PlanValues values{plan_, step, tool, report_};
    for (const auto& member : parameters->members) given.members.emplace_back(member.key, values.read(member.value));
    return given;
  }

  /// The check of the tool dialect, for an instruction that says the same. What is bound by name counts as given.
  void check_given(const PlanStep& step, const PlanTool& tool, const Step& made) {
    Node instruction;
    instruction.kind = JsonKind::object;
    instruction.where = tool.where;
    if (tool.parameters != nullptr) instruction.members.push_back({"arguments", tool.parameters->where, *tool.parameters});
    check_arguments_given(made, *tool.target, instruction, step.what, report_);
  }

  Plan plan_;
  Report& report_;
};

}  // namespace

Definition read_plan(const Node& document, Report& report) {
  ObjectReader reader{document, "the plan", report};
  std::vector<std::string_view> known{kPlanFields.begin(), kPlanFields.end()};
  known.insert(known.end(), std::begin(kCallSettingsFields), std::end(kCallSettingsFields));
  reader.only(known);
  auto definition = read_head(document, reader);
  definition.arguments = read_schema(reader, "arguments", kToolSpelling, report);
  definition.arguments.additional = reader.boolean("additional_arguments").value_or(!reader.has("arguments"));
  definition.responses.additional = true;
  definition.settings = read_call_settings(reader, report);
  check_surroundings(reader, definition);
  definition.wants_binder = true;
  read_plan_calls(reader, definition);
  return definition;
}

Program lower_plan(const Definition& definition, NestedPrograms& /*nested*/, Report& report) {
  const auto* steps = definition.document->find("steps");
  const bool readable = steps->kind == JsonKind::list && steps->items.size() <= limits::kStepsMax &&
                        (!definition.calls.empty() || std::ranges::all_of(steps->items, [](const Node& step) { return tools_named(step).empty(); }));
  return with_head(readable ? Lowering{definition, report}.run() : Program{}, definition);
}

}  // namespace catena::lang
