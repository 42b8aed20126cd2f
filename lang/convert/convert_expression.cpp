#include "lang/convert/convert_expression.hpp"

#include <algorithm>
#include <set>

#include "base/characters.hpp"
#include "lang/expr/inspect.hpp"
#include "lang/program/reference.hpp"

namespace catena::lang::convert {
namespace {

constexpr std::string_view kState = "state";

const expr::Name* as_name(const expr::Node& node) { return std::get_if<expr::Name>(&node.form); }

}  // namespace

Substitution::Substitution(const expr::Expression& expression) : expression_{expression} {
  const auto uses = expr::uses_of(expression);
  possible_ = !uses.late_texts && uses.references.empty();
  visit(*expression.root);
  std::ranges::sort(uses_, {}, &Use::begin);
  // A name inside a text that holds an expression is free as well, and has no place in this one.
  std::set<std::string, std::less<>> seen;
  for (const auto& use : uses_) seen.insert(use.name);
  for (const auto& name : uses.variables) possible_ = possible_ && (name == kState || seen.contains(name));
}

std::vector<std::string> Substitution::names() const {
  std::set<std::string> unique;
  for (const auto& use : uses_) unique.insert(use.name);
  return {unique.begin(), unique.end()};
}

std::optional<std::string> Substitution::bare_name() const {
  const auto path = path_of(*expression_.root);
  return path && path->size() == 1 ? std::optional{path->front()} : std::nullopt;
}

std::string Substitution::text(const std::map<std::string, std::string>& values) const {
  std::string out;
  std::size_t at = 0;
  for (const auto& use : uses_) {
    out += expression_.text.substr(at, use.begin - at);
    out += '(' + values.at(use.name) + ')';
    at = use.begin + use.size;
  }
  return out + expression_.text.substr(at);
}

void Substitution::use(const expr::Node& node, const std::string& name, std::size_t size) {
  if (std::ranges::find(bound_, name) != bound_.end() && size == name.size()) return;
  uses_.push_back({node.at, size, name});
}

/// Behind `.segment`, which may have white space around its dot; npos when it is not there.
std::size_t Substitution::end_of_member(std::size_t from, const std::string& segment) const {
  const auto& text = expression_.text;
  while (from < text.size() && is_space(text[from])) ++from;
  if (from == text.size() || text[from] != '.') return std::string::npos;
  ++from;
  while (from < text.size() && is_space(text[from])) ++from;
  return text.compare(from, segment.size(), segment) == 0 ? from + segment.size() : std::string::npos;
}

void Substitution::visit(const expr::Node& node) {
  if (const auto* name = as_name(node)) {
    if (expression_.text.compare(node.at, name->name.size(), name->name) != 0 ||
        (name->name == kState && std::ranges::find(bound_, name->name) == bound_.end())) {
      possible_ = false;
    } else {
      use(node, name->name, name->name.size());
    }
  } else if (const auto* member = std::get_if<expr::Member>(&node.form)) {
    const auto* object = as_name(*member->object);
    if (object == nullptr || object->name != kState || std::ranges::find(bound_, object->name) != bound_.end()) return visit(*member->object);
    const auto end = end_of_member(member->object->at + kState.size(), member->segment);
    possible_ = possible_ && end != std::string::npos;
    if (end != std::string::npos) uses_.push_back({member->object->at, end - member->object->at, member->segment});
  } else if (const auto* index = std::get_if<expr::Index>(&node.form)) {
    visit(*index->object);
    visit(*index->index);
  } else if (const auto* unary = std::get_if<expr::Unary>(&node.form)) {
    visit(*unary->operand);
  } else if (const auto* binary = std::get_if<expr::Binary>(&node.form)) {
    visit(*binary->left);
    visit(*binary->right);
  } else if (const auto* list = std::get_if<expr::List>(&node.form)) {
    for (const auto& element : list->elements) visit(*element);
  } else if (const auto* object = std::get_if<expr::Object>(&node.form)) {
    for (const auto& entry : object->members) visit(*entry.second);
  } else if (const auto* lambda = std::get_if<expr::Lambda>(&node.form)) {
    bound_.push_back(lambda->parameter);
    visit(*lambda->body);
    bound_.pop_back();
  } else if (const auto* call = std::get_if<expr::Call>(&node.form)) {
    for (const auto& argument : call->arguments) {
      const bool per_item = std::ranges::any_of(
          call->slots, [&](const expr::Slot& used) { return used.node == argument.value.get() && used.use == expr::Use::per_item; });
      const auto outer = bound_.size();
      if (per_item) bound_.emplace_back("item");
      visit(*argument.value);
      bound_.resize(outer);
    }
    if (call->function == "pipeline") possible_ = false;  // `current` is bound anew for each operation
  }
}

std::optional<Json> constant(const expr::Node& node) {
  if (const auto* literal = std::get_if<expr::Literal>(&node.form)) return literal->value;
  if (const auto* unary = std::get_if<expr::Unary>(&node.form); unary != nullptr && unary->op == expr::UnaryOp::negate) {
    const auto value = constant(*unary->operand);
    if (!value || !value->is_number()) return std::nullopt;
    if (value->is_number_float()) return Json(-value->get<double>());
    return value->get<std::uint64_t>() <= INT64_MAX ? std::optional<Json>{-value->get<std::int64_t>()} : std::nullopt;
  }
  if (const auto* list = std::get_if<expr::List>(&node.form)) {
    auto out = Json::array();
    for (const auto& element : list->elements) {
      auto value = constant(*element);
      if (!value) return std::nullopt;
      out.push_back(std::move(*value));
    }
    return out;
  }
  if (const auto* object = std::get_if<expr::Object>(&node.form)) {
    auto out = Json::object();
    for (const auto& [key, member] : object->members) {
      auto value = constant(*member);
      if (!value) return std::nullopt;
      out[key] = std::move(*value);
    }
    return out;
  }
  return std::nullopt;
}

std::optional<std::vector<std::string>> path_of(const expr::Node& node) {
  if (const auto* name = as_name(node)) return name->name == kState ? std::nullopt : std::optional{std::vector{name->name}};
  std::string segment;
  const expr::Node* inner = nullptr;
  if (const auto* member = std::get_if<expr::Member>(&node.form)) {
    inner = member->object.get();
    segment = member->segment;
    const auto* object = as_name(*inner);
    if (object != nullptr && object->name == kState) return std::vector{segment};
  } else if (const auto* index = std::get_if<expr::Index>(&node.form)) {
    inner = index->object.get();
    const auto value = constant(*index->index);
    if (!value) return std::nullopt;
    if (value->is_string()) segment = value->get<std::string>();
    if (value->is_number_unsigned()) segment = std::to_string(value->get<std::uint64_t>());
  }
  if (inner == nullptr || !is_segment(segment)) return std::nullopt;
  auto path = path_of(*inner);
  if (path) path->push_back(std::move(segment));
  return path;
}

}  // namespace catena::lang::convert
