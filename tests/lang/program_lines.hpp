#pragma once
// A program as lines of text: what golden cases of lowering compare.
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "lang/package/package.hpp"
#include "lang/program/value_check.hpp"

namespace catena::lang::test {

inline std::string shown(const Ref& ref) {
  const auto root = ref.root == Root::input ? std::string{"input"} : ref.root == Root::response ? "response" : fmt::format("step{}", ref.step);
  const auto* file = !ref.file ? "" : ref.file->stays_a_path ? " path" : " file";
  return fmt::format("<{}{}{}{}>", root, ref.path.empty() ? "" : ".", fmt::join(ref.path, "."), file);
}

inline std::string shown(const Computed& computed) {
  std::vector<std::string> references;
  for (const auto& [text, ref] : computed.references) references.push_back(shown(ref));
  return fmt::format("`{}`{}", computed.expression->text, fmt::join(references, ""));
}

inline std::string shown(const Expr& expr) {
  if (const auto* literal = std::get_if<Literal>(&expr.node)) return literal->value.dump();
  if (const auto* ref = std::get_if<Ref>(&expr.node)) return shown(*ref);
  if (const auto* computed = std::get_if<Computed>(&expr.node)) return shown(*computed);
  std::vector<std::string> parts;
  if (const auto* list = std::get_if<ListExpr>(&expr.node)) {
    for (const auto& item : list->items) parts.push_back(shown(item));
    return fmt::format("[{}]", fmt::join(parts, ","));
  }
  for (const auto& [key, value] : std::get<ObjectExpr>(expr.node).members) parts.push_back(fmt::format("{}: {}", key, shown(value)));
  return fmt::format("{{{}}}", fmt::join(parts, ", "));
}

inline std::string shown(const Condition& condition) {
  if (const auto* test = std::get_if<Test>(&condition.node)) return fmt::format("{} {} {}", shown(test->param), test->op, shown(test->value));
  const auto& group = std::get<Group>(condition.node);
  std::vector<std::string> parts;
  for (const auto& inner : group.conditions) parts.push_back(shown(inner));
  const auto* logic = group.logic == Logic::all ? "all" : group.logic == Logic::any ? "any" : "none";
  return fmt::format("{}({})", logic, fmt::join(parts, "; "));
}

inline std::string shown(const Schema& schema) {
  std::vector<std::string> parts;
  for (const auto& field : schema.fields) {
    auto text = fmt::format("{}:{}{}", field.name, word(field.type), field.required ? "!" : "");
    if (field.default_value) text += "=" + field.default_value->dump();
    if (!field.allowed.empty()) text += " of " + Json(field.allowed).dump();
    parts.push_back(text);
  }
  if (schema.additional) parts.emplace_back("more");
  return fmt::format("{}", fmt::join(parts, ", "));
}

inline std::string shown(const Route& route) {
  if (std::holds_alternative<Settle>(route)) return "settle";
  if (std::holds_alternative<FinishFailed>(route)) return "fail";
  return std::holds_alternative<FinishOk>(route) ? "finish" : "go";
}

inline std::string shown(const FanOut& each) {
  constexpr const char* kJoin[] = {"all", "any", "first_success", "count"};
  constexpr const char* kStandIn[] = {"fail", "null", "error"};
  auto text = fmt::format("{} as '{}' join {}", shown(each.over), each.as, kJoin[static_cast<int>(each.join)]);
  if (each.join == Join::count) text += fmt::format(" {}", each.join_count);
  if (each.window != 0) text += fmt::format(", window {}", each.window);
  if (each.tolerated != 0) text += fmt::format(", tolerated {}", each.tolerated);
  if (each.tolerated_percentage) text += fmt::format(", tolerated {}%", *each.tolerated_percentage);
  return text + fmt::format(", on failure {}", kStandIn[static_cast<int>(each.on_item_failure)]);
}

inline void append_transform(std::vector<std::string>& lines, std::string_view name, const std::optional<Transform>& transform) {
  if (!transform) return;
  for (const auto& variable : transform->variables)
    lines.push_back(fmt::format("  {} variable{} {}: {}", name, variable.sees_item ? " of item" : "", variable.name, shown(variable.value)));
  for (const auto& result : transform->results)
    lines.push_back(fmt::format("  {} sets{} {}: {}", name, result.sees_item ? " of item" : "", fmt::join(result.key, " . "), shown(result.value)));
}

inline std::string called(const Call& call) {
  if (const auto* program = std::get_if<ProgramCall>(&call)) return fmt::format("program {} ({})", program->name, program->definition);
  if (const auto* signal = std::get_if<SignalCall>(&call)) return "signal " + signal->name;
  const auto& tool = std::get<ToolCall>(call);
  return fmt::format("tool {} ({}:{} {})", tool.name, tool.endpoint.kind, tool.endpoint.target, Json(tool.endpoint.args).dump());
}

inline std::string shown(const ApprovalRule& rule) {
  auto text = rule.who.empty() ? std::string{} : " by " + rule.who;
  if (rule.timeout.count() != 0) {
    constexpr const char* kThen[] = {"fails", "is approved", "is rejected"};
    text += fmt::format(" within {}, else it {}", to_string(rule.timeout), kThen[static_cast<int>(rule.on_timeout)]);
  }
  if (rule.allow_edit) text += rule.schema != nullptr ? ", edits fit a schema" : ", edits";
  return text;
}

inline void append_step(std::vector<std::string>& lines, const Step& step) {
  const auto& deps = std::get<AfterAll>(step.gate).deps;
  lines.push_back(fmt::format("step {}: after [{}], calls {}, ok {}, failed {}", step.id, fmt::join(deps, ","), called(step.call), shown(step.ok),
                              shown(step.failed)));
  if (step.name != step.id) lines.push_back("  name " + step.name);
  lines.push_back("  bind " + shown(step.bind));
  if (step.when) lines.push_back("  when " + shown(*step.when));
  if (step.each) lines.push_back("  each " + shown(*step.each));
  append_transform(lines, "prepare", step.prepare);
  append_transform(lines, "shape", step.shape);
  const auto& retry = step.retry;
  if (retry != RetryPolicy{}) {
    lines.push_back(fmt::format("  retry {} from {} by {} to {} jitter {} but {}", retry.max_attempts, to_string(retry.initial_interval),
                                retry.backoff, to_string(retry.max_interval), retry.jitter, Json(retry.non_retryable).dump()));
  }
  if (step.timeout.count() != 0) lines.push_back("  timeout " + to_string(step.timeout));
  if (step.deadline.count() != 0) lines.push_back("  deadline " + to_string(step.deadline));
  if (step.effect != EffectClass::idempotent) lines.push_back(step.effect == EffectClass::pure ? "  effect pure" : "  effect at_most_once");
  if (!step.needs.empty()) lines.push_back(fmt::format("  needs {}", fmt::join(step.needs, ", ")));
  if (step.approve) lines.push_back("  approve" + shown(*step.approve));
  if (step.finally) lines.emplace_back("  finally");
}

inline std::vector<std::string> program_lines(const Program& program) {
  std::vector<std::string> lines{fmt::format("program {}: takes ({}), gives ({})", program.name, shown(program.arguments), shown(program.responses))};
  for (const auto& step : program.steps) append_step(lines, step);
  const auto* outputs = std::get_if<Expr>(&program.outputs);
  lines.push_back("outputs " + (outputs != nullptr ? shown(*outputs) : std::string{"of every step"}));
  if (program.on_failure == FailurePolicy::cancel) lines.emplace_back("on failure cancel");
  return lines;
}

/// The main program, then the others by key but those of the standard tools, then the warnings.
inline std::vector<std::string> package_lines(const Package& package) {
  auto lines = program_lines(package.main());
  for (const auto& [key, program] : package.programs) {
    if (key == package.root || key.starts_with("/tools/")) continue;
    lines.push_back("at " + key);
    for (auto& line : program_lines(*program)) lines.push_back(std::move(line));
  }
  for (const auto& warning : package.warnings) {
    lines.push_back(fmt::format("warns {} {}:{}", name(warning.code), warning.where.line, warning.where.column));
  }
  return lines;
}

}  // namespace catena::lang::test
