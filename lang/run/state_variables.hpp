#pragma once
// The state of a chain as expressions see it: {{ x }} and {{ state.x }}.
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/expr/evaluate.hpp"
#include "lang/program/state_uses.hpp"
#include "lang/run/scope.hpp"

namespace catena::lang {

/// Reads a variable of the scope when it is asked for, and once: a state may hold far more than a text looks at.
class StateVariables final : public expr::Variables {
 public:
  explicit StateVariables(const Scope& scope) : scope_{scope} {}

  /// A variable; `state`: all of them, as an object; `response`, where no variable is called so: that of the step itself.
  [[nodiscard]] const Json* find(std::string_view name) const override;
  /// state.x, without the rest of the state.
  [[nodiscard]] std::optional<Result<const Json*>> member(std::string_view object, std::string_view segment) const override;
  [[nodiscard]] std::string unknown(std::string_view name) const override;
  [[nodiscard]] std::vector<std::string> names() const override { return scope_.variable_names(); }
  [[nodiscard]] Result<Json> reference(std::string_view text) const override;

  /// What kept the scope from giving a variable; the variable then counts as missing, which is not the reason to tell.
  [[nodiscard]] const std::optional<Error>& trouble() const { return trouble_; }

 private:
  [[nodiscard]] const Json* variable(std::string_view name) const;
  [[nodiscard]] const Json* whole() const;
  [[nodiscard]] const Json* response() const;
  [[nodiscard]] const Json* kept(Result<std::optional<JsonText>> value, std::optional<Json>& place) const;

  const Scope& scope_;
  // Filled in by look-ups, which do not change what can be seen.
  mutable std::map<std::string, std::optional<Json>, std::less<>> read_;
  mutable std::optional<Json> whole_;
  mutable std::optional<Json> response_;
  mutable std::optional<Error> trouble_;
};

/// The value of a text over the state. Errors: those of expressions, at `where`, with a caret; variable_unknown with the names there are;
/// whatever the scope reports.
[[nodiscard]] Result<Json> evaluate_templated(const Templated& templated, const Place& where, const Scope& scope);

}  // namespace catena::lang
