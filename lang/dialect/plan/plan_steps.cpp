// Reads the steps of a plan: ids, tools, whom each parameter belongs to, and what waits for what.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/limits.hpp"
#include "lang/dialect/plan/plan_parts.hpp"
#include "lang/dialect/tool/tool_fields.hpp"
#include "lang/program/reference.hpp"

namespace catena::lang {
namespace {

constexpr std::array<std::string_view, 7> kPlanStepFields{"id", "service", "tools", "instruction", "parameters", "dependencies", "description"};

/// An id as it is written: a string, or a whole number.
std::optional<std::string> id_text(const Node& node) {
  if (node.kind == JsonKind::string) return node.scalar.get<std::string>();
  if (node.kind == JsonKind::number && node.scalar.is_number_integer()) return node.scalar.dump();
  return std::nullopt;
}

std::string plan_step_title(const Node& step, std::size_t index) {
  const auto* node = step.find("id");
  const auto id = node == nullptr ? std::nullopt : id_text(*node);
  return id ? fmt::format("step '{}'", *id) : fmt::format("step {}", index + 1);
}

void read_plan_step_id(ObjectReader& reader, std::size_t index, Plan& plan) {
  reader.require("id", "what dependencies and RESULT_FROM_ call the step");
  const auto* node = reader.any("id");
  if (node == nullptr) return;
  const auto id = id_text(*node);
  if (!id) {
    reader.wrong(
        Code::field_type, "id",
        fmt::format("must be a string or a whole number, not {}", node->kind == JsonKind::number ? node->scalar.dump() : with_article(node->kind)),
        node->where);
  } else if (!is_step_id(*id)) {
    reader.wrong(Code::id_invalid, "id", "must be made of letters, digits, '_' and '-'", node->where);
  } else if (const auto [taken, added] = plan.ids.emplace(*id, index); !added) {
    reader.wrong(Code::id_duplicate, "id", fmt::format("is taken by step {} of the list", taken->second + 1), node->where);
  } else {
    plan.steps[index].id = *id;
  }
}

void read_tools(ObjectReader& reader, PlanStep& step, const CallSite*& call) {
  reader.require("tools", "the names of those that it runs, one after another");
  static_cast<void>(reader.strings("tools"));  // only for what it reports
  if (const auto* list = reader.any("tools"); list != nullptr && list->kind == JsonKind::list && list->items.empty()) {
    reader.wrong(Code::field_value, "tools", "is empty: a step needs at least one", list->where);
  }
  for (const auto* node : tools_named(reader.object())) {
    PlanTool tool;
    tool.name = node->scalar.get<std::string>();
    tool.where = node->where;
    tool.target = (call++)->target;
    step.tools.push_back(std::move(tool));
  }
}

/// One object a tool. What is wrong is reported, and then counts as not given.
class ParameterReader {
 public:
  ParameterReader(ObjectReader& reader, PlanStep& step, Report& report) : reader_{reader}, step_{step}, report_{report} {}

  void read() {
    const auto* node = reader_.any("parameters");
    if (node == nullptr || node->kind == JsonKind::null || step_.tools.empty()) return;
    if (node->kind == JsonKind::list) return of_list(*node);
    if (node->kind == JsonKind::object) return of_object(*node);
    wrong(Code::field_type, fmt::format("must be one object a tool, in a list or by tool name, not {}", with_article(node->kind)), node->where);
  }

 private:
  void of_list(const Node& list) {
    const auto given = list.items.size();
    if (given == 0) return;
    if (given != step_.tools.size()) {
      return wrong(Code::field_value,
                   fmt::format("has {} element{}, and the step has {} tool{}; give one object a tool, in their order, {{}} for one that takes none",
                               given, given == 1 ? "" : "s", step_.tools.size(), step_.tools.size() == 1 ? "" : "s"),
                   list.where);
    }
    for (std::size_t tool = 0; tool < given; ++tool) give(step_.tools[tool], list.items[tool]);
  }

  void of_object(const Node& object) {
    if (object.members.empty()) return;
    if (step_.tools.size() == 1 && !is_by_name(object)) return give(step_.tools.front(), object);
    for (const auto& member : object.members) {
      const auto of_name = [&](const PlanTool& tool) { return tool.name == member.key; };
      const auto tool = std::ranges::find_if(step_.tools, of_name);
      if (tool == step_.tools.end()) {
        wrong(Code::field_unknown,
              fmt::format("has '{}', which is none of the step's tools{}; of several tools it is one object a tool, in a list or by tool name",
                          member.key, report_.suggestion(member.key, [this] { return names(); })),
              member.where);
      } else if (const auto times = std::ranges::count_if(step_.tools, of_name); times > 1) {
        wrong(Code::field_value, fmt::format("names '{}', which the step runs {} times; write a list, one object a tool", member.key, times),
              member.where);
      } else {
        give(*tool, member.value);
      }
    }
  }

  /// Of one tool: whether the object is {tool: its parameters}, and not the parameters themselves.
  [[nodiscard]] bool is_by_name(const Node& object) const {
    const auto& tool = step_.tools.front();
    const auto& only = object.members.front();
    if (object.members.size() > 1 || only.key != tool.name || only.value.kind != JsonKind::object) return false;
    return tool.target == nullptr || tool.target->arguments.find(tool.name) == nullptr;
  }

  void give(PlanTool& tool, const Node& parameters) {
    if (parameters.kind == JsonKind::object) {
      tool.parameters = &parameters;
    } else if (parameters.kind != JsonKind::null) {
      wrong(Code::field_type, fmt::format("of '{}' must be an object, not {}", tool.name, with_article(parameters.kind)), parameters.where);
    }
  }

  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& tool : step_.tools) names.push_back(tool.name);
    return names;
  }

  void wrong(Code code, std::string_view message, const Place& where) { reader_.wrong(code, "parameters", message, where); }

  ObjectReader& reader_;
  PlanStep& step_;
  Report& report_;
};

/// Required parameters that nobody gives: they are bound when the step runs.
void find_open(PlanTool& tool) {
  if (tool.target == nullptr) return;
  for (const auto& field : tool.target->arguments.fields) {
    const bool given = tool.parameters != nullptr && tool.parameters->find(field.name) != nullptr;
    if (field.required && !field.default_value && !given) tool.open.push_back(&field);
  }
}

}  // namespace

std::vector<std::string> Plan::known_ids() const {
  std::vector<std::string> known;
  for (const auto& entry : ids) known.push_back(entry.first);
  return known;
}

std::vector<const Node*> tools_named(const Node& step) {
  std::vector<const Node*> named;
  const auto* list = step.kind == JsonKind::object ? step.find("tools") : nullptr;
  if (list == nullptr || list->kind != JsonKind::list) return named;
  for (const auto& item : list->items) {
    if (item.kind == JsonKind::string && !item.scalar.get_ref<const std::string&>().empty()) named.push_back(&item);
  }
  return named;
}

const Node* instruction_of(const PlanStep& step) {
  const auto* node = step.node->kind == JsonKind::object ? step.node->find("instruction") : nullptr;
  return node != nullptr && node->kind == JsonKind::string ? node : nullptr;
}

Plan read_plan_steps(const Definition& definition, Report& report) {
  const auto& nodes = definition.document->find("steps")->items;
  Plan plan{definition, std::vector<PlanStep>(nodes.size()), {}};
  std::vector<std::string_view> known{kPlanStepFields.begin(), kPlanStepFields.end()};
  known.insert(known.end(), std::begin(kCallSettingsFields), std::end(kCallSettingsFields));
  const auto* call = definition.calls.data();
  for (std::size_t index = 0; index < nodes.size(); ++index) {
    auto& step = plan.steps[index];
    step.node = &nodes[index];
    step.what = plan_step_title(nodes[index], index);
    if (nodes[index].kind != JsonKind::object) {
      report.error(Code::field_type, fmt::format("{} must be an object, not {}", step.what, with_article(nodes[index].kind)), nodes[index].where);
      continue;
    }
    ObjectReader reader{nodes[index], step.what, report};
    reader.only(known);
    read_plan_step_id(reader, index, plan);
    read_tools(reader, step, call);
    for (const auto* text : {"service", "description", "instruction"}) static_cast<void>(reader.string(text));  // only for what it reports
    ParameterReader{reader, step, report}.read();
    for (auto& tool : step.tools) find_open(tool);
  }
  return plan;
}

void read_plan_dependencies(Plan& plan, std::size_t index, Report& report) {
  auto& step = plan.steps[index];
  if (step.node->kind != JsonKind::object) return;
  ObjectReader reader{*step.node, step.what, report};
  const auto* list = reader.of_kind("dependencies", JsonKind::list);
  if (list == nullptr) return;
  std::set<std::size_t> known;
  for (const auto& item : list->items) {
    const auto id = id_text(item);
    if (!id) {
      reader.wrong(Code::field_type, "dependencies", fmt::format("must be a list of ids; this element is {}", with_article(item.kind)), item.where);
      continue;
    }
    const auto found = plan.ids.find(*id);
    if (found == plan.ids.end()) {
      reader.wrong(Code::dependency_unknown, "dependencies",
                   fmt::format("has '{}', which is no step{}", *id, report.suggestion(*id, [&] { return plan.known_ids(); })), item.where);
    } else if (found->second == index) {
      reader.wrong(Code::dependency_self, "dependencies", "names the step itself", item.where);
    } else if (known.insert(found->second).second) {
      step.waits_for.push_back(found->second);
    }
  }
}

std::string tool_step_id(const PlanStep& step, std::size_t tool) {
  return step.tools.size() == 1 ? step.id : fmt::format("{}.{}", step.id, tool + 1);
}

}  // namespace catena::lang
