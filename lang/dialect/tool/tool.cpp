#include "lang/dialect/tool/tool.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "lang/dialect/shared/object_reader.hpp"
#include "lang/dialect/tool/tool_fields.hpp"
#include "lang/dialect/tool/tool_outputs.hpp"
#include "lang/dialect/tool/tool_step.hpp"
#include "lang/program/order.hpp"
#include "lang/program/reference.hpp"

namespace catena::lang {
namespace {

constexpr std::array<std::string_view, 18> kToolDefinitionFields{"name",
                                                                 "description",
                                                                 "version",
                                                                 "instructions",
                                                                 "system_event_endpoint",
                                                                 "files",
                                                                 "response_reference_map",
                                                                 "additional_arguments",
                                                                 "retry",
                                                                 "timeout",
                                                                 "heartbeat_timeout",
                                                                 "deadline",
                                                                 "effect",
                                                                 "needs",
                                                                 "env",
                                                                 "cwd",
                                                                 "approve",
                                                                 "failure_policy"};
constexpr ObjectReader::Choice<FailurePolicy> kFailurePolicies[] = {{"finish", FailurePolicy::finish}, {"cancel", FailurePolicy::cancel}};

void read_endpoint(ObjectReader& reader, Definition& definition) {
  const auto* node = reader.of_kind("system_event_endpoint", JsonKind::string);
  if (node == nullptr) return;
  definition.endpoint_where = node->where;
  definition.endpoint_text = node->scalar.get_ref<const std::string&>();
}

/// Paths and patterns beside the definition that its program is shipped with.
void read_files(ObjectReader& reader, Definition& definition) {
  const auto* list = reader.of_kind("files", JsonKind::list);
  if (list == nullptr) return;
  for (const auto& item : list->items) {
    const auto* text = item.kind == JsonKind::string ? &item.scalar.get_ref<const std::string&>() : nullptr;
    if (text == nullptr || text->empty() || text->front() == '/')
      reader.wrong(Code::field_value, "files", "is a list of paths and patterns, relative to the folder of this definition", item.where);
    else
      definition.files.push_back(*text);
  }
  const bool runs = definition.endpoint_text && (definition.endpoint_text->starts_with("exec:") || definition.endpoint_text->starts_with("serve:"));
  if (!runs) reader.wrong(Code::field_value, "files", "are shipped with a program: the endpoint is no exec: or serve:", list->where);
}

/// Whom an instruction calls, as far as it says so rightly; what is wrong with it is reported when it is lowered.
CallSite read_call_site(const Node& instruction, const Spelling& spelling) {
  CallSite call;
  call.where = instruction.where;
  if (instruction.kind != JsonKind::object) return call;
  const auto* id = instruction.find("execution_id");
  if (id != nullptr && id->kind == JsonKind::string) call.id = id->scalar.get<std::string>();
  const auto* path = instruction.find(spelling.call_path);
  const auto* inlined = instruction.find(spelling.call_inline);
  if (path != nullptr && inlined != nullptr) return call;
  if (path != nullptr && path->kind == JsonKind::string && !path->scalar.get_ref<const std::string&>().empty()) {
    call.path = path->scalar.get<std::string>();
    call.where = path->where;
  }
  if (inlined != nullptr && inlined->kind == JsonKind::object) {
    call.inlined = inlined;
    call.where = inlined->where;
  }
  return call;
}

void read_instructions(ObjectReader& reader, const Spelling& spelling, Definition& definition) {
  const auto* list = reader.of_kind("instructions", JsonKind::list);
  if (list == nullptr) return;
  if (list->items.empty()) reader.wrong(Code::field_value, "instructions", "is empty: a composite needs at least one", list->where);
  if (list->items.size() > limits::kStepsMax) {
    reader.wrong(Code::field_value, "instructions", fmt::format("has {} elements; at most {} are allowed", list->items.size(), limits::kStepsMax),
                 list->where);
    return;
  }
  for (const auto& item : list->items) definition.calls.push_back(read_call_site(item, spelling));
}

void refuse_in_primitive(ObjectReader& reader) {
  for (const auto* key : {"response_reference_map", "failure_policy"}) {
    if (!reader.has(key)) continue;
    reader.wrong(Code::fields_exclusive, key, "belongs to composites: a definition with 'system_event_endpoint' has no steps",
                 reader.any(key)->where);
  }
}

/// The whole of the chain's arguments, when names that nobody declared pass; otherwise what is declared, by name.
Expr hand_through(const Schema& arguments, const Place& where) {
  if (arguments.additional) return Expr{Ref{Root::input, 0, {}, "REF:arguments"}, where};
  ObjectExpr bind;
  for (const auto& field : arguments.fields) {
    bind.members.emplace_back(field.name, Expr{Ref{Root::input, 0, {field.name}, "REF:arguments." + field.name}, where});
  }
  return Expr{std::move(bind), where};
}

/// A primitive tool as a program: one step that hands its arguments through and whose response is the chain's.
Program wrap(const Definition& definition, const Place& where) {
  Step step;
  const bool is_id = is_step_id(definition.name) && !is_reserved_id(definition.name);
  step.id = definition.names_its_step && is_id ? definition.name : "call";
  step.name = definition.name;
  step.bind = hand_through(definition.arguments, where);
  step.where = where;
  bind_call(step, definition, {});
  Program program;
  // Without a segment: of a tool that returns a key named `response`, REF:call.response would be that key alone.
  program.outputs = Expr{Ref{Root::step, 0, {}, fmt::format("REF:{}.response", step.id)}, where};
  program.steps.push_back(std::move(step));
  return program;
}

Program lower_instructions(const Definition& definition, const Spelling& spelling, Report& report) {
  Program program;
  program.on_failure = definition.failure_policy;
  const auto& instructions = definition.document->find("instructions")->items;
  const auto names = read_names(definition, spelling, instructions, report);
  std::vector<StepIndex> observed;
  for (StepIndex index = 0; index < definition.calls.size(); ++index) {
    program.steps.push_back(read_step(instructions[index], index, names, report));
    if (program.steps.back().finally) continue;  // it runs anyway: that it asks handles nothing
    const auto seen = observed_by(program.steps.back());
    observed.insert(observed.end(), seen.begin(), seen.end());
  }
  for (const auto index : observed) program.steps[index].failed = Settle{};
  report_cycles(program.steps, report);
  report_waits_for_final(program.steps, report);
  if (auto outputs = read_outputs(names, report)) program.outputs = std::move(*outputs);
  return program;
}

}  // namespace

Definition read_tool(const Node& document, Report& report) { return read_definition(document, kToolSpelling, report); }

Program lower_tool(const Definition& definition, NestedPrograms& /*nested*/, Report& report) {
  return lower_definition(definition, kToolSpelling, report);
}

Definition read_definition(const Node& document, const Spelling& spelling, Report& report) {
  ObjectReader reader{document, "the definition", report};
  std::vector<std::string_view> known{kToolDefinitionFields.begin(), kToolDefinitionFields.end()};
  known.insert(known.begin() + 3, {spelling.arguments, spelling.responses});
  reader.only(known, [&](std::string_view key) { return said_otherwise(spelling, key); });
  auto definition = read_head(document, reader);
  definition.arguments = read_schema(reader, spelling.arguments, spelling, report);
  definition.arguments.additional = reader.boolean("additional_arguments").value_or(false);
  definition.responses = read_schema(reader, spelling.responses, spelling, report);
  definition.responses.additional = true;  // keys beyond the schema are kept
  definition.settings = read_call_settings(reader, report);
  definition.failure_policy = reader.choice<FailurePolicy>("failure_policy", kFailurePolicies).value_or(FailurePolicy::finish);
  definition.primitive = !reader.has("instructions");
  if (!definition.primitive && reader.has("system_event_endpoint")) {
    reader.wrong(Code::fields_exclusive, "system_event_endpoint", "and 'instructions' exclude each other; keep one",
                 reader.any("system_event_endpoint")->where);
  }
  if (definition.primitive) {
    refuse_in_primitive(reader);
    read_endpoint(reader, definition);
    read_files(reader, definition);
  } else {
    read_instructions(reader, spelling, definition);
  }
  check_surroundings(reader, definition);
  return definition;
}

Program lower_definition(const Definition& definition, const Spelling& spelling, Report& report) {
  return with_head(definition.primitive       ? wrap(definition, definition.endpoint_where)
                   : definition.calls.empty() ? Program{}
                                              : lower_instructions(definition, spelling, report),
                   definition);
}

}  // namespace catena::lang
