#include "lang/dialect/tool_expr.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "lang/reference.hpp"

namespace catena::lang {
namespace {

bool is_literal(const Expr& expr) { return std::holds_alternative<Literal>(expr.node); }

Json take_literal(Expr& expr) { return std::move(std::get<Literal>(expr.node).value); }

bool is_own_segment(std::string_view segment) {
  constexpr std::array<std::string_view, 4> kOwn{"response", "status", "error", "error_message"};
  return std::ranges::find(kOwn, segment) != kOwn.end();
}

/// The segment that names a key of the tool's response; empty when none does.
std::string_view response_key(const Ref& ref, bool fan_out, const Schema& responses) {
  const bool whole = ref.path.front() == "response" && responses.find("response") == nullptr;
  const std::size_t position = whole ? (fan_out ? 2 : 1) : 0;
  return position < ref.path.size() ? std::string_view{ref.path[position]} : std::string_view{};
}

}  // namespace

std::vector<std::string> field_names(const Schema& schema) {
  std::vector<std::string> names;
  for (const auto& field : schema.fields) names.push_back(field.name);
  return names;
}

std::vector<std::string> Names::contexts() const {
  std::vector<std::string> known{"arguments"};
  for (const auto& [id, index] : steps) known.push_back(id);
  return known;
}

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

Expr ExprReader::read_string(const Node& node) {
  const auto& text = node.scalar.get_ref<const std::string&>();
  if (!is_reference(text)) return Expr{Literal{literal_text(text)}, node.where};
  Ref ref;
  ref.text = text;
  auto parsed = parse_reference(text, node.where);
  if (parsed) {
    ref.path = std::move(parsed->segments);
    resolve(ref, parsed->context, node.where);
  } else {
    parsed.error().message = fmt::format("{}: {}", what_, parsed.error().message);
    report_.error(std::move(parsed.error()));
  }
  return Expr{std::move(ref), node.where};
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

void ExprReader::resolve(Ref& ref, std::string_view context, const Place& where) {
  if (context == "arguments") {
    ref.root = Root::input;
    check_argument(ref, where);
    return;
  }
  const auto found = names_.steps.find(context);
  if (found == names_.steps.end()) {
    unknown_context(ref, context, where);
    return;
  }
  ref.root = Root::step;
  ref.step = found->second;
  if (self_ == found->second) {
    report_.error(Code::dependency_self, fmt::format("{}: '{}' refers to the step itself, whose result is not known yet", what_, ref.text),
                  where);
    return;
  }
  warn_of_slip(ref, where);
}

void ExprReader::check_argument(const Ref& ref, const Place& where) {
  const auto& declared = names_.definition.arguments;
  const auto& argument = ref.path.front();
  if (declared.additional || declared.find(argument) != nullptr) return;
  report_.error(Code::reference_unknown,
                fmt::format("{}: '{}': the definition declares no argument '{}'{}", what_, ref.text, argument,
                            report_.suggestion(argument, [&] { return field_names(declared); })),
                where);
}

void ExprReader::unknown_context(const Ref& ref, std::string_view context, const Place& where) {
  const auto said = fmt::format("{}: '{}'", what_, ref.text);
  if (context == "response") {
    report_.error(Code::reference_unknown,
                  said + ": 'response' exists only inside transform_responses; name the step, REF:<execution_id>.response", where);
  } else if (names_.definition.arguments.find(context) != nullptr) {
    report_.error(Code::reference_unknown, fmt::format("{}: '{}' is an argument; write REF:arguments.{}", said, context, context), where);
  } else {
    report_.error(Code::reference_unknown,
                  fmt::format("{}: there is no step '{}'{}", said, context, report_.suggestion(context, [&] { return names_.contexts(); })),
                  where);
  }
}

// A tool may return more than it declares, so an undeclared key is no error; one that looks like a declared key probably is a slip.
void ExprReader::warn_of_slip(const Ref& ref, const Place& where) {
  const auto* target = names_.definition.calls[ref.step].target;
  if (target == nullptr) return;
  const auto& responses = target->responses;
  const auto& id = names_.definition.calls[ref.step].id;
  const bool fan_out = names_.fan_out[ref.step];
  if (fan_out && !is_own_segment(ref.path.front())) {
    report_.warn(Code::reference_unknown,
                 fmt::format("{}: '{}': step '{}' is a fan-out, its results are the list REF:{}.response", what_, ref.text, id, id), where);
    return;
  }
  const auto key = response_key(ref, fan_out, responses);
  if (key.empty() || responses.fields.empty() || responses.find(key) != nullptr || is_own_segment(key)) return;
  const auto slip = report_.suggestion(key, field_names(responses));
  if (slip.empty()) return;
  report_.warn(Code::reference_unknown,
               fmt::format("{}: '{}': tool '{}' declares no response '{}'{}", what_, ref.text, target->name, key, slip), where);
}

void for_each_reference(const Expr& expr, const std::function<void(const Ref&)>& visit) {
  if (const auto* ref = std::get_if<Ref>(&expr.node)) {
    visit(*ref);
  } else if (const auto* list = std::get_if<ListExpr>(&expr.node)) {
    for (const auto& item : list->items) for_each_reference(item, visit);
  } else if (const auto* object = std::get_if<ObjectExpr>(&expr.node)) {
    for (const auto& member : object->members) for_each_reference(member.second, visit);
  } else if (const auto* computed = std::get_if<Computed>(&expr.node)) {
    for (const auto& reference : computed->references) visit(reference.second);
  }
}

void for_each_reference(const Condition& condition, const std::function<void(const Ref&)>& visit) {
  if (const auto* test = std::get_if<Test>(&condition.node)) {
    for_each_reference(test->param, visit);
    for_each_reference(test->value, visit);
    return;
  }
  for (const auto& inner : std::get<Group>(condition.node).conditions) for_each_reference(inner, visit);
}

}  // namespace catena::lang
