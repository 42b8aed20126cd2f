#include "lang/expr/evaluated_call.hpp"

#include <fmt/format.h>

namespace catena::lang::expr {

Result<Value> EvaluatedCall::value(std::size_t param) {
  const auto& slot = call_.slots[param];
  if (slot.use == Use::absent) return Value{Json::parse(call_.spec->slots[param].fallback)};
  return evaluator_.evaluate(*slot.node);
}

Result<Value> EvaluatedCall::apply(std::size_t param, const Json& element, ScalarValue scalar) {
  const auto& slot = call_.slots[param];
  const Binding item{"item", &element, scalar};
  switch (slot.use) {
    case Use::lambda: {
      const auto& lambda = std::get<Lambda>(slot.node->form);
      return evaluator_.evaluate_with({lambda.parameter, &element, scalar}, *lambda.body);
    }
    case Use::text: return evaluator_.evaluate_text(item, *slot.text, *slot.node);
    case Use::late_text: {
      const auto held = late(param);
      if (!held) return fail(held.error());
      if ((*held)->text) return evaluator_.evaluate_text(item, *(*held)->text, *slot.node);
      if (!(*held)->constant.is_null()) return Value::borrowed((*held)->constant);
      if (!call_.spec->slots[param].required) return Value::borrowed(element);
      return refuse(kType, "needs an expression over item, or a text that holds one; got null", param);
    }
    case Use::per_item:
    case Use::value:
    case Use::absent: break;
  }
  return evaluator_.evaluate_with(item, *slot.node);
}

Result<const EvaluatedCall::Late*> EvaluatedCall::late(std::size_t param) {
  auto& held = late_[param];
  if (held) return &*held;
  const auto& node = *call_.slots[param].node;
  auto value = evaluator_.evaluate(node);
  if (!value) return fail(value.error());
  if (!value->get().is_string()) {
    auto constant = evaluator_.take(std::move(*value), node.at);
    if (!constant) return fail(constant.error());
    held = Late{nullptr, std::move(*constant)};
    return &*held;
  }
  auto text = evaluator_.late_text(value->get().get_ref<const std::string&>(), node);
  if (!text) return fail(text.error());
  held = Late{std::move(*text), nullptr};
  return &*held;
}

Result<Value> EvaluatedCall::run(const Slot& operation, const Json& current) {
  const Binding binding{"current", &current, ScalarValue::no_parts};
  switch (operation.use) {
    case Use::lambda: {
      const auto& lambda = std::get<Lambda>(operation.node->form);
      return evaluator_.evaluate_with({lambda.parameter, &current, ScalarValue::no_parts}, *lambda.body);
    }
    case Use::text: return evaluator_.evaluate_text(binding, *operation.text, *operation.node);
    case Use::late_text: {
      auto value = evaluator_.evaluate(*operation.node);
      if (!value || !value->get().is_string()) return value;
      const auto text = evaluator_.late_text(value->get().get_ref<const std::string&>(), *operation.node);
      if (!text) return fail(text.error());
      return evaluator_.evaluate_text(binding, **text, *operation.node);
    }
    case Use::per_item:
    case Use::value:
    case Use::absent: break;
  }
  return evaluator_.evaluate_with(binding, *operation.node);
}

Result<Value> EvaluatedCall::run_operations(std::size_t param, Value initial) {
  auto current = take(std::move(initial));
  if (!current) return fail(current.error());
  const auto step = [&](Result<Value> next) -> Result<void> {
    if (!next) return fail(next.error());
    auto owned = take(std::move(*next));
    if (!owned) return fail(owned.error());
    if (auto fine = evaluator_.check_depth(*owned, node_.at); !fine) return fine;
    *current = std::move(*owned);
    return {};
  };
  const auto& node = *call_.slots[param].node;
  if (std::holds_alternative<List>(node.form)) {
    for (const auto& operation : call_.operations) {
      if (auto done = step(run(operation, *current)); !done) return fail(done.error());
    }
    return Value{std::move(*current)};
  }
  const auto texts = list(param);
  if (!texts) return texts;
  for (const auto& text : texts->get()) {
    if (!text.is_string()) return expected("a list of operations, or of texts that hold them", text, param);
    const auto operation = evaluator_.late_text(text.get_ref<const std::string&>(), node);
    if (!operation) return fail(operation.error());
    const Binding binding{"current", &*current, ScalarValue::no_parts};
    if (auto done = step(evaluator_.evaluate_text(binding, **operation, node)); !done) return fail(done.error());
  }
  return Value{std::move(*current)};
}

tl::unexpected<Error> EvaluatedCall::refuse(Code code, std::string message, std::size_t param) const {
  if (param >= call_.slots.size()) return evaluator_.refuse(code, fmt::format("{}: {}", call_.function, message), node_.at);
  const auto* node = call_.slots[param].node;
  const auto& name = call_.spec->slots[param].name;
  return evaluator_.refuse(code, fmt::format("'{}' of {}: {}", name, call_.function, message), node == nullptr ? node_.at : node->at);
}

tl::unexpected<Error> EvaluatedCall::refuse_rest(Code code, std::string message, std::size_t index) const {
  return evaluator_.refuse(code, std::move(message), call_.rest[index]->value->at);
}

}  // namespace catena::lang::expr
