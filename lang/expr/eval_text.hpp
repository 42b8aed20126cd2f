#pragma once
// An expression and its context as a person gives them: `catena eval`.
#include <string_view>

#include "base/time.hpp"
#include "lang/expr/evaluate.hpp"

namespace catena::lang::expr {

/// The members of an object as variables; REF:a.b is the path a.b in it.
class ObjectVariables final : public Variables {
 public:
  explicit ObjectVariables(const Json& object) : object_{object} {}
  [[nodiscard]] const Json* find(std::string_view name) const override;
  [[nodiscard]] std::vector<std::string> names() const override;
  [[nodiscard]] Result<Json> reference(std::string_view text) const override;

 private:
  const Json& object_;
};

/// `context` is an object. Errors: those of compile and evaluate; expression_value for another context.
[[nodiscard]] Result<Json> evaluate_text(std::string_view expression, const Json& context, UnixMillis now, const Limits& limits = {});

}  // namespace catena::lang::expr
