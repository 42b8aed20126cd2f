#pragma once
// Builtins that chains run within their own turns: see coordinator/computing.hpp.
#include <memory>

#include "coordinator/computing.hpp"
#include "worker/executor.hpp"

namespace catena::cli {

class BuiltinsThatCompute final : public coordinator::ComputingTools {
 public:
  /// The clock outlives this.
  explicit BuiltinsThatCompute(const Clock& clock);
  [[nodiscard]] bool has(const lang::Endpoint& endpoint) const override;
  [[nodiscard]] coordinator::Computed run(const coordinator::Computation& computation) const override;

 private:
  std::unique_ptr<worker::Executor> executor_;
};

}  // namespace catena::cli
