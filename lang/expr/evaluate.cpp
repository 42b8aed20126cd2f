#include "lang/expr/evaluate.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/cut_text.hpp"
#include "base/limits.hpp"
#include "lang/expr/check.hpp"
#include "lang/expr/evaluated_call.hpp"
#include "lang/expr/evaluator.hpp"
#include "lang/expr/print.hpp"
#include "lang/fn/path.hpp"

namespace catena::lang::expr {
namespace {

constexpr std::uint64_t kMessageSteps = 200;  // an error that default() catches costs the making of its message

/// Cells of a value down to a level; `too_deep` when it goes on below.
std::uint64_t cells_down_to(const Json& value, int levels, bool& too_deep) {
  if (!value.is_structured()) return 1;
  if (levels == 0) {
    too_deep = true;
    return 1;
  }
  std::uint64_t cells = 1;
  for (const auto& part : value) cells += cells_down_to(part, levels - 1, too_deep);
  return cells;
}

}  // namespace

std::optional<Result<const Json*>> Variables::member(std::string_view /*object*/, std::string_view /*segment*/) const { return std::nullopt; }

std::string Variables::unknown(std::string_view name) const {
  if (name != "item" && name != "current") return fmt::format("there is no variable '{}'", name);
  return fmt::format("'{}' means something only where a function applies an expression to elements", name);
}

Result<Json> evaluate(const Expression& expression, const Input& input) {
  Evaluator evaluator{expression.text, input};
  auto value = evaluator.evaluate(*expression.root);
  auto taken = value ? evaluator.take(std::move(*value), expression.root->at) : Result<Json>{fail(value.error())};
  if (input.usage != nullptr) *input.usage = evaluator.usage();
  return taken;
}

Result<Value> Evaluator::evaluate(const Node& node) {
  if (auto paid = charge(1, 0, node.at); !paid) return fail(paid.error());
  if (depth_ == kEvaluationDepthMax) {
    return refuse(kTooDeep,
                  fmt::format("evaluation goes deeper than {} levels; a text that holds an expression may hold itself", kEvaluationDepthMax),
                  node.at);
  }
  ++depth_;
  auto value = std::visit([&](const auto& form) { return visit(node, form); }, node.form);
  --depth_;
  return value;
}

Result<Value> Evaluator::evaluate_with(const Binding& binding, const Node& node) {
  bindings_.push_back(binding);
  auto value = evaluate(node);
  bindings_.pop_back();
  return value;
}

Result<Value> Evaluator::evaluate_text(const Binding& binding, const Expression& expression, const Node& outer) {
  const auto around = std::exchange(text_, std::string_view{expression.text});
  auto value = evaluate_with(binding, *expression.root);
  text_ = around;
  if (!value) return fail(inside(value.error(), text_, outer.at));
  return value;
}

Result<ExpressionPtr> Evaluator::late_text(const std::string& text, const Node& outer) {
  if (const auto known = texts_.find(text); known != texts_.end()) return known->second;
  if (auto paid = charge(1 + text.size(), text.size() * sizeof(Node), outer.at); !paid) return fail(paid.error());
  auto made = compile(text, Names{});
  if (!made) return fail(inside(made.error(), text_, outer.at));
  texts_.emplace(text, *made);
  return made;
}

Result<void> Evaluator::charge(std::uint64_t steps, std::uint64_t bytes, std::uint32_t at) {
  const auto& limits = input_.limits;
  if (steps > limits.steps_max - usage_.steps) return refuse(kTooLong, fmt::format("the expression takes more than {} steps", limits.steps_max), at);
  if (bytes > limits.bytes_max - usage_.bytes) {
    return refuse(kTooLarge, fmt::format("the expression makes values of more than {} bytes", limits.bytes_max), at);
  }
  usage_.steps += steps;
  usage_.bytes += bytes;
  return {};
}

Result<Json> Evaluator::take(Value value, std::uint32_t at) {
  if (value.is_borrowed()) {
    if (auto paid = charge(fn::steps_of(value.get()), fn::bytes_of(value.get()), at); !paid) return fail(paid.error());
  }
  return std::move(value).take();
}

Result<void> Evaluator::check_depth(const Json& value, std::uint32_t at) {
  bool too_deep = false;
  const auto cells = cells_down_to(value, kValueDepthMax, too_deep);
  if (too_deep) return refuse(kTooDeep, fmt::format("this makes a value that nests deeper than {} levels", kValueDepthMax), at);
  return charge(cells / 4, 0, at);
}

void Evaluator::warn(std::string message) {
  if (input_.warnings == nullptr || input_.warnings->size() >= limits::kWarningsKept) return;
  // A call in a loop says it once.
  if (std::ranges::find(*input_.warnings, message) == input_.warnings->end()) input_.warnings->push_back(std::move(message));
}

const Binding* Evaluator::bound(std::string_view name) const {
  const auto found = std::find_if(bindings_.rbegin(), bindings_.rend(), [name](const Binding& binding) { return binding.name == name; });
  return found == bindings_.rend() ? nullptr : &*found;
}

tl::unexpected<Error> Evaluator::unresolved(const Node& node, std::string_view why) {
  if (auto paid = charge(kMessageSteps + text_.size(), 0, node.at); !paid) return fail(paid.error());
  return refuse(kUnresolved, fmt::format("'{}' finds nothing: {}", cut_text(print(node), 200), why), node.at);
}

Result<Value> Evaluator::visit(const Node&, const Literal& form) { return Value::borrowed(form.value); }

Result<Value> Evaluator::visit(const Node& node, const Name& form) {
  if (const auto* binding = bound(form.name)) return Value::borrowed(*binding->value);
  if (const auto* value = input_.variables.find(form.name)) return Value::borrowed(*value);
  auto names = input_.variables.names();
  if (auto paid = charge(kMessageSteps + names.size() * form.name.size(), 0, node.at); !paid) return fail(paid.error());
  return refuse(kUnknownVariable, unknown_name(input_.variables.unknown(form.name), form.name, std::move(names)), node.at);
}

Result<Value> Evaluator::visit(const Node& node, const Reference& form) {
  if (const auto known = references_.find(form.text); known != references_.end()) return Value::borrowed(known->second);
  auto value = input_.variables.reference(form.text);
  if (!value) {
    if (auto paid = charge(kMessageSteps + text_.size(), 0, node.at); !paid) return fail(paid.error());
    return fail(at_caret(std::move(value.error()), text_, node.at));
  }
  if (auto paid = charge(fn::steps_of(*value), fn::bytes_of(*value), node.at); !paid) return fail(paid.error());
  return Value::borrowed(references_.emplace(form.text, std::move(*value)).first->second);
}

Result<Value> Evaluator::visit(const Node& node, const Member& form) {
  const auto* object = std::get_if<Name>(&form.object->form);
  if (object != nullptr && bound(object->name) == nullptr) {
    if (auto found = input_.variables.member(object->name, form.segment)) {
      if (*found) return Value::borrowed(***found);
      if (auto paid = charge(kMessageSteps + text_.size(), 0, node.at); !paid) return fail(paid.error());
      return fail(at_caret(std::move(found->error()), text_, node.at));
    }
  }
  auto whole = evaluate(*form.object);
  if (!whole) return whole;
  if (form.segment == "value" && !whole->get().is_structured() && !whole->get().is_null()) {
    const auto* binding = object == nullptr ? nullptr : bound(object->name);
    if (binding != nullptr && binding->scalar == ScalarValue::itself) return whole;
  }
  auto found = fn::part(std::move(*whole), form.segment);
  if (!found) return unresolved(node, found.error());
  return std::move(*found);
}

Result<Value> Evaluator::visit(const Node& node, const Index& form) {
  auto whole = evaluate(*form.object);
  if (!whole) return whole;
  const auto index = evaluate(*form.index);
  if (!index) return index;
  auto found = fn::element(std::move(*whole), index->get());
  if (!found) return unresolved(node, found.error());
  return std::move(*found);
}

Result<Value> Evaluator::visit(const Node& node, const List& form) {
  Json made = Json::array();
  for (const auto& element : form.elements) {
    auto value = evaluate(*element);
    if (!value) return value;
    auto owned = take(std::move(*value), element->at);
    if (!owned) return fail(owned.error());
    made.push_back(std::move(*owned));
  }
  if (auto fine = check_depth(made, node.at); !fine) return fail(fine.error());
  return Value{std::move(made)};
}

Result<Value> Evaluator::visit(const Node& node, const Object& form) {
  Json made = Json::object();
  for (const auto& [key, member] : form.members) {
    auto value = evaluate(*member);
    if (!value) return value;
    auto owned = take(std::move(*value), member->at);
    if (!owned) return fail(owned.error());
    if (auto paid = charge(1, key.size(), member->at); !paid) return fail(paid.error());
    made[key] = std::move(*owned);
  }
  if (auto fine = check_depth(made, node.at); !fine) return fail(fine.error());
  return Value{std::move(made)};
}

Result<Value> Evaluator::visit(const Node& node, const Lambda&) { return refuse(kType, "a lambda is no value", node.at); }

Result<Value> Evaluator::visit(const Node& node, const Call& form) {
  EvaluatedCall call{*this, node, form};
  auto value = form.spec->run(call);
  if (!value || value->is_borrowed()) return value;
  if (value->get().is_string()) {
    if (auto paid = charge(0, value->get().get_ref<const std::string&>().size(), node.at); !paid) return fail(paid.error());
  }
  if (!value->get().is_structured()) return value;
  if (auto fine = check_depth(value->get(), node.at); !fine) return fail(fine.error());
  return value;
}

}  // namespace catena::lang::expr
