#pragma once
// Expressions over a state, with what its variables stand for put in their place. Internal to lang/convert/convert*.
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lang/expr/ast.hpp"

namespace catena::lang::convert {

class Substitution {
 public:
  /// The expression must outlive it.
  explicit Substitution(const expr::Expression& expression);

  /// Every name it looks up is written where it can be seen.
  [[nodiscard]] bool possible() const { return possible_; }
  /// The variables that it names, `state.x` as x; each once.
  [[nodiscard]] std::vector<std::string> names() const;
  /// The expression is a variable and nothing else.
  [[nodiscard]] std::optional<std::string> bare_name() const;
  /// With the expressions that the variables stand for.
  [[nodiscard]] std::string text(const std::map<std::string, std::string>& values) const;

 private:
  struct Use {
    std::size_t begin = 0;
    std::size_t size = 0;
    std::string name;
  };
  void visit(const expr::Node& node);
  void use(const expr::Node& node, const std::string& name, std::size_t size);
  [[nodiscard]] std::size_t end_of_member(std::size_t from, const std::string& segment) const;

  const expr::Expression& expression_;
  std::vector<std::string> bound_;  // by lambdas around
  std::vector<Use> uses_;           // in the order of the text
  bool possible_ = true;
};

/// The value of an expression that names nothing.
[[nodiscard]] std::optional<Json> constant(const expr::Node& node);
/// {"x", "y", "0"} of `x.y[0]` and of `state.x.y[0]`.
[[nodiscard]] std::optional<std::vector<std::string>> path_of(const expr::Node& node);

}  // namespace catena::lang::convert
