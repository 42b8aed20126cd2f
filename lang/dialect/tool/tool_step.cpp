#include "lang/dialect/tool/tool_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "lang/dialect/shared/object_reader.hpp"
#include "lang/dialect/tool/tool_arguments.hpp"
#include "lang/dialect/tool/tool_fields.hpp"
#include "lang/dialect/tool/tool_parts.hpp"
#include "lang/dialect/tool/tool_transform.hpp"
#include "lang/program/endpoint.hpp"
#include "lang/program/reference.hpp"

namespace catena::lang {
namespace {

std::vector<std::string> step_ids(const Names& names) {
  std::vector<std::string> ids;
  for (const auto& step : names.steps) ids.push_back(step.first);
  return ids;
}

constexpr std::array<std::string_view, 21> kInstructionFields{"execution_id",
                                                              "signal",
                                                              "arguments",
                                                              "conditions",
                                                              "dependencies",
                                                              "parallel_execution",
                                                              "transform_arguments",
                                                              "transform_responses",
                                                              "retry",
                                                              "timeout",
                                                              "heartbeat_timeout",
                                                              "deadline",
                                                              "on_failure",
                                                              "finally",
                                                              "effect",
                                                              "needs",
                                                              "env",
                                                              "cwd",
                                                              "approve",
                                                              "name",
                                                              "description"};
constexpr std::array<std::string_view, 3> kSignalFields{"name", "schema", "timeout"};
/// Of instructions that call something.
constexpr std::array<std::string_view, 13> kNotOfSignals{"arguments",
                                                         "parallel_execution",
                                                         "transform_arguments",
                                                         "transform_responses",
                                                         "retry",
                                                         "timeout",
                                                         "heartbeat_timeout",
                                                         "deadline",
                                                         "effect",
                                                         "needs",
                                                         "env",
                                                         "cwd",
                                                         "approve"};
constexpr std::array<std::string_view, 4> kReserved{"arguments", "response", "self", "execution"};

enum class FailureAction { fail, keep_going };
constexpr ObjectReader::Choice<FailureAction> kFailureActions[] = {{"fail", FailureAction::fail}, {"continue", FailureAction::keep_going}};

std::string instruction_title(const Node& instruction, StepIndex index) {
  const auto* id = instruction.kind == JsonKind::object ? instruction.find("execution_id") : nullptr;
  if (id == nullptr || id->kind != JsonKind::string) return fmt::format("instruction {}", index + 1);
  return fmt::format("step '{}'", id->scalar.get_ref<const std::string&>());
}

void read_execution_id(const Node& instruction, StepIndex index, Names& names, Report& report) {
  ObjectReader reader{instruction, instruction_title(instruction, index), report};
  reader.require("execution_id", "what references call the step");
  const auto id = reader.string("execution_id");
  if (!id) return;
  const auto& where = reader.any("execution_id")->where;
  if (!is_step_id(*id)) {
    reader.wrong(Code::id_invalid, "execution_id", "must be made of letters, digits, '_' and '-'", where);
  } else if (is_reserved_id(*id)) {
    reader.wrong(Code::id_reserved, "execution_id", fmt::format("cannot be '{}', which means something else in references", *id), where);
  } else if (!names.steps.emplace(*id, index).second) {
    reader.wrong(Code::id_duplicate, "execution_id", fmt::format("is taken by instruction {}", names.steps.at(*id) + 1), where);
  }
}

void check_fields(ObjectReader& reader, const Spelling& spelling) {
  std::vector<std::string_view> known{kInstructionFields.begin(), kInstructionFields.end()};
  known.insert(known.begin() + 1, {spelling.call_path, spelling.call_inline});
  reader.only(known, [&](std::string_view key) { return said_otherwise(spelling, key); });
}

void check_call(ObjectReader& reader, const Spelling& spelling, Report& report) {
  const bool path = reader.has(spelling.call_path);
  const bool inlined = reader.has(spelling.call_inline);
  const bool reported =
      std::ranges::any_of(reader.object().members, [&](const Member& member) { return !said_otherwise(spelling, member.key).empty(); });
  const bool signal = reader.has("signal");
  if (signal && (path || inlined)) {
    reader.wrong(
        Code::fields_exclusive, "signal",
        fmt::format("and '{}' exclude each other: a step calls something, or waits for a signal", path ? spelling.call_path : spelling.call_inline),
        reader.any("signal")->where);
  }
  if (!path && !inlined && !signal && !reported) {
    report.error(Code::field_missing, fmt::format("{} needs '{}' or '{}': what it calls", reader.what(), spelling.call_path, spelling.call_inline),
                 reader.object().where);
  }
  if (path && inlined) {
    reader.wrong(Code::fields_exclusive, spelling.call_inline, fmt::format("and '{}' exclude each other; keep one", spelling.call_path),
                 reader.any(spelling.call_inline)->where);
  }
  // Only for what they report: whom the step calls was found when the definition was read.
  static_cast<void>(reader.non_empty_string(spelling.call_path));
  static_cast<void>(reader.of_kind(spelling.call_inline, JsonKind::object));
}

/// `signal` in the place of what is called.
void read_signal(ObjectReader& reader, Step& step, Report& report) {
  for (const auto key : kNotOfSignals) {
    if (!reader.has(key)) continue;
    reader.wrong(Code::fields_exclusive, key, "is for steps that call something; this one waits for a signal", reader.any(key)->where);
  }
  const auto* node = reader.of_kind("signal", JsonKind::object);
  if (node == nullptr) return;
  ObjectReader signal{*node, reader.what() + ": signal", report};
  signal.only(kSignalFields);
  signal.require("name", "what it is called by `catena signal`");
  SignalCall call{signal.string("name").value_or("")};
  if (const auto* name = signal.any("name"); name != nullptr && name->kind == JsonKind::string && !is_signal_name(call.name))
    signal.wrong(Code::id_invalid, "name", fmt::format("must be {}", kSignalNameRule), name->where);
  step.call = std::move(call);
  step.deadline = signal.duration("timeout", Millis{1}).value_or(Millis{0});
  step.responses.additional = true;
  step.responses.json_schema = read_json_schema(signal, "schema");
}

std::vector<StepIndex> read_dependencies(ObjectReader& reader, StepIndex self, const Names& names, Report& report) {
  std::vector<StepIndex> deps;
  const auto* list = reader.of_kind("dependencies", JsonKind::list);
  if (list == nullptr) return deps;
  for (const auto& item : list->items) {
    if (item.kind != JsonKind::string) {
      reader.wrong(Code::field_type, "dependencies", fmt::format("must be a list of execution ids; this element is {}", with_article(item.kind)),
                   item.where);
      continue;
    }
    const auto& id = item.scalar.get_ref<const std::string&>();
    const auto found = names.steps.find(id);
    if (found == names.steps.end()) {
      reader.wrong(Code::dependency_unknown, "dependencies",
                   fmt::format("has '{}', which is no step{}", id, report.suggestion(id, [&] { return step_ids(names); })), item.where);
    } else if (found->second == self) {
      reader.wrong(Code::dependency_self, "dependencies", "names the step itself", item.where);
    } else {
      deps.push_back(found->second);
    }
  }
  return deps;
}

Expr read_bind(ObjectReader& reader, ExprReader& values, const Definition* target) {
  ObjectExpr bind;
  const auto* arguments = reader.of_kind("arguments", JsonKind::object);
  if (arguments == nullptr) return Expr{std::move(bind), reader.object().where};
  bind.members.reserve(arguments->members.size());
  for (const auto& member : arguments->members) {
    bind.members.emplace_back(member.key, values.read_for(target == nullptr ? nullptr : target->arguments.find(member.key), member.value));
  }
  return Expr{std::move(bind), arguments->where};
}

/// What the call says counts; the tool says the rest.
Surroundings merged(Surroundings own, const Surroundings& defaults) {
  for (const auto& variable : defaults.environment) {
    if (std::ranges::find(own.environment, variable.name, &EnvVariable::name) == own.environment.end()) own.environment.push_back(variable);
  }
  if (own.directory.empty()) own.directory = defaults.directory;
  return own;
}

/// All that the step's references name, and what `dependencies` adds.
AfterAll gate(const Step& step, StepIndex self, std::vector<StepIndex> deps) {
  const auto add = [&](const Ref& ref) {
    if (ref.root == Root::step && ref.step != self) deps.push_back(ref.step);  // a self-reference was reported
  };
  for_each_reference(step.bind, add);
  if (step.when) for_each_reference(*step.when, add);
  if (step.each) for_each_reference(step.each->over, add);
  if (step.prepare) for_each_reference(*step.prepare, add);
  if (step.shape) for_each_reference(*step.shape, add);
  for (const auto& variable : step.surroundings.environment) for_each_reference(variable.value, add);
  std::ranges::sort(deps);
  deps.erase(std::unique(deps.begin(), deps.end()), deps.end());
  return AfterAll{std::move(deps)};
}

}  // namespace

bool is_reserved_id(std::string_view id) { return std::ranges::find(kReserved, id) != kReserved.end(); }

Names read_names(const Definition& definition, const Spelling& spelling, const std::vector<Node>& instructions, Report& report) {
  Names names{definition, spelling, {}, std::vector<bool>(instructions.size()), std::vector<std::vector<std::string>>(instructions.size())};
  for (StepIndex index = 0; index < instructions.size(); ++index) {
    const auto& instruction = instructions[index];
    if (instruction.kind != JsonKind::object) {
      report.error(Code::field_type, fmt::format("instruction {} must be an object, not {}", index + 1, with_article(instruction.kind)),
                   instruction.where);
      continue;
    }
    read_execution_id(instruction, index, names, report);
    names.fan_out[index] = instruction.find("parallel_execution") != nullptr;
    names.added[index] = keys_added(instruction);
  }
  return names;
}

Step read_step(const Node& instruction, StepIndex index, const Names& names, Report& report) {
  Step step;
  const auto& call = names.definition.calls[index];
  step.id = call.id;
  step.where = instruction.where;
  if (instruction.kind != JsonKind::object) return step;
  ObjectReader reader{instruction, instruction_title(instruction, index), report};
  check_fields(reader, names.spelling);
  if (const auto* id = reader.any("execution_id")) step.where = id->where;
  step.name = reader.non_empty_string("name").value_or(step.id);
  static_cast<void>(reader.string("description"));
  check_call(reader, names.spelling, report);

  ExprReader values{names, index, reader.what(), report};
  if (reader.has("signal")) read_signal(reader, step, report);
  step.bind = read_bind(reader, values, call.target);
  step.when = read_conditions(reader, values, report);
  step.each = read_fan_out(reader, values, report);
  step.prepare = read_prepare(reader, step, index, names, report);
  step.shape = read_shape(reader, step, index, names, report);
  const auto settings = read_call_settings(reader, report, [&](const Node& node) { return values.read(node); });
  step.surroundings = settings.surroundings;
  step.gate = gate(step, index, read_dependencies(reader, index, names, report));
  step.finally = reader.boolean("finally").value_or(false);
  if (reader.choice<FailureAction>("on_failure", kFailureActions) == FailureAction::keep_going) step.failed = Settle{};
  if (call.target != nullptr) {
    bind_call(step, *call.target, settings);
    check_surroundings(reader, *call.target);
    check_arguments_given(step, *call.target, instruction, reader.what(), report);
  }
  return step;
}

std::vector<StepIndex> observed_by(const Step& step) {
  constexpr std::array<std::string_view, 3> kOutcome{"status", "error", "error_message"};
  std::vector<StepIndex> observed;
  if (!step.when) return observed;
  for_each_reference(*step.when, [&](const Ref& ref) {
    if (ref.root == Root::step && !ref.path.empty() && std::ranges::find(kOutcome, ref.path.front()) != kOutcome.end()) observed.push_back(ref.step);
  });
  return observed;
}

void bind_call(Step& step, const Definition& target, const CallSettings& own) {
  const bool waits = target.endpoint && target.endpoint->kind == "signal";
  if (waits) {
    step.call = SignalCall{target.endpoint->target};
  } else if (target.primitive) {
    step.call = ToolCall{target.name, target.endpoint.value_or(Endpoint{})};
  } else {
    step.call = ProgramCall{target.name, target.key};
  }
  step.arguments = target.arguments;
  step.responses = target.responses;
  const auto& defaults = target.settings;
  step.retry = own.retry.value_or(defaults.retry.value_or(RetryPolicy{}));
  step.timeout = own.timeout.value_or(defaults.timeout.value_or(Millis{0}));
  step.deadline = own.deadline.value_or(defaults.deadline.value_or(Millis{0}));
  step.approve = own.approve ? own.approve : defaults.approve;  // a caller may say more, and takes nothing back
  if (waits) {                                                  // no attempt is made, so either word says how long it waits
    step.deadline = own.deadline.value_or(own.timeout.value_or(step.deadline != Millis{0} ? step.deadline : step.timeout));
    step.timeout = Millis{0};
    step.retry = RetryPolicy{};
    return;
  }
  if (target.primitive) step.heartbeat_timeout = own.heartbeat_timeout.value_or(defaults.heartbeat_timeout.value_or(Millis{0}));
  step.effect = own.effect.value_or(defaults.effect.value_or(EffectClass::idempotent));
  step.needs = defaults.needs;  // what the tool cannot do without, whoever calls it
  step.needs.insert(step.needs.end(), own.needs.begin(), own.needs.end());
  if (target.primitive) step.surroundings = merged(own.surroundings, defaults.surroundings);
  if (target.endpoint && target.endpoint->kind == "remote") step.needs.push_back(target.endpoint->target);
  std::ranges::sort(step.needs);
  step.needs.erase(std::unique(step.needs.begin(), step.needs.end()), step.needs.end());
}

}  // namespace catena::lang
