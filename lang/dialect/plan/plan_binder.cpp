#include "lang/dialect/plan/plan_binder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "lang/dialect/plan/plan_values.hpp"
#include "lang/dialect/tool/tool_reference.hpp"
#include "lang/dialect/tool/tool_step.hpp"
#include "lang/expr/check.hpp"
#include "lang/program/value_check.hpp"

namespace catena::lang {
namespace {

/// What a binder can be told: the argument that it declares, and the expression over the variables of `variables_of` that fills it.
struct Told {
  std::string_view argument;
  std::string_view expression;
  bool structured = false;  // goes as JSON text where the binder declares a string
  bool unasked = true;      // also to a binder that takes whatever it is given
};
constexpr std::array kTold{
    Told{"instruction", "its_instruction"},
    Told{"tool", "its_tool"},
    Told{"description", "its_description"},
    Told{"schema", "filter(open, lambda field: not field.name in keys(its_given))", true},
    Told{"missing", "map(filter(open, lambda field: not field.name in keys(its_given)), 'item.name')", true},
    Told{"given", "its_given", true},
    Told{"results", "its_results", true},
    Told{"prompt",
         "join(['A tool is about to be called, and some of its arguments are missing. Answer with one JSON object that has a member for "
         "each "
         "missing argument which the instruction and the results tell. Leave out what they do not tell; invent nothing.\\n\\nTool: ', its_tool, "
         "'\\nWhat it does: ', its_description, '\\nInstruction: ', its_instruction, '\\nMissing arguments: ', "
         "to_json(filter(open, lambda field: not field.name in keys(its_given))), '\\nArguments it has: ', to_json(its_given), "
         "'\\nResults so far: ', to_json(its_results)], '')",
         false, false},
};
constexpr std::string_view kFormatArgument = "response_format";  // of llm_text and the like: asks for JSON

/// An argument as the tool dialect declares it.
Json declaration(const Field& field) {
  Json json{{"name", field.name}, {"type_name", word(field.type)}};
  if (!field.description.empty()) json["description"] = field.description;
  if (!field.allowed.empty()) json["enum"] = field.allowed;
  return json;
}

std::string list_of_fields(const std::vector<const Field*>& fields) {
  std::vector<std::string> parts;
  for (const auto* field : fields) parts.push_back(fmt::format("'{}' ({})", field->name, word(field->type)));
  return fmt::format("{}", fmt::join(parts, ", "));
}

Expr literal(Json value, const Place& where) { return Expr{Literal{std::move(value)}, where}; }

/// A constant expression of this file.
Computed compiled(const std::string& text, std::map<std::string, Ref, std::less<>> references = {}) {
  const expr::Names names{std::vector<std::string>{"its_instruction", "its_tool", "its_description", "open", "its_given", "its_results"}};
  return Computed{expr::compile(text, names).value(), std::move(references)};
}

Expr instruction_text(const Plan& plan, std::size_t step) {
  const auto* text = instruction_of(plan.steps[step]);
  if (text == nullptr) return literal("", plan.steps[step].node->where);
  Report reported_already;
  return PlanValues{plan, step, 0, reported_already}.read_instruction(*text);
}

/// What the expressions of kTold see. No name is one of an argument: what is set for an argument is seen by what is set later.
std::vector<Transform::Variable> variables_of(const Plan& plan, std::size_t index, std::size_t position, ObjectExpr given) {
  const auto& step = plan.steps[index];
  const auto& tool = step.tools[position];
  auto open = Json::array();
  for (const auto* field : tool.open) {
    open.push_back(declaration(*field));
    given.members.emplace_back(field->name, bound_by_name(plan, step, position, *field));
  }
  ObjectExpr results;
  for (const auto& before : seen_by(plan, step, position)) results.members.emplace_back(before.id, whole_response(before, tool.where));
  const auto& description = tool.target->description;
  return {{"its_instruction", instruction_text(plan, index)},    {"its_tool", literal(tool.name, tool.where)},
          {"its_description", literal(description, tool.where)}, {"open", literal(std::move(open), tool.where)},
          {"its_given", Expr{std::move(given), tool.where}},     {"its_results", Expr{std::move(results), tool.where}}};
}

bool tells(const Schema& arguments, const Told& told) { return arguments.find(told.argument) != nullptr || (arguments.additional && told.unasked); }

std::vector<Transform::Result> results_for(const Schema& arguments, const Place& where) {
  std::vector<Transform::Result> results;
  for (const auto& told : kTold) {
    if (!tells(arguments, told)) continue;
    const auto* field = arguments.find(told.argument);
    const bool as_text = told.structured && field != nullptr && field->type == Type::string;
    auto value = compiled(as_text ? fmt::format("to_json({})", told.expression) : std::string{told.expression});
    results.push_back({{std::string{told.argument}}, std::move(value), false, where});
  }
  return results;
}

bool takes_json_format(const Definition& binder) {
  const auto* format = binder.arguments.find(kFormatArgument);
  return format != nullptr && is_allowed("json", *format);
}

/// Some argument is found nowhere.
Condition something_missing(const Plan& plan, const PlanStep& step, std::size_t tool, const Place& where) {
  Group missing{Logic::any, {}};
  for (const auto* field : step.tools[tool].open) {
    missing.conditions.push_back({Test{"not_exists", bound_by_name(plan, step, tool, *field), literal(nullptr, where)}, where});
  }
  return {std::move(missing), where};
}

Ref of_binder(StepIndex bind, std::vector<std::string> path) {
  Ref ref{Root::step, bind, std::move(path), "the binder's answer"};
  ref.lenient = true;
  return ref;
}

}  // namespace

void check_binder(const Plan& plan, Report& report) {
  const auto& binder = *plan.definition.binder;
  const auto& where = plan.definition.document->find("steps")->where;
  const auto what = fmt::format("the binder '{}' (the setting plan.binder)", binder.name);
  if (std::ranges::none_of(kTold, [&](const Told& told) { return tells(binder.arguments, told); })) {
    std::vector<std::string_view> names;
    for (const auto& told : kTold) names.push_back(told.argument);
    report.error(Code::argument_unknown, fmt::format("{} takes nothing of what a binder is told: {}", what, fmt::join(names, ", ")), where);
  }
  for (const auto& field : binder.arguments.fields) {
    if (!field.required || field.default_value || field.name == kFormatArgument) continue;
    if (std::ranges::find(kTold, field.name, &Told::argument) != kTold.end()) continue;
    report.error(Code::argument_missing,
                 fmt::format("{} needs the argument '{}' ({}), which nobody gives to a binder", what, field.name, word(field.type)), where);
  }
}

Step bind_step(const Plan& plan, std::size_t index, std::size_t position, const ObjectExpr& given) {
  const auto& step = plan.steps[index];
  const auto& tool = step.tools[position];
  const auto& binder = *plan.definition.binder;
  Step made;
  made.id = tool_step_id(step, position) + ".bind";
  made.name = made.id;
  made.where = tool.where;
  wait_for(made, waits_of(plan, step, position));
  require(made, something_missing(plan, step, position, tool.where));
  ObjectExpr bind;
  if (takes_json_format(binder)) bind.members.emplace_back(kFormatArgument, literal("json", tool.where));
  made.bind = Expr{std::move(bind), tool.where};
  made.prepare = Transform{variables_of(plan, index, position, given), results_for(binder.arguments, tool.where)};
  bind_call(made, binder, {});
  made.heeds_success = true;
  made.failed = FailAtEnd{};
  made.blame = fmt::format("step '{}': tool '{}' needs {}, of which the results have not all, and the binder '{}' failed", step.id, tool.name,
                           list_of_fields(tool.open), binder.name);
  return made;
}

Expr answer_of_binder(StepIndex bind, const Place& where) {
  return Expr{compiled("default(REF:binder.parameters, default(REF:binder.json, REF:binder.response))",
                       {{"REF:binder.parameters", of_binder(bind, {"parameters"})},
                        {"REF:binder.json", of_binder(bind, {"json"})},
                        {"REF:binder.response", of_binder(bind, {})}}),
              where};
}

void wait_for_binder(Step& made, StepIndex bind, const Place& where) {
  auto& deps = std::get<AfterAll>(made.gate).deps;
  deps.push_back(bind);
  std::ranges::sort(deps);
  // A binder that was not needed is skipped. Asked in this order: of a completed one the status may be a response of its own.
  const Seen seen{bind, "the binder"};
  Group fine{Logic::any, {has_completed(seen, where)}};
  fine.conditions.push_back(
      {Test{"equals", Expr{Ref{Root::step, bind, {"status"}, "the binder's status"}, where}, literal("skipped", where)}, where});
  require(made, {std::move(fine), where});
}

}  // namespace catena::lang
