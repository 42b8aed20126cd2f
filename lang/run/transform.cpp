#include "lang/run/transform.hpp"

#include <fmt/format.h>

#include <array>
#include <initializer_list>
#include <set>

#include "base/limits.hpp"
#include "lang/fn/path.hpp"
#include "lang/run/computed.hpp"
#include "lang/run/evaluate.hpp"
#include "lang/run/scope.hpp"

namespace catena::lang {
namespace {

/// Sets a value at a dotted key; objects on the way are made where there is nothing.
Result<void> set(Json& object, const Transform::Result& result, Json value) {
  auto* target = &object;
  for (std::size_t level = 0; level < result.key.size(); ++level) {
    if (target->is_null()) *target = Json::object();
    if (!target->is_object()) {
      return fail(
          Code::expression_value,
          fmt::format("'{}' cannot be set: '{}' is a {}, not an object", fmt::join(result.key, "."), result.key[level - 1], target->type_name()),
          result.where);
    }
    target = &(*target)[result.key[level]];
  }
  *target = std::move(value);
  return {};
}

/// Variables and results over one object.
class Run {
 public:
  Run(const Transform& transform, const Program& program, const Scope& scope, std::vector<std::string>& warnings)
      : transform_{transform}, program_{program}, scope_{scope}, warnings_{warnings} {}

  Result<Json> variables(bool of_item, std::span<const Layer> layers) {
    auto values = Json::object();
    for (const auto& variable : transform_.variables) {
      if (variable.sees_item != of_item) continue;
      auto made = value(variable.value, layers);
      if (!made) return made;
      values[variable.name] = std::move(*made);
    }
    return values;
  }

  /// `take(result, value)` for each, in their order. `made` are the objects in which earlier results are seen, ahead of `layers`.
  template <class Take>
  Result<void> results(bool of_item, std::initializer_list<const Json*> made, std::span<const Layer> layers, const Take& take) {
    std::set<std::string_view> set;
    std::vector<Layer> seen;
    for (const auto* object : made) seen.push_back({object, {}, nullptr, &set});
    seen.insert(seen.end(), layers.begin(), layers.end());
    for (const auto& result : transform_.results) {
      if (result.sees_item == of_item) {
        auto value = compute(result.value, result.where, program_, scope_, seen, &warnings_);
        if (!value) return fail(value.error());
        if (auto done = take(result, std::move(*value)); !done) return done;
      }
      // What an item's results set is not there yet when those that all items share are computed; none of them names it.
      if (of_item || !result.sees_item) set.insert(result.key.front());
    }
    return {};
  }

 private:
  /// Like evaluate(), with names in sight.
  Result<Json> value(const Expr& expr, std::span<const Layer> layers) {
    if (const auto* literal = std::get_if<Literal>(&expr.node)) return literal->value;
    if (const auto* computed = std::get_if<Computed>(&expr.node)) {
      return compute(*computed, expr.where, program_, scope_, layers, &warnings_);
    }
    if (const auto* list = std::get_if<ListExpr>(&expr.node)) {
      auto values = Json::array();
      for (const auto& item : list->items) {
        auto made = value(item, layers);
        if (!made) return made;
        values.push_back(std::move(*made));
      }
      return values;
    }
    if (const auto* object = std::get_if<ObjectExpr>(&expr.node)) {
      auto values = Json::object();
      for (const auto& [key, member] : object->members) {
        auto made = value(member, layers);
        if (!made) return made;
        if (made->is_null() && std::holds_alternative<Named>(member.node)) continue;
        values[key] = std::move(*made);
      }
      return values;
    }
    auto text = evaluate(expr, program_, scope_);
    if (!text) return fail(text.error());
    return JsonView{*text}.parse();
  }

  const Transform& transform_;
  const Program& program_;
  const Scope& scope_;
  std::vector<std::string>& warnings_;
};

Result<JsonText> bounded_text(const Json& value, const Place& where) {
  if (fn::nests_deeper_than(value, limits::kNestingMax)) {
    return fail(Code::nesting_too_deep, fmt::format("the value nests deeper than {} levels once it is transformed", limits::kNestingMax), where);
  }
  return to_text(value);
}

/// What the results make of an object whose members they see.
Result<Shaped> shape(const Step& step, const Program& program, const Scope& scope, const Json& object) {
  Shaped shaped;
  Run run{*step.shape, program, scope, shaped.warnings};
  const std::array own{Layer{&object, {}, nullptr}};
  const auto variables = run.variables(false, own);
  if (!variables) return fail(variables.error());
  const std::array layers{Layer{&*variables, {}, nullptr}, own.front()};
  auto made = object;
  auto done = run.results(false, {&made}, layers, [&](const Transform::Result& result, Json value) { return set(made, result, std::move(value)); });
  if (!done) return fail(done.error());
  auto text = bounded_text(made, step.where);
  if (!text) return fail(text.error());
  shaped.value = std::move(*text);
  return shaped;
}

}  // namespace

Result<Arguments> Arguments::of(const Step& step, const Program& program, const Scope& scope) {
  Arguments arguments;
  auto bound = evaluate(step.bind, program, scope);
  if (!bound) return fail(bound.error());
  arguments.shared_ = std::move(*bound);
  if (!step.prepare) return arguments;

  arguments.step_ = &step;
  arguments.program_ = &program;
  arguments.scope_ = &scope;
  arguments.given_ = JsonView{arguments.shared_}.parse();
  Run run{*step.prepare, program, scope, arguments.warnings_};
  const std::array given{Layer{&arguments.given_, {}, nullptr}};
  auto variables = run.variables(false, given);
  if (!variables) return fail(variables.error());
  arguments.variables_ = std::move(*variables);
  arguments.made_ = arguments.given_;
  const std::array layers{Layer{&arguments.variables_, {}, nullptr}, given.front()};
  auto done = run.results(false, {&arguments.made_}, layers,
                          [&](const Transform::Result& result, Json value) { return set(arguments.made_, result, std::move(value)); });
  if (!done) return fail(done.error());
  auto text = bounded_text(arguments.made_, step.where);
  if (!text) return fail(text.error());
  arguments.shared_ = std::move(*text);
  return arguments;
}

Result<JsonText> Arguments::of_item(JsonView item) {
  const auto element = item.parse();
  Run run{*step_->prepare, *program_, *scope_, warnings_};
  const std::array given{Layer{nullptr, step_->each->as, &element}, Layer{&given_, {}, nullptr}};
  auto own = run.variables(true, given);
  if (!own) return fail(own.error());
  const std::array layers{Layer{&*own, {}, nullptr}, Layer{&variables_, {}, nullptr}, given[0], given[1]};
  auto members = Json::object();
  auto done = run.results(true, {&members, &made_}, layers, [&](const Transform::Result& result, Json value) {
    const auto& top = result.key.front();
    if (result.key.size() > 1 && !members.contains(top)) {
      if (top == step_->each->as) {
        members[top] = element;
      } else if (made_.contains(top)) {
        members[top] = made_[top];
      }
    }
    return set(members, result, std::move(value));
  });
  if (!done) return fail(done.error());
  return bounded_text(members, step_->where);
}

Result<Shaped> shape_response(const Step& step, const Program& program, const Scope& scope) {
  const auto text = scope.local(Root::response);
  if (!text) return fail(text.error());
  const auto response = JsonView{*text}.parse();
  if (!response.is_object()) {
    return fail(Code::expression_value, fmt::format("transform_responses sets keys of an object, and the response is a {}", response.type_name()),
                step.where);
  }
  return shape(step, program, scope, response);
}

// The list has no names: expressions see the variables only.
Result<Shaped> shape_items(const Step& step, const Program& program, const Scope& scope) { return shape(step, program, scope, Json::object()); }

}  // namespace catena::lang
