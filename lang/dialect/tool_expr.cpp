#include "lang/dialect/tool_expr.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lang/expr/error.hpp"
#include "lang/expr/inspect.hpp"
#include "lang/reference.hpp"

namespace catena::lang {
namespace {

bool is_literal(const Expr& expr) { return std::holds_alternative<Literal>(expr.node); }

Json take_literal(Expr& expr) { return std::move(std::get<Literal>(expr.node).value); }

}  // namespace

Expr ExprReader::read(const Node& node) {
  switch (node.kind) {
    case JsonKind::string: return read_string(node);
    case JsonKind::list: return read_list(node);
    case JsonKind::object: return read_object(node);
    case JsonKind::null:
    case JsonKind::boolean:
    case JsonKind::number: break;
  }
  return Expr{Literal{node.scalar}, node.where};
}

Expr ExprReader::read_for(const Field* place, const Node& node) {
  auto expr = read(node);
  if (auto* ref = std::get_if<Ref>(&expr.node)) keep_path(*ref, place);
  return expr;
}

Expr ExprReader::read_variable(const Node& node, const expr::Names& visible) {
  visible_ = &visible;
  auto expr = read(node);
  visible_ = nullptr;
  return expr;
}

std::optional<Computed> ExprReader::compute(const Node& text, const expr::Names& visible) {
  auto expression = expr::compile(text.scalar.get_ref<const std::string&>(), visible);
  if (!expression) {
    auto error = std::move(expression.error());
    error.message = fmt::format("{}: {}", what_, error.message);
    error.where = text.where;
    report_.error(std::move(error));
    return std::nullopt;
  }
  Computed computed{std::move(*expression), {}};
  for (const auto& used : expr::uses_of(*computed.expression).references) {
    if (computed.references.contains(used.reference)) continue;
    auto caret = expr::fail_at(Code::reference_unknown, "", used.text, used.at).value().notes;
    computed.references.emplace(used.reference, references_.read(used.reference, text.where, std::move(caret)));
  }
  return computed;
}

Expr ExprReader::read_string(const Node& node) {
  const auto& text = node.scalar.get_ref<const std::string&>();
  if (is_reference(text)) return Expr{references_.read(text, node.where), node.where};
  if (visible_ != nullptr && expr::is_known_call(text)) {
    if (auto computed = compute(node, *visible_)) return Expr{std::move(*computed), node.where};
  }
  return Expr{Literal{literal_text(text)}, node.where};
}

// Lists and objects without a reference in them become one literal: a list of 100,000 names is a value, not 100,000 expressions.
Expr ExprReader::read_list(const Node& node) {
  ListExpr list;
  list.items.reserve(node.items.size());
  for (const auto& item : node.items) list.items.push_back(read(item));
  if (!std::ranges::all_of(list.items, is_literal)) return Expr{std::move(list), node.where};
  auto value = Json::array();
  for (auto& item : list.items) value.push_back(take_literal(item));
  return Expr{Literal{std::move(value)}, node.where};
}

Expr ExprReader::read_object(const Node& node) {
  ObjectExpr object;
  object.members.reserve(node.members.size());
  for (const auto& member : node.members) object.members.emplace_back(member.key, read(member.value));
  if (!std::ranges::all_of(object.members, [](const auto& member) { return is_literal(member.second); }))
    return Expr{std::move(object), node.where};
  auto value = Json::object();
  for (auto& [key, member] : object.members) value[key] = take_literal(member);
  return Expr{Literal{std::move(value)}, node.where};
}

void keep_path(Ref& ref, const Field* place) {
  if (place == nullptr || place->type != Type::file || !ref.file || ref.path.size() > ref.file->segments) return;
  ref.file->stays_a_path = true;
}

}  // namespace catena::lang
