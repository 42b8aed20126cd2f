#pragma once
// What the expressions of a running chain see: its state, with fan-out results and large values read from the store. Holds no
// copies; valid while state and store are.
#include <memory>
#include <optional>
#include <vector>

#include "base/ids.hpp"
#include "engine/engine.hpp"
#include "lang/scope.hpp"
#include "storage/kv.hpp"

namespace catena::coordinator {

/// The text of a payload, wherever it is. Errors: storage_corrupt when its blob is missing.
[[nodiscard]] Result<lang::JsonText> read_payload(const storage::Kv& kv, const engine::Payload& payload);

class ChainScope final : public lang::Scope {
 public:
  ChainScope(const storage::Kv& kv, const ChainId& chain, const lang::Program& program, const engine::ChainState& state);
  ~ChainScope() override;

  [[nodiscard]] Result<lang::JsonText> input() const override;
  [[nodiscard]] Result<lang::JsonText> state() const override;
  [[nodiscard]] const lang::StepView& step(StepIndex step) const override;
  [[nodiscard]] Result<lang::JsonText> local(lang::Root root) const override;

  /// The response that writes and shapes see.
  void set_response(lang::JsonText response) { response_ = std::move(response); }

 private:
  class View;
  const storage::Kv& kv_;
  const ChainId& chain_;
  const lang::Program& program_;
  const engine::ChainState& state_;
  std::optional<lang::JsonText> response_;
  mutable std::vector<std::unique_ptr<View>> views_;
};

/// True when evaluating the expressions of this step (or the chain's outputs) reads the store, so that what they read must be durable.
[[nodiscard]] bool reads_store(const lang::Program& program, const engine::ChainState& state, StepIndex step);
[[nodiscard]] bool outputs_read_store(const lang::Program& program, const engine::ChainState& state);

}  // namespace catena::coordinator
