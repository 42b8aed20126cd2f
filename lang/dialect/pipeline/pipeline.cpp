#include "lang/dialect/pipeline/pipeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "lang/dialect/pipeline/pipeline_input.hpp"
#include "lang/dialect/pipeline/pipeline_reference.hpp"
#include "lang/dialect/shared/object_reader.hpp"
#include "lang/dialect/tool/tool_arguments.hpp"
#include "lang/dialect/tool/tool_fields.hpp"
#include "lang/dialect/tool/tool_step.hpp"

namespace catena::lang {
namespace {

constexpr std::array<std::string_view, 6> kPipelineFields{"name", "description", "inputSchema", "steps", "mode", "strict"};
constexpr std::array<std::string_view, 4> kPipelineStepFields{"name", "description", "tool", "inputMapping"};

enum class Mode { compose };
constexpr ObjectReader::Choice<Mode> kModes[] = {{"compose", Mode::compose}};

template <std::size_t N>
std::vector<std::string_view> with_settings(const std::array<std::string_view, N>& fields) {
  std::vector<std::string_view> known{fields.begin(), fields.end()};
  known.insert(known.end(), std::begin(kCallSettingsFields), std::end(kCallSettingsFields));
  return known;
}

std::string text_member(const Node& step, std::string_view key) {
  const auto* node = step.kind == JsonKind::object ? step.find(key) : nullptr;
  return node != nullptr && node->kind == JsonKind::string ? node->scalar.get<std::string>() : std::string{};
}

/// What references call a step: its name, or its tool's.
std::string pipeline_step_name(const Node& step) {
  auto name = text_member(step, "name");
  return name.empty() ? text_member(step, "tool") : name;
}

/// Step ids are parts of keys and of references of other dialects.
std::string as_id(std::string_view name) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  std::string id{name.empty() ? "step" : name};
  for (char& c : id) {
    if (kAllowed.find(c) == std::string_view::npos) c = '_';
  }
  return id;
}

/// "fetch", "fetch-2": each once.
class Ids {
 public:
  std::string unique(std::string_view name) {
    const auto wanted = as_id(name);
    auto id = wanted;
    for (std::size_t count = 2; !taken_.insert(id).second; ++count) id = fmt::format("{}-{}", wanted, count);
    return id;
  }

 private:
  std::set<std::string> taken_{"arguments", "response", "self", "execution"};  // which mean something else in references
};

void read_pipeline_calls(ObjectReader& reader, Definition& definition, Report& report) {
  const auto* steps = reader.any("steps");
  if (steps == nullptr || steps->kind != JsonKind::list || steps->items.empty()) {
    report.error(steps == nullptr ? Code::field_missing : Code::field_value, "`steps` must be a non-empty list",
                 steps == nullptr ? reader.object().where : steps->where);
    return;
  }
  if (steps->items.size() > limits::kStepsMax) {
    reader.wrong(Code::field_value, "steps", fmt::format("has {} elements; at most {} are allowed", steps->items.size(), limits::kStepsMax),
                 steps->where);
    return;
  }
  Ids ids;
  for (const auto& step : steps->items) {
    CallSite call;
    call.id = ids.unique(pipeline_step_name(step));
    call.where = step.where;
    if (auto tool = text_member(step, "tool"); !tool.empty()) {
      call.tool = std::move(tool);
      call.where = step.find("tool")->where;
    }
    definition.calls.push_back(std::move(call));
  }
}

void check_tool(const Node& step, std::size_t index, Report& report) {
  if (!text_member(step, "tool").empty()) return;
  const auto* tool = step.find("tool");
  report.error(tool == nullptr ? Code::field_missing : Code::field_value,
               fmt::format("Step at index {} has an empty or missing \"tool\" name", index), tool == nullptr ? step.where : tool->where);
}

Expr read_mapping(ObjectReader& reader, PipelineValues& values) {
  ObjectExpr bind;
  const auto* mapping = reader.of_kind("inputMapping", JsonKind::object);
  if (mapping == nullptr) return Expr{std::move(bind), reader.object().where};
  bind.members.reserve(mapping->members.size());
  for (const auto& member : mapping->members) bind.members.emplace_back(member.key, values.read(member.value));
  return Expr{std::move(bind), mapping->where};
}

/// What the check of arguments looks at, in the words of the tool dialect.
Node as_instruction(const Node& step) {
  Node instruction;
  instruction.kind = JsonKind::object;
  instruction.where = step.where;
  const auto* mapping = step.find("inputMapping");
  if (mapping != nullptr) instruction.members.push_back(Member{"arguments", mapping->where, *mapping});
  return instruction;
}

Step read_pipeline_step(const Node& node, StepIndex index, const CallSite& call, const PipelineNames& names, Report& report) {
  Step step;
  step.id = call.id;
  step.name = names.steps[index];
  step.where = node.where;
  if (index > 0) step.gate = AfterAll{{index - 1}};
  if (node.kind != JsonKind::object) {
    report.error(Code::field_type, fmt::format("Step at index {} must be an object, not {}", index, with_article(node.kind)), node.where);
    return step;
  }
  const auto what = step.name.empty() ? fmt::format("step {}", index) : fmt::format("step '{}'", step.name);
  ObjectReader reader{node, what, report};
  reader.only(with_settings(kPipelineStepFields));
  static_cast<void>(reader.non_empty_string("name"));
  static_cast<void>(reader.string("description"));
  check_tool(node, index, report);
  PipelineValues values{names, index, what, report};
  step.bind = read_mapping(reader, values);
  const auto settings = read_call_settings(reader, report);
  step.heeds_success = true;
  step.blame = fmt::format("Step \"{}\" (tool: \"{}\") failed", step.name, call.tool.value_or(""));
  if (call.target != nullptr) {
    bind_call(step, *call.target, settings);
    check_surroundings(reader, *call.target);
    check_arguments_given(step, *call.target, as_instruction(node), what, report);
  }
  return step;
}

void warn_of_duplicates(const std::vector<Node>& steps, const std::vector<std::string>& names, Report& report) {
  for (std::size_t index = 0; index < steps.size(); ++index) {
    if (text_member(steps[index], "name").empty()) continue;
    const auto first = static_cast<std::size_t>(std::ranges::find(names, names[index]) - names.begin());
    if (first == index) continue;
    report.warn(Code::id_duplicate, fmt::format("step '{}': step {} has that name, too; $steps.{} is the first", names[index], first, names[index]),
                steps[index].find("name")->where);
  }
}

}  // namespace

Definition read_pipeline(const Node& document, Report& report) {
  ObjectReader reader{document, "the definition", report};
  reader.only(with_settings(kPipelineFields));
  Definition definition;
  definition.document = &document;
  definition.name = reader.non_empty_string("name").value_or("");
  definition.description = reader.string("description").value_or("");
  static_cast<void>(reader.choice<Mode>("mode", kModes));
  static_cast<void>(reader.boolean("strict"));
  definition.arguments = read_input_schema(reader, report);
  definition.responses.additional = true;
  definition.settings = read_call_settings(reader, report);
  check_surroundings(reader, definition);
  read_pipeline_calls(reader, definition, report);
  return definition;
}

Program lower_pipeline(const Definition& definition, NestedPrograms& /*nested*/, Report& report) {
  auto program = with_head({}, definition);
  if (definition.calls.empty()) return program;
  const auto* strict = definition.document->find("strict");
  const auto& steps = definition.document->find("steps")->items;
  std::vector<std::string> names;
  for (const auto& step : steps) names.push_back(pipeline_step_name(step));
  const PipelineNames known{definition.arguments, names, strict != nullptr && strict->kind == JsonKind::boolean && strict->scalar.get<bool>()};
  for (StepIndex index = 0; index < steps.size(); ++index)
    program.steps.push_back(read_pipeline_step(steps[index], index, definition.calls[index], known, report));
  warn_of_duplicates(steps, names, report);
  const auto last = static_cast<StepIndex>(steps.size() - 1);
  program.outputs = Expr{Ref{Root::step, last, {}, fmt::format("$steps[{}]", last)}, steps[last].where};
  return program;
}

}  // namespace catena::lang
