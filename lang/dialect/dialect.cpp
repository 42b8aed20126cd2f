#include "lang/dialect/dialect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "lang/dialect/composite/composite.hpp"
#include "lang/dialect/pipeline/pipeline.hpp"
#include "lang/dialect/plan/plan.hpp"
#include "lang/dialect/tool/agent.hpp"
#include "lang/dialect/tool/tool.hpp"

namespace catena::lang {
namespace {

bool has_member(const Node& object, std::string_view key) { return object.find(key) != nullptr; }

bool has_any(const Node& object, std::initializer_list<std::string_view> keys) {
  return std::ranges::any_of(keys, [&](auto key) { return has_member(object, key); });
}

/// Some element of the list `key` is an object with one of the members.
bool some_element_has(const Node& document, std::string_view key, std::initializer_list<std::string_view> members) {
  const auto* list = document.find(key);
  return list != nullptr && list->kind == JsonKind::list &&
         std::ranges::any_of(list->items, [&](const Node& item) { return item.kind == JsonKind::object && has_any(item, members); });
}

bool has_agent_marks(const Node& document) {
  return has_any(document, {"argument_definitions", "response_definitions"}) ||
         (!has_any(document, {"arguments", "responses"}) &&
          some_element_has(document, "instructions", {"agent_definition_path", "agent_definition"}));
}

bool fits_tool(const Node& document) {
  if (!has_any(document, {"instructions", "system_event_endpoint"})) return false;
  return has_any(document, {"arguments", "responses"}) || !has_agent_marks(document);
}

bool fits_agent(const Node& document) { return has_any(document, {"instructions", "system_event_endpoint"}) && has_agent_marks(document); }

bool fits_composite(const Node& document) {
  const auto* implementation = document.find("implementation");
  if (implementation == nullptr || implementation->kind != JsonKind::object) return false;
  const auto* type = implementation->find("type");
  return type != nullptr && type->kind == JsonKind::string && type->scalar == "composite";
}

bool fits_pipeline(const Node& document) {
  const auto* mode = document.find("mode");
  return some_element_has(document, "steps", {"inputMapping"}) || (mode != nullptr && mode->kind == JsonKind::string && mode->scalar == "compose");
}

bool fits_plan(const Node& document) { return some_element_has(document, "steps", {"tools"}); }

constexpr std::array kDialects{
    Dialect{"tool", "'instructions' or 'system_event_endpoint', with 'arguments' and 'responses'", fits_tool, read_tool, lower_tool},
    Dialect{"agent", "'instructions' or 'system_event_endpoint', with 'argument_definitions' and 'response_definitions'", fits_agent, read_agent,
            lower_agent},
    Dialect{"composite", "'implementation' with 'type: composite'", fits_composite, read_composite, lower_composite},
    Dialect{"pipeline", "'steps' with 'inputMapping', or 'mode: compose'", fits_pipeline, read_pipeline, lower_pipeline},
    Dialect{"plan", "'steps' with lists of 'tools'", fits_plan, read_plan, lower_plan},
};

Error unknown_dialect(const Node& document) {
  if (document.kind != JsonKind::object) {
    return make_error(Code::dialect_unknown, fmt::format("a definition is an object, not a {}", name(document.kind)), document.where);
  }
  auto error = make_error(Code::dialect_unknown, "the document is in none of the dialects", document.where);
  const std::array<std::string, 4> marks{"instructions", "system_event_endpoint", "implementation", "steps"};
  for (const auto& member : document.members) {
    const auto mark = nearest(member.key, marks);
    if (mark && *mark != member.key) error.message += fmt::format("; did you mean '{}' by '{}'?", *mark, member.key);
  }
  for (const auto& dialect : kDialects) error.notes.push_back(fmt::format("{}: {}", dialect.name, dialect.looks_for));
  return error;
}

}  // namespace

std::span<const Dialect> dialects() { return kDialects; }

Result<const Dialect*> recognise(const Node& document) {
  if (document.kind != JsonKind::object) return fail(unknown_dialect(document));
  std::vector<const Dialect*> fitting;
  for (const auto& dialect : kDialects) {
    if (dialect.fits(document)) fitting.push_back(&dialect);
  }
  if (fitting.empty()) return fail(unknown_dialect(document));
  if (fitting.size() > 1) {
    auto error = make_error(Code::dialect_ambiguous, "the document fits more than one dialect; keep the fields of one", document.where);
    for (const auto* dialect : fitting) error.notes.push_back(fmt::format("{}: {}", dialect->name, dialect->looks_for));
    return fail(std::move(error));
  }
  return fitting.front();
}

}  // namespace catena::lang
