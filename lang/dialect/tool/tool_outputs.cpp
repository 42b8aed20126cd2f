#include "lang/dialect/tool/tool_outputs.hpp"

#include <fmt/format.h>

#include "lang/dialect/shared/object_reader.hpp"
#include "lang/program/value_check.hpp"

namespace catena::lang {
namespace {

constexpr std::string_view kMap = "response_reference_map";

void check_declared(const Schema& responses, const Member& member, Report& report) {
  if (responses.fields.empty() || responses.find(member.key) != nullptr) return;
  report.error(Code::field_unknown,
               fmt::format("{}: the definition declares no response '{}'{}", kMap, member.key,
                           report.suggestion(member.key, [&] { return field_names(responses); })),
               member.where);
}

void check_literal(const Schema& responses, const std::string& key, const Expr& value, Report& report) {
  const auto* field = responses.find(key);
  const auto* literal = std::get_if<Literal>(&value.node);
  if (field == nullptr || literal == nullptr || (literal->value.is_null() && !field->required)) return;
  const auto shown = abbreviated(literal->value);
  if (const auto trouble = file_trouble(literal->value, field->type)) {
    report.error(trouble->code, fmt::format("{}: response '{}': {}", kMap, key, trouble->message), value.where);
  } else if (!has_type(literal->value, field->type)) {
    report.error(Code::response_type, fmt::format("{}: response '{}' is of the type {}, and {} is not", kMap, key, word(field->type), shown),
                 value.where);
  } else if (!is_allowed(literal->value, *field)) {
    report.error(Code::response_enum, fmt::format("{}: {} is not an allowed value of response '{}'", kMap, shown, key), value.where);
  }
}

void check_mapped(const Definition& definition, const Spelling& spelling, const Node* map, Report& report) {
  const auto* declared = definition.document->find(spelling.responses);
  const auto& where = map != nullptr ? map->where : declared != nullptr ? declared->where : definition.document->where;
  for (const auto& field : definition.responses.fields) {
    if (!field.required || (map != nullptr && map->find(field.name) != nullptr)) continue;
    report.error(Code::response_unmapped, fmt::format("the required response '{}' is not in {}", field.name, kMap), where);
  }
}

}  // namespace

std::optional<Expr> read_outputs(const Names& names, Report& report) {
  const auto& definition = names.definition;
  ObjectReader reader{*definition.document, "the definition", report};
  const auto* map = reader.of_kind(kMap, JsonKind::object);
  if (map == nullptr && reader.has(kMap)) return std::nullopt;
  check_mapped(definition, names.spelling, map, report);
  if (map == nullptr) {
    if (definition.responses.fields.empty()) return std::nullopt;
    return Expr{ObjectExpr{}, definition.document->where};
  }
  ExprReader values{names, std::nullopt, std::string{kMap}, report};
  ObjectExpr outputs;
  outputs.members.reserve(map->members.size());
  for (const auto& member : map->members) {
    check_declared(definition.responses, member, report);
    auto value = values.read_for(definition.responses.find(member.key), member.value);
    check_literal(definition.responses, member.key, value, report);
    outputs.members.emplace_back(member.key, std::move(value));
  }
  return Expr{std::move(outputs), map->where};
}

}  // namespace catena::lang
