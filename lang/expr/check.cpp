#include "lang/expr/check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/suggest.hpp"
#include "lang/expr/error.hpp"
#include "lang/expr/limits.hpp"
#include "lang/expr/parser.hpp"
#include "lang/op/operators.hpp"

namespace catena::lang::expr {
namespace {

using fn::FnSpec;
using fn::Param;
using fn::Rest;
using fn::Takes;

/// Whether a name is used in a tree in a way that means what is bound outside of it.
bool mentions(const Node& node, std::string_view name);

bool mentions_any(const std::vector<NodePtr>& nodes, std::string_view name) {
  return std::ranges::any_of(nodes, [name](const NodePtr& node) { return mentions(*node, name); });
}

/// An argument that is evaluated with its own `item` or `current` means that one.
bool rebinds(const Call& call, const Node& argument, std::string_view name) {
  const auto slot = std::ranges::find(call.slots, &argument, &Slot::node);
  if (slot == call.slots.end()) return false;
  switch (call.spec->slots[static_cast<std::size_t>(slot - call.slots.begin())].takes) {
    case Takes::per_item: return slot->use == Use::per_item && name == "item";
    case Takes::operations: return std::holds_alternative<List>(argument.form) && name == "current";
    case Takes::value:
    case Takes::pattern: break;
  }
  return false;
}

bool mentions(const Call& call, std::string_view name) {
  return std::ranges::any_of(call.arguments,
                             [&](const Argument& argument) { return !rebinds(call, *argument.value, name) && mentions(*argument.value, name); });
}

bool is_null(const Node& node) {
  const auto* literal = std::get_if<Literal>(&node.form);
  return literal != nullptr && literal->value.is_null();
}

/// A variable, which may hold a text that is meant as an expression.
bool is_variable(const Node& node) {
  return std::holds_alternative<Name>(node.form) || std::holds_alternative<Member>(node.form) || std::holds_alternative<Index>(node.form) ||
         std::holds_alternative<Reference>(node.form);
}

bool mentions(const Node& node, std::string_view name) {
  struct Look {
    std::string_view name;
    bool operator()(const Literal&) const { return false; }
    bool operator()(const Reference&) const { return false; }
    bool operator()(const Name& form) const { return form.name == name; }
    bool operator()(const Member& form) const { return mentions(*form.object, name); }
    bool operator()(const Index& form) const { return mentions(*form.object, name) || mentions(*form.index, name); }
    bool operator()(const Unary& form) const { return mentions(*form.operand, name); }
    bool operator()(const Binary& form) const { return mentions(*form.left, name) || mentions(*form.right, name); }
    bool operator()(const List& form) const { return mentions_any(form.elements, name); }
    bool operator()(const Object& form) const {
      return std::ranges::any_of(form.members, [this](const auto& member) { return mentions(*member.second, name); });
    }
    bool operator()(const Lambda& form) const { return form.parameter != name && mentions(*form.body, name); }
    bool operator()(const Call& form) const { return mentions(form, name); }
  };
  return std::visit(Look{name}, node.form);
}

Result<ExpressionPtr> compile_within(std::string_view text, const Names& names, const std::vector<std::string>& bound, std::uint32_t level);

class Checker {
 public:
  Checker(std::string_view text, const Names& names, std::vector<std::string> bound, std::uint32_t level)
      : text_{text}, names_{names}, bound_{std::move(bound)}, level_{level} {}

  Result<void> check(Node& node) {
    return std::visit([&](auto& form) { return visit(node, form); }, node.form);
  }

 private:
  Result<void> visit(const Node&, const Literal&) { return {}; }
  Result<void> visit(const Node&, const Reference&) { return {}; }

  Result<void> visit(const Node& node, const Name& form) {
    if (!names_.variables || std::ranges::find(bound_, form.name) != bound_.end()) return {};
    if (std::ranges::find(*names_.variables, form.name) != names_.variables->end()) return {};
    if (const auto* spec = fn::find_function(form.name)) {
      return fail_at(kUnknownVariable, fmt::format("'{}' is a function; call it: {}", form.name, signature(*spec)), text_, node.at);
    }
    auto known = *names_.variables;
    known.insert(known.end(), bound_.begin(), bound_.end());
    const auto there = known.empty() ? "; there are no variables here" : fmt::format("; there are: {}", fmt::join(known, ", "));
    return fail_at(kUnknownVariable, fmt::format("there is no variable '{}'{}{}", form.name, did_you_mean(form.name, known), there), text_, node.at);
  }

  Result<void> visit(const Node&, Member& form) { return check(*form.object); }
  Result<void> visit(const Node&, Unary& form) { return check(*form.operand); }
  Result<void> visit(const Node&, Index& form) { return both(*form.object, *form.index); }
  Result<void> visit(const Node&, Binary& form) { return both(*form.left, *form.right); }

  Result<void> visit(const Node&, List& form) {
    for (auto& element : form.elements) {
      if (auto fine = check(*element); !fine) return fine;
    }
    return {};
  }

  Result<void> visit(const Node&, Object& form) {
    for (auto& member : form.members) {
      if (auto fine = check(*member.second); !fine) return fine;
    }
    return {};
  }

  Result<void> visit(const Node& node, const Lambda&) {
    return fail_at(kType, "a lambda can stand only where a function applies one to items: map, filter, sort, group_by, sum, pipeline …", text_,
                   node.at);
  }

  Result<void> visit(const Node& node, Call& call) {
    call.spec = fn::find_function(call.function);
    if (call.spec == nullptr) {
      const auto hint = did_you_mean(call.function, fn::function_names());
      return fail_at(kUnknownFunction,
                     fmt::format("there is no function '{}'{}", call.function, hint.empty() ? "; 'catena functions' lists them" : hint), text_,
                     node.at);
    }
    call.slots.assign(call.spec->param_count(), Slot{});
    if (auto fine = bind(node, call); !fine) return fine;
    for (std::size_t param = 0; param < call.slots.size(); ++param) {
      if (call.slots[param].node == nullptr) continue;
      if (auto fine = fill(call, param); !fine) return fine;
    }
    for (const auto* argument : call.rest) {
      if (auto fine = check(*argument->value); !fine) return fine;
    }
    return {};
  }

  /// Which argument is which parameter.
  Result<void> bind(const Node& node, Call& call) {
    const auto& spec = *call.spec;
    std::size_t next = 0;
    for (const auto& argument : call.arguments) {
      auto param = next;
      if (!argument.keyword.empty()) {
        const auto params = spec.params();
        param = static_cast<std::size_t>(std::ranges::find(params, argument.keyword, &Param::name) - params.begin());
      } else {
        ++next;
      }
      if (param < call.slots.size()) {
        if (call.slots[param].node != nullptr) {
          return fail_at(Code::argument_unknown, fmt::format("'{}' is given twice to {}", spec.slots[param].name, signature(spec)), text_,
                         argument.at);
        }
        call.slots[param].node = argument.value.get();
      } else if (spec.rest == (argument.keyword.empty() ? Rest::positional : Rest::named)) {
        call.rest.push_back(&argument);
      } else {
        return surplus(spec, argument);
      }
    }
    for (std::size_t param = 0; param < call.slots.size(); ++param) {
      if (spec.slots[param].required && call.slots[param].node == nullptr) {
        return fail_at(Code::argument_missing, fmt::format("'{}' is missing: {}", spec.slots[param].name, signature(spec)), text_, node.at);
      }
    }
    return {};
  }

  [[nodiscard]] Result<void> surplus(const FnSpec& spec, const Argument& argument) const {
    if (argument.keyword.empty()) {
      const auto* why = spec.rest == Rest::named ? "takes named arguments only" : "takes no further argument";
      return fail_at(Code::argument_unknown, fmt::format("{} {}: {}", spec.name, why, signature(spec)), text_, argument.at);
    }
    std::vector<std::string> known;
    for (const auto& param : spec.params()) known.emplace_back(param.name);
    return fail_at(Code::argument_unknown,
                   fmt::format("{} has no parameter '{}'{}: {}", spec.name, argument.keyword, did_you_mean(argument.keyword, known), signature(spec)),
                   text_, argument.at);
  }

  /// How the argument of a parameter is used.
  Result<void> fill(Call& call, std::size_t param) {
    auto& slot = call.slots[param];
    const auto& spec = call.spec->slots[param];
    auto& node = const_cast<Node&>(*slot.node);  // the tree is still ours alone
    switch (spec.takes) {
      case Takes::value: slot.use = Use::value; return check(node);
      case Takes::pattern: slot.use = Use::value; return pattern(node);
      case Takes::per_item:
        if (!spec.required && is_null(node)) return {};  // as if it was not there
        return applied(slot, node, "item");
      case Takes::operations: break;
    }
    auto* list = std::get_if<List>(&node.form);
    slot.use = Use::value;
    if (list == nullptr) return check(node);  // texts of a variable
    for (auto& element : list->elements) {
      auto& operation = call.operations.emplace_back(Slot{element.get(), Use::absent, nullptr});
      if (auto fine = applied(operation, *element, "current"); !fine) return fine;
    }
    return {};
  }

  Result<void> pattern(Node& node) {
    const auto* literal = std::get_if<Literal>(&node.form);
    if (literal == nullptr || !literal->value.is_string()) return check(node);
    const auto fine = check_pattern(literal->value.get_ref<const std::string&>());
    if (!fine) return fail_at(fine.error().code, fine.error().message, text_, node.at);
    return {};
  }

  /// An argument that is evaluated for each element.
  Result<void> applied(Slot& slot, Node& node, const std::string& binding) {
    if (auto* lambda = std::get_if<Lambda>(&node.form)) {
      slot.use = Use::lambda;
      return check_with(lambda->parameter, *lambda->body);
    }
    const auto* literal = std::get_if<Literal>(&node.form);
    if (literal != nullptr && literal->value.is_string()) {
      slot.use = Use::text;
      auto bound = bound_;
      bound.push_back(binding);
      auto text = compile_within(literal->value.get_ref<const std::string&>(), names_, bound, level_ + 1);
      if (!text) return fail(inside(text.error(), text_, node.at));
      slot.text = std::move(*text);
      return {};
    }
    if (auto fine = check_with(binding, node); !fine) return fine;
    slot.use = is_variable(node) && !mentions(node, binding) ? Use::late_text : Use::per_item;
    return {};
  }

  Result<void> check_with(const std::string& name, Node& node) {
    bound_.push_back(name);
    auto fine = check(node);
    bound_.pop_back();
    return fine;
  }

  Result<void> both(Node& a, Node& b) {
    if (auto fine = check(a); !fine) return fine;
    return check(b);
  }

  std::string_view text_;
  const Names& names_;
  std::vector<std::string> bound_;  // item, current and the parameters of lambdas
  std::uint32_t level_;
};

Result<ExpressionPtr> compile_within(std::string_view text, const Names& names, const std::vector<std::string>& bound, std::uint32_t level) {
  if (level > kTextLevelsMax) return fail_at(kTooDeep, fmt::format("strings with expressions nest deeper than {} levels", kTextLevelsMax), text, 0);
  auto root = parse(text);
  if (!root) return fail(root.error());
  if (auto fine = Checker{text, names, bound, level}.check(**root); !fine) return fail(fine.error());
  return std::make_shared<const Expression>(Expression{std::string{text}, std::move(*root)});
}

}  // namespace

Result<ExpressionPtr> compile(std::string_view text, const Names& names) { return compile_within(text, names, {}, 0); }

bool is_known_call(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const auto root = parse(text);
  if (!root) return false;
  const auto* call = std::get_if<Call>(&(*root)->form);
  return call != nullptr && (*root)->at == text.find_first_not_of(kSpace) && text[text.find_last_not_of(kSpace)] == ')' &&
         fn::find_function(call->function) != nullptr;
}

}  // namespace catena::lang::expr
