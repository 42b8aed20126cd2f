#include "lang/run/state_variables.hpp"

#include <fmt/format.h>

#include <utility>

#include "lang/expr/error.hpp"

namespace catena::lang {
namespace {

constexpr std::string_view kResponse = "response";

}  // namespace

const Json* StateVariables::find(std::string_view name) const {
  if (name == kWholeState) return whole();
  const auto* value = variable(name);
  return value == nullptr && name == kResponse ? response() : value;
}

std::optional<Result<const Json*>> StateVariables::member(std::string_view object, std::string_view segment) const {
  if (object != kWholeState) return std::nullopt;
  if (const auto* value = variable(segment)) return value;
  if (trouble_) return fail(*trouble_);
  return fail(expr::kUnknownVariable, expr::unknown_name(unknown(segment), segment, names()));
}

std::string StateVariables::unknown(std::string_view name) const { return fmt::format("variable '{}' not found in chain state", name); }

Result<Json> StateVariables::reference(std::string_view text) const {
  return fail(Code::reference_unknown, fmt::format("'{}' is a reference, and a sequence has none; write the name of a state variable", text));
}

const Json* StateVariables::variable(std::string_view name) const {
  auto known = read_.find(name);
  if (known == read_.end()) {
    known = read_.emplace(std::string{name}, std::nullopt).first;
    return kept(scope_.variable(name), known->second);
  }
  return known->second ? &*known->second : nullptr;
}

const Json* StateVariables::whole() const {
  if (whole_) return &*whole_;
  auto made = Json::object();
  for (const auto& name : scope_.variable_names()) {
    const auto* value = variable(name);
    if (trouble_) return nullptr;
    if (value != nullptr) made[name] = *value;
  }
  whole_ = std::move(made);
  return &*whole_;
}

const Json* StateVariables::response() const {
  if (response_) return &*response_;
  auto value = scope_.local(Root::response);
  if (value && JsonView{*value}.is_null()) return nullptr;
  return kept(std::move(value), response_);
}

const Json* StateVariables::kept(Result<std::optional<JsonText>> value, std::optional<Json>& place) const {
  if (!value) {
    if (!trouble_) trouble_ = std::move(value.error());
    return nullptr;
  }
  if (!*value) return nullptr;
  place = JsonView{**value}.parse();
  return &*place;
}

Result<Json> evaluate_templated(const Templated& templated, const Place& where, const Scope& scope) {
  const StateVariables variables{scope};
  auto value = templated.text.evaluate({.variables = variables, .now = scope.now(), .files = scope.files()});
  if (variables.trouble()) return fail(*variables.trouble());
  if (!value) value.error().where = where;
  return value;
}

}  // namespace catena::lang
