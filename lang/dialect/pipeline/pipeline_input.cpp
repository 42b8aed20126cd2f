#include "lang/dialect/pipeline/pipeline_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "lang/dialect/tool/tool_fields.hpp"
#include "lang/document/json_schema.hpp"
#include "lang/program/value_check.hpp"

namespace catena::lang {
namespace {

struct TypeName {
  std::string_view theirs;
  Type ours;
};
constexpr std::array kPropertyTypes{TypeName{"string", Type::string},   TypeName{"number", Type::number}, TypeName{"integer", Type::integer},
                                    TypeName{"boolean", Type::boolean}, TypeName{"object", Type::object}, TypeName{"array", Type::list}};

/// One type by its name; several, none, or one we have no word for are left to the schema.
Type type_of(const Node& property) {
  const auto* node = property.find("type");
  if (node == nullptr || node->kind != JsonKind::string) return Type::any;
  const auto row = std::ranges::find(kPropertyTypes, node->scalar.get_ref<const std::string&>(), &TypeName::theirs);
  return row == kPropertyTypes.end() ? Type::any : row->ours;
}

void read_property_default(ObjectReader& definition, const Node& property, Field& field) {
  const auto* node = property.find("default");
  if (node == nullptr || node->kind == JsonKind::null) return;
  auto value = node->to_json();
  if (!has_type(value, field.type)) {
    definition.wrong(Code::field_type, "inputSchema",
                     fmt::format("gives '{}' the default {}, which is not of the type '{}'", field.name, abbreviated(value), word(field.type)),
                     node->where);
  } else if (!is_allowed(value, field)) {
    definition.wrong(Code::field_value, "inputSchema",
                     fmt::format("gives '{}' the default {}, which is not in its 'enum'", field.name, abbreviated(value)), node->where);
  }
  field.default_value = std::move(value);
}

Field read_property(ObjectReader& definition, const Member& property) {
  Field field;
  field.name = property.key;
  if (property.value.kind != JsonKind::object) return field;
  field.type = type_of(property.value);
  const auto* description = property.value.find("description");
  if (description != nullptr && description->kind == JsonKind::string) field.description = description->scalar.get<std::string>();
  const auto* allowed = property.value.find("enum");
  if (allowed != nullptr && allowed->kind == JsonKind::list) {
    for (const auto& item : allowed->items) field.allowed.push_back(item.to_json());
  }
  read_property_default(definition, property.value, field);
  return field;
}

void read_required(const Node& schema, std::vector<Field>& fields) {
  const auto* required = schema.find("required");
  if (required == nullptr || required->kind != JsonKind::list) return;
  for (const auto& name : required->items) {
    if (name.kind != JsonKind::string) continue;  // which the schema's compilation reports
    const auto field = std::ranges::find(fields, name.scalar.get_ref<const std::string&>(), &Field::name);
    if (field != fields.end()) field->required = true;
  }
}

void check_type(ObjectReader& definition, const Node& schema) {
  const auto* type = schema.find("type");
  if (type == nullptr || (type->kind == JsonKind::string && type->scalar == "object")) return;
  definition.wrong(Code::field_value, "inputSchema",
                   fmt::format("must be of the type \"object\", not {}: arguments have names", type->to_json().dump()), type->where);
}

}  // namespace

Schema read_input_schema(ObjectReader& definition, Report& report) {
  Schema schema;
  schema.additional = true;
  const auto* node = definition.of_kind("inputSchema", JsonKind::object);
  if (node == nullptr) return schema;
  check_type(definition, *node);
  auto compiled = JsonSchema::compile(node->to_json());
  if (compiled) {
    schema.json_schema = std::move(*compiled);
  } else {
    report.error(Code::field_value, fmt::format("{}: 'inputSchema' cannot be used: {}", definition.what(), compiled.error().message), node->where);
  }
  const auto* rest = node->find("additionalProperties");
  schema.additional = rest == nullptr || rest->kind != JsonKind::boolean || rest->scalar.get<bool>();
  const auto* properties = node->find("properties");
  if (properties == nullptr || properties->kind != JsonKind::object) return schema;
  if (properties->members.size() > kFieldsMax) {
    definition.wrong(Code::field_value, "inputSchema",
                     fmt::format("has {} properties; at most {} are allowed", properties->members.size(), kFieldsMax), properties->where);
    return schema;
  }
  for (const auto& property : properties->members) schema.fields.push_back(read_property(definition, property));
  read_required(*node, schema.fields);
  return schema;
}

}  // namespace catena::lang
