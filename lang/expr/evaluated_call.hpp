#pragma once
// A call while its function runs. Internal to lang/expr.
#include <array>
#include <optional>

#include "lang/expr/evaluator.hpp"

namespace catena::lang::expr {

class EvaluatedCall final : public fn::Invocation {
 public:
  EvaluatedCall(Evaluator& evaluator, const Node& node, const Call& call) : evaluator_{evaluator}, node_{node}, call_{call} {}

  [[nodiscard]] bool given(std::size_t param) const override { return call_.slots[param].use != Use::absent; }
  [[nodiscard]] Result<Value> value(std::size_t param) override;
  [[nodiscard]] std::size_t rest_count() const override { return call_.rest.size(); }
  [[nodiscard]] std::string_view rest_name(std::size_t index) const override { return call_.rest[index]->keyword; }
  [[nodiscard]] Result<Value> rest(std::size_t index) override { return evaluator_.evaluate(*call_.rest[index]->value); }
  [[nodiscard]] Result<Value> apply(std::size_t param, const Json& element, ScalarValue scalar) override;
  [[nodiscard]] Result<Value> run_operations(std::size_t param, Value initial) override;
  [[nodiscard]] UnixMillis now() const override { return evaluator_.now(); }
  [[nodiscard]] const FileReader* files() const override { return evaluator_.files(); }
  void warn(std::string message) override { evaluator_.warn(std::move(message)); }
  [[nodiscard]] Result<void> charge(std::uint64_t steps, std::uint64_t bytes) override { return evaluator_.charge(steps, bytes, node_.at); }
  [[nodiscard]] tl::unexpected<Error> refuse(Code code, std::string message, std::size_t param) const override;
  [[nodiscard]] tl::unexpected<Error> refuse_rest(Code code, std::string message, std::size_t index) const override;

 private:
  /// What a variable in the place of an expression holds: its text, parsed, or a value.
  struct Late {
    ExpressionPtr text;
    Json constant;
  };
  Result<const Late*> late(std::size_t param);
  Result<Value> run(const Slot& operation, const Json& current);

  Evaluator& evaluator_;
  const Node& node_;
  const Call& call_;
  std::array<std::optional<Late>, fn::kParamsMax> late_;
};

}  // namespace catena::lang::expr
