#include <fmt/format.h>

#include <algorithm>

#include "lang/dialect/composite_parts.hpp"
#include "lang/reference.hpp"

namespace catena::lang {
namespace {

constexpr std::string_view kOpens = "{{";

bool is_literal(const Expr& expr) { return std::holds_alternative<Literal>(expr.node); }

Json take_literal(Expr& expr) { return std::move(std::get<Literal>(expr.node).value); }

}  // namespace

Expr StateTexts::read(const Node& node, std::string_view field) {
  switch (node.kind) {
    case JsonKind::string: return read_string(node, field);
    case JsonKind::list: return read_list(node, field);
    case JsonKind::object: return read_object(node, field);
    case JsonKind::null:
    case JsonKind::boolean:
    case JsonKind::number: break;
  }
  return Expr{Literal{node.scalar}, node.where};
}

Expr StateTexts::read_string(const Node& node, std::string_view field) {
  const auto& text = node.scalar.get_ref<const std::string&>();
  if (text.find(kOpens) == std::string::npos) return Expr{Literal{node.scalar}, node.where};
  auto parsed = TextTemplate::parse(text, "", TemplateForms::expressions);
  if (!parsed) {
    auto error = std::move(parsed.error());
    error.message = fmt::format("{}: '{}': {}", what_, field, error.message);
    if (error.where.line > 1) error.notes.push_back(fmt::format("in line {} of the text", error.where.line));
    error.where = node.where;
    report_.error(std::move(error));
    return Expr{Literal{nullptr}, node.where};
  }
  for (const auto& reference : parsed->references()) {
    report_.error(
        Code::reference_unknown,
        fmt::format(
            "{}: '{}' has the reference '{}', which means nothing in this dialect; write the name of a state variable, as in {{{{ x }}}}",
            what_, field, reference),
        node.where);
  }
  return Expr{Templated{std::move(*parsed)}, node.where};
}

// Lists and objects without a {{ in them become one literal: a list of 100,000 names is a value, not 100,000 expressions.
Expr StateTexts::read_list(const Node& node, std::string_view field) {
  ListExpr list;
  list.items.reserve(node.items.size());
  for (const auto& item : node.items) list.items.push_back(read(item, field));
  if (!std::ranges::all_of(list.items, is_literal)) return Expr{std::move(list), node.where};
  auto value = Json::array();
  for (auto& item : list.items) value.push_back(take_literal(item));
  return Expr{Literal{std::move(value)}, node.where};
}

Expr StateTexts::read_object(const Node& node, std::string_view field) {
  ObjectExpr object;
  object.members.reserve(node.members.size());
  for (const auto& member : node.members) object.members.emplace_back(member.key, read(member.value, field));
  if (!std::ranges::all_of(object.members, [](const auto& member) { return is_literal(member.second); }))
    return Expr{std::move(object), node.where};
  auto value = Json::object();
  for (auto& [key, member] : object.members) value[key] = take_literal(member);
  return Expr{Literal{std::move(value)}, node.where};
}

std::optional<Condition> read_when(ObjectReader& step, StateTexts& texts, Report& report) {
  const auto* node = step.any("when");
  if (node == nullptr) return std::nullopt;
  if (node->kind != JsonKind::string && node->kind != JsonKind::boolean) {
    step.wrong(Code::field_type, "when",
               fmt::format("must be true, false or a text such as \"{{{{ x > 1 }}}}\", not {}", with_article(node->kind)), node->where);
    return std::nullopt;
  }
  auto value = texts.read(*node, "when");
  if (node->kind == JsonKind::string && node->scalar.get_ref<const std::string&>().find(kOpens) == std::string::npos) {
    const bool empty = node->scalar.get_ref<const std::string&>().empty();
    report.warn(Code::field_value,
                fmt::format("{}: 'when' is a text without {{{{ }}}}, which is always {}; write {{{{ … }}}} around what is to be computed",
                            step.what(), empty ? "false" : "true"),
                node->where);
  }
  return Condition{Truth{std::move(value)}, node->where};
}

std::optional<std::string> variable_name(const std::string& name, const Place& where, std::string_view what, Report& report) {
  if (name == "state") {
    report.error(Code::id_reserved, fmt::format("{} cannot be called 'state', which is the whole state in texts", what), where);
    return std::nullopt;
  }
  if (is_segment(name)) return name;
  report.error(Code::id_invalid,
               fmt::format("{} '{}' must not be empty or have dots, brackets or white space in it: no text could read it", what, name),
               where);
  return std::nullopt;
}

}  // namespace catena::lang
