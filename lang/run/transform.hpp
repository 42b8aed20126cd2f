#pragma once
// transform_arguments and transform_responses while a chain runs.
#include <string>
#include <utility>
#include <vector>

#include "lang/run/scope.hpp"

namespace catena::lang {

/// The arguments of a step before they are checked: what `bind` gives, with the results of `prepare` set. Step, program and scope outlive it.
class Arguments {
 public:
  /// Errors: those of evaluate and of expressions.
  [[nodiscard]] static Result<Arguments> of(const Step& step, const Program& program, const Scope& scope);

  /// What all items of a fan-out share; of a plain step, all there is. An object.
  [[nodiscard]] const JsonText& shared() const { return shared_; }
  [[nodiscard]] JsonText take_shared() && { return std::move(shared_); }
  /// The members to set for one item, whole (a dotted key gives the whole member that it is in). Meaningful when they vary.
  [[nodiscard]] Result<JsonText> of_item(JsonView item);
  /// What a person should know, for the chain's history.
  [[nodiscard]] std::vector<std::string> take_warnings() { return std::exchange(warnings_, {}); }

 private:
  const Step* step_ = nullptr;
  const Program* program_ = nullptr;
  const Scope* scope_ = nullptr;
  JsonText shared_;
  Json given_;      // what `bind` gave: what expressions see
  Json variables_;  // those that do not see the item
  Json made_;       // shared_ as a value; only where results vary
  std::vector<std::string> warnings_;
};

struct Shaped {
  JsonText value;
  std::vector<std::string> warnings;
};
/// transform_responses of a plain step: the response (scope.local(Root::response)) with the results set. Not checked yet.
[[nodiscard]] Result<Shaped> shape_response(const Step& step, const Program& program, const Scope& scope);
/// transform_responses of a fan-out: an object of the keys that stand beside `.response`. scope.local(Root::response) is the list.
[[nodiscard]] Result<Shaped> shape_items(const Step& step, const Program& program, const Scope& scope);

}  // namespace catena::lang
