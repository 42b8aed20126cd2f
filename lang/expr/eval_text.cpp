#include "lang/expr/eval_text.hpp"

#include <fmt/format.h>

#include "lang/expr/check.hpp"
#include "lang/expr/error.hpp"
#include "lang/fn/path.hpp"

namespace catena::lang::expr {

const Json* ObjectVariables::find(std::string_view name) const {
  const auto found = object_.find(name);
  return found == object_.end() ? nullptr : &*found;
}

std::vector<std::string> ObjectVariables::names() const {
  std::vector<std::string> made;
  for (const auto& [key, value] : object_.items()) made.push_back(key);
  return made;
}

Result<Json> ObjectVariables::reference(std::string_view text) const {
  auto rest = text.substr(std::string_view{"REF:"}.size());
  auto value = fn::Value::borrowed(object_);
  for (;;) {
    const auto dot = rest.find('.');
    auto found = fn::part(std::move(value), rest.substr(0, dot));
    if (!found) return fail(kUnresolved, fmt::format("the reference '{}' found nothing: {}", text, found.error()));
    value = std::move(*found);
    if (dot == std::string_view::npos) return std::move(value).take();
    rest.remove_prefix(dot + 1);
  }
}

Result<Json> evaluate_text(std::string_view expression, const Json& context, UnixMillis now, const Limits& limits) {
  if (!context.is_object() || fn::nests_deeper_than(context, kValueDepthMax)) {
    return fail(kType, "the context of an expression is an object, with a variable a member, of at most 200 levels");
  }
  const ObjectVariables variables{context};
  const auto compiled = compile(expression, Names{variables.names()});
  if (!compiled) return fail(compiled.error());
  return evaluate(**compiled, Input{variables, now, limits});
}

}  // namespace catena::lang::expr
