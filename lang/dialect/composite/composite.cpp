#include "lang/dialect/composite/composite.hpp"

#include <fmt/format.h>

#include <array>

#include "lang/dialect/composite/composite_sequence.hpp"
#include "lang/dialect/shared/spelling.hpp"
#include "lang/dialect/tool/tool_fields.hpp"

namespace catena::lang {
namespace {

constexpr std::array<std::string_view, 15> kCompositeDefinitionFields{"name",          "display_name", "description", "category", "version",
                                                                      "documentation", "parameters",   "policy",      "retry",    "timeout",
                                                                      "deadline",      "effect",       "needs",       "approve",  "implementation"};
constexpr std::array<std::string_view, 2> kImplementationFields{"type", "composite"};
constexpr std::array<std::string_view, 2> kCompositeFields{"steps", "max_steps"};
constexpr std::array<std::string_view, 1> kPolicyFields{"requires"};

/// What SequenceResult makes.
Schema result_of_sequence() {
  Schema schema;
  const auto field = [&](const char* name, Type type, const char* description) {
    schema.fields.push_back(Field{name, type, description, false, std::nullopt, {}});
  };
  field("success", Type::boolean, "whether the chain reached its end");
  field("chain_id", Type::string, "");
  field("chain_name", Type::string, "");
  field("steps_executed", Type::integer, "");
  field("steps_succeeded", Type::integer, "");
  field("steps_failed", Type::integer, "");
  field("results", Type::list, "of each step that ran: step, status, and result or error");
  field("execution_history", Type::list, "every attempt, in order");
  field("final_state", Type::object, "the variables at the end");
  field("completed_at", Type::string, "");
  schema.additional = true;
  return schema;
}

void read_policy(ObjectReader& reader, Definition& definition, Report& report) {
  const auto* node = reader.of_kind("policy", JsonKind::object);
  if (node == nullptr) return;
  ObjectReader policy{*node, "policy", report};
  policy.only(kPolicyFields);
  definition.requires_context = policy.strings("requires");
}

/// `implementation.composite`, without a word of what is wrong with it.
const Node* composite_node(const Node& document) {
  const auto* implementation = document.find("implementation");  // an object: the dialect was recognised by it
  const auto* composite = implementation->find("composite");
  return composite != nullptr && composite->kind == JsonKind::object ? composite : nullptr;
}

void read_composite_calls(const Node& document, Definition& definition) {
  const auto* composite = composite_node(document);
  const auto* steps = composite == nullptr ? nullptr : composite->find("steps");
  if (steps == nullptr) return;
  for (const auto* step : tool_steps(*steps)) {
    const auto& tool = *step->find("tool");
    CallSite call;
    call.id = call.tool.emplace(tool.scalar.get<std::string>());
    call.where = tool.where;
    definition.calls.push_back(std::move(call));
  }
}

/// The names of all steps, in blocks as well.
void add_names(const Node& steps, std::vector<std::string>& names) {
  for (const auto* step : tool_steps(steps)) {
    const auto* name = step->find("name");
    names.push_back((name != nullptr && name->kind == JsonKind::string ? name : step->find("tool"))->scalar.get<std::string>());
  }
}

void lint(const Program& program, const Composite& composite, Report& report) {
  if (!report.clean()) return;  // what the warnings would be about may be a slip that is reported
  lint_sequence(program, composite.jumps.at(""), report);
  for (const auto& [path, jumps] : composite.jumps) {
    const auto block = composite.nested.find(fmt::format("{}#{}", composite.definition.key, path));
    if (block != composite.nested.end()) lint_sequence(block->second, jumps, report);
  }
  lint_variables(program, composite.nested, report);
}

}  // namespace

Definition read_composite(const Node& document, Report& report) {
  ObjectReader reader{document, "the definition", report};
  reader.only(kCompositeDefinitionFields, [](std::string_view key) { return said_otherwise(kCompositeSpelling, key); });
  auto definition = read_head(document, reader);
  static_cast<void>(reader.string("display_name"));
  static_cast<void>(reader.string("category"));
  definition.arguments = read_schema(reader, kCompositeSpelling.arguments, kCompositeSpelling, report);
  definition.arguments.additional = !reader.has(kCompositeSpelling.arguments);
  definition.responses = result_of_sequence();
  definition.settings = read_call_settings(reader, report);
  read_policy(reader, definition, report);
  read_composite_calls(document, definition);
  return definition;
}

Program lower_composite(const Definition& definition, NestedPrograms& nested, Report& report) {
  const auto& document = *definition.document;
  ObjectReader implementation{*document.find("implementation"), "implementation", report};
  implementation.only(kImplementationFields);
  implementation.require("composite", "an object with 'steps'");
  Program program;
  const auto* node = implementation.of_kind("composite", JsonKind::object);
  if (node != nullptr) {
    ObjectReader reader{*node, "composite", report};
    reader.only(kCompositeFields);
    reader.require("steps", "what the chain does");
    const auto visits_max = reader.count("max_steps", 1).value_or(limits::kVisitsMax);
    Composite composite{definition, {}, nested, report};
    if (const auto* steps = read_steps(reader, "steps", report)) {
      const auto callers = tool_steps(*steps);
      for (std::size_t index = 0; index < callers.size(); ++index) composite.calls.emplace(callers[index], &definition.calls[index]);
      add_names(*steps, composite.names);
      program = read_sequence(*steps, Around::chain, "", composite);
      program.arguments = definition.arguments;
      for (const auto& [path, jumps] : composite.jumps) {
        const auto block = nested.find(fmt::format("{}#{}", definition.key, path));
        if (block != nested.end()) block->second.limits.visits_max = visits_max;
      }
      lint(program, composite, report);
    }
    program.limits.visits_max = visits_max;
  }
  program.requires_context = definition.requires_context;
  program.outputs = SequenceResult{};
  return with_head(std::move(program), definition);
}

}  // namespace catena::lang
