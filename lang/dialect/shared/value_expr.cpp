#include "lang/dialect/shared/value_expr.hpp"

#include <algorithm>

namespace catena::lang {
namespace {

using ReadString = std::function<Expr(const Node&)>;

Json take_literal(Expr& expr) { return std::move(std::get<Literal>(expr.node).value); }

Expr read_list(const Node& node, const ReadString& read_string) {
  ListExpr list;
  list.items.reserve(node.items.size());
  for (const auto& item : node.items) list.items.push_back(read_value(item, read_string));
  if (!std::ranges::all_of(list.items, is_literal)) return Expr{std::move(list), node.where};
  auto value = Json::array();
  for (auto& item : list.items) value.push_back(take_literal(item));
  return Expr{Literal{std::move(value)}, node.where};
}

Expr read_object(const Node& node, const ReadString& read_string) {
  ObjectExpr object;
  object.members.reserve(node.members.size());
  for (const auto& member : node.members) object.members.emplace_back(member.key, read_value(member.value, read_string));
  if (!std::ranges::all_of(object.members, [](const auto& member) { return is_literal(member.second); })) return Expr{std::move(object), node.where};
  auto value = Json::object();
  for (auto& [key, member] : object.members) value[key] = take_literal(member);
  return Expr{Literal{std::move(value)}, node.where};
}

}  // namespace

bool is_literal(const Expr& expr) { return std::holds_alternative<Literal>(expr.node); }

Expr read_value(const Node& node, const ReadString& read_string) {
  switch (node.kind) {
    case JsonKind::string: return read_string(node);
    case JsonKind::list: return read_list(node, read_string);
    case JsonKind::object: return read_object(node, read_string);
    case JsonKind::null:
    case JsonKind::boolean:
    case JsonKind::number: break;
  }
  return Expr{Literal{node.scalar}, node.where};
}

}  // namespace catena::lang
