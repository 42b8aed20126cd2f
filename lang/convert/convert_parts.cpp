#include "lang/convert/convert_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "lang/document/json_schema.hpp"
#include "lang/program/reference.hpp"
#include "lang/program/value_check.hpp"

namespace catena::lang::convert {
namespace {

/// What fields say of a property, and what only describes it.
constexpr std::array<std::string_view, 8> kProperty{"type", "description", "default", "enum", "title", "examples", "$comment", "deprecated"};
constexpr std::array<std::string_view, 9> kInput{"type",     "properties", "required", "additionalProperties", "description", "title",
                                                 "examples", "$schema",    "$comment"};

void only_fields(const Node& schema, Findings& findings) {
  const auto beyond = [&](const Node& node, const auto& known, const std::string& whose) {
    for (const auto& member : node.members) {
      if (std::ranges::find(known, std::string_view{member.key}) != known.end()) continue;
      findings.cannot(fmt::format("inputSchema says '{}' of {}, which the arguments of a tool definition cannot say", member.key, whose),
                      member.where);
    }
  };
  beyond(schema, kInput, "the input");
  const auto* rest = schema.find("additionalProperties");
  if (rest != nullptr && rest->kind == JsonKind::object) {
    findings.cannot("inputSchema has a schema for 'additionalProperties'; a tool definition takes further arguments as they come, or none",
                    rest->where);
  }
  const auto* properties = schema.find("properties");
  for (const auto& property : properties == nullptr ? std::vector<Member>{} : properties->members) {
    if (property.value.kind != JsonKind::object) continue;
    beyond(property.value, kProperty, fmt::format("'{}'", property.key));
    const auto* type = property.value.find("type");
    if (type != nullptr && (type->kind != JsonKind::string || type->scalar == "null")) {
      findings.cannot(fmt::format("inputSchema gives '{}' the type {}; an argument of a tool definition has one type, or any", property.key,
                                  type->to_json().dump()),
                      type->where);
    }
  }
  const auto* required = schema.find("required");
  for (const auto& name : required == nullptr ? std::vector<Node>{} : required->items) {
    if (properties != nullptr && name.kind == JsonKind::string && properties->find(name.scalar.get_ref<const std::string&>()) != nullptr) continue;
    findings.cannot(fmt::format("inputSchema requires {}, which is not among its properties", name.to_json().dump()), name.where);
  }
}

/// The definition that a step calls: several that are called alike and do the same are as good as one.
const Definition* target_of(const Names& names, StepIndex index) {
  const auto& step = names.program.steps[index];
  const auto fits = [&](const CallSite& call) {
    if (call.target == nullptr) return false;
    if (const auto* program = std::get_if<ProgramCall>(&step.call)) return call.target->key == program->definition;
    if (const auto* signal = signal_of(step))
      return call.target->endpoint && call.target->endpoint->kind == "signal" && call.target->endpoint->target == signal->name;
    const auto& tool = std::get<ToolCall>(step.call);
    return call.target->primitive && call.target->name == tool.name && call.target->endpoint == tool.endpoint;
  };
  const auto& calls = names.definition.calls;
  if (index < calls.size() && fits(calls[index])) return calls[index].target;
  const auto found = std::ranges::find_if(calls, fits);
  return found == calls.end() ? nullptr : found->target;
}

/// The shortest path that leads to the same source, as a converted definition beside this one would find it.
std::optional<std::string> path_to(const Definition& target, const Definition& from, const SourceFinder& finder) {
  const auto& key = target.file;
  for (auto slash = key.rfind('/'); slash != std::string::npos; slash = slash == 0 ? std::string::npos : key.rfind('/', slash - 1)) {
    auto path = key.substr(slash);
    const auto found = finder.definition(path, from.file);
    if (found && found->key == key) return path;
  }
  return std::nullopt;
}

Pretty retry_of(const RetryPolicy& policy) {
  const RetryPolicy usual;
  Pretty out{{"max_attempts", policy.max_attempts}};
  if (policy.initial_interval != usual.initial_interval) out["initial_interval"] = to_string(policy.initial_interval);
  if (policy.backoff != usual.backoff) out["backoff"] = policy.backoff;
  if (policy.max_interval != std::max(usual.max_interval, policy.initial_interval)) out["max_interval"] = to_string(policy.max_interval);
  if (policy.jitter != usual.jitter) out["jitter"] = policy.jitter;
  if (!policy.non_retryable.empty()) out["non_retryable"] = policy.non_retryable;
  return out;
}

std::string_view effect_word(EffectClass effect) {
  switch (effect) {
    case EffectClass::pure: return "pure";
    case EffectClass::idempotent: return "idempotent";
    case EffectClass::at_most_once: return "at_most_once";
  }
  return "idempotent";
}

Pretty approve_of(const ApprovalRule& rule) {
  auto out = Pretty::object();
  if (!rule.who.empty()) out["who"] = rule.who;
  if (rule.schema != nullptr) out["schema"] = Pretty::parse(rule.schema->source());
  if (rule.timeout != Millis{0}) out["timeout"] = to_string(rule.timeout);
  if (rule.allow_edit && rule.schema == nullptr) out["allow_edit"] = true;
  if (rule.on_timeout != OnApprovalTimeout::fail) out["on_timeout"] = rule.on_timeout == OnApprovalTimeout::approve ? "approve" : "reject";
  return out.empty() ? Pretty(true) : out;
}

/// What the step says beyond what the definition says for it.
void put_settings(const Step& step, const Definition& target, Pretty& out, Findings& findings) {
  const auto& defaults = target.settings;
  const auto span = [&](const char* key, Millis own, Millis usual) {
    if (own == usual) return;
    if (own == Millis{0}) return findings.cannot(fmt::format("{}: it has no {}, and the definition it calls has one", said(step), key), step.where);
    out[key] = to_string(own);
  };
  if (signal_of(step) != nullptr) return span("deadline", step.deadline, defaults.deadline.value_or(defaults.timeout.value_or(Millis{0})));
  auto retry = step.retry;
  if (std::exchange(retry.any_failure, false) && retry.max_attempts != 1) {
    findings.note(
        fmt::format("{}: it is tried again whatever it failed with; a tool definition tries again what the tool calls worth it", said(step)),
        step.where);
  }
  if (retry != defaults.retry.value_or(RetryPolicy{})) out["retry"] = retry_of(retry);
  span("timeout", step.timeout, defaults.timeout.value_or(Millis{0}));
  span("heartbeat_timeout", step.heartbeat_timeout, defaults.heartbeat_timeout.value_or(Millis{0}));
  span("deadline", step.deadline, defaults.deadline.value_or(Millis{0}));
  if (step.effect != defaults.effect.value_or(EffectClass::idempotent)) out["effect"] = effect_word(step.effect);
  if (step.approve && step.approve != defaults.approve) out["approve"] = approve_of(*step.approve);
  std::vector<std::string> needs;
  for (const auto& need : step.needs) {
    const bool from_definition = std::ranges::find(defaults.needs, need) != defaults.needs.end() ||
                                 (target.endpoint && target.endpoint->kind == "remote" && target.endpoint->target == need);
    if (!from_definition) needs.push_back(need);
  }
  if (!needs.empty()) out["needs"] = needs;
}

void put_values(const Names& names, const Step& step, Pretty& out, Findings& findings) {
  const auto* bind = std::get_if<ObjectExpr>(&step.bind.node);
  if (bind == nullptr) return findings.cannot(fmt::format("{}: its arguments are not written one by one", said(step)), step.bind.where);
  auto arguments = Pretty::object();
  auto transforms = Pretty::object();
  ValueWriter writer{names, said(step), findings};
  for (const auto& [key, expr] : bind->members) {
    auto value = writer.write(expr);
    if (!value) continue;
    if (value->json) {
      arguments[key] = std::move(*value->json);
    } else if (key.find('.') != std::string::npos || key.empty()) {
      findings.cannot(fmt::format("{}: the argument '{}' is calculated, and transform_arguments cannot set a name with a dot in it", said(step), key),
                      expr.where);
    } else {
      transforms[key] = std::move(value->expression);
    }
  }
  if (!arguments.empty()) out["arguments"] = std::move(arguments);
  if (!transforms.empty()) out["transform_arguments"] = Pretty{{"transforms", std::move(transforms)}};
}

}  // namespace

std::string said(const Step& step) { return fmt::format("step '{}'", step.name.empty() ? step.id : step.name); }

std::vector<std::string> execution_ids(const Program& program) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  std::set<std::string> taken{"arguments", "response", "self", "execution"};
  std::vector<std::string> ids;
  for (const auto& step : program.steps) {
    auto wanted = step.id.empty() ? std::string{"step"} : step.id;
    for (char& c : wanted) {
      if (kAllowed.find(c) == std::string_view::npos) c = '_';
    }
    auto id = wanted;
    for (std::size_t count = 2; !taken.insert(id).second; ++count) id = fmt::format("{}-{}", wanted, count);
    ids.push_back(std::move(id));
  }
  return ids;
}

void put_arguments(const Names& names, Pretty& out, Findings& findings) {
  const auto& schema = names.program.arguments;
  if (schema.json_schema != nullptr) {
    if (const auto* input = names.definition.document->find("inputSchema")) only_fields(*input, findings);
  }
  auto fields = Pretty::array();
  for (const auto& field : schema.fields) {
    if (!is_segment(field.name)) {
      findings.cannot(fmt::format("the argument '{}' has a name that no reference could reach", field.name), names.definition.document->where);
    }
    Pretty made{{"name", field.name}, {"type_name", lang::word(field.type)}};
    if (!field.description.empty()) made["description"] = field.description;
    if (field.required) made["required"] = true;
    if (field.default_value) made["default_value"] = Pretty(*field.default_value);
    if (!field.allowed.empty()) made["enum"] = field.allowed;
    fields.push_back(std::move(made));
  }
  if (!fields.empty()) out["arguments"] = std::move(fields);
  if (schema.additional) out["additional_arguments"] = true;
}

Pretty instruction_of(const Names& names, StepIndex index, const SourceFinder& finder, Findings& findings) {
  const auto& step = names.program.steps[index];
  Pretty out{{"execution_id", names.ids[index]}};
  if (!step.name.empty() && step.name != names.ids[index]) out["name"] = step.name;
  const auto* target = target_of(names, index);
  const auto path = target == nullptr ? std::nullopt : path_to(*target, names.definition, finder);
  if (path) {
    out["tool_definition_path"] = *path;
  } else {
    findings.cannot(fmt::format("{}: no path in the tool roots leads to what it calls", said(step)), step.where);
  }
  put_values(names, step, out, findings);
  if (target != nullptr) put_settings(step, *target, out, findings);
  return out;
}

}  // namespace catena::lang::convert
