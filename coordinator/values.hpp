#pragma once
// What the expressions of a running chain see: its state, with fan-out results and large values read from the store. Holds no
// copies; valid while state and store are.
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/ids.hpp"
#include "engine/engine.hpp"
#include "lang/run/scope.hpp"
#include "storage/kv.hpp"

namespace catena::coordinator {

/// The text of a payload, wherever it is. Errors: storage_corrupt when its blob is missing.
[[nodiscard]] Result<lang::JsonText> read_payload(const storage::Kv& kv, const engine::Payload& payload);

/// The response of an item of a fan-out, as its ledger has it; null of one that failed or was not waited for.
[[nodiscard]] Result<lang::JsonText> read_item(const storage::Kv& kv, const ChainId& chain, VisitId visit, ItemIndex item);

/// Where an evaluation finds what the chain's state does not hold, and when it takes place: one time for all of it.
struct Sources {
  const storage::Kv& kv;
  const lang::FileReader* files = nullptr;
  UnixMillis now = 0;
};

class ChainScope final : public lang::Scope {
 public:
  ChainScope(const Sources& sources, const ChainId& chain, const lang::Program& program, const engine::ChainState& state);
  ~ChainScope() override;

  [[nodiscard]] Result<lang::JsonText> input() const override;
  [[nodiscard]] Result<std::optional<lang::JsonText>> variable(std::string_view name) const override;
  [[nodiscard]] std::vector<std::string> variable_names() const override;
  [[nodiscard]] const lang::StepView& step(StepIndex step) const override;
  [[nodiscard]] Result<lang::JsonText> local(lang::Root root) const override;
  [[nodiscard]] const lang::FileReader* files() const override { return sources_.files; }
  [[nodiscard]] UnixMillis now() const override { return sources_.now; }
  [[nodiscard]] const Sources& sources() const { return sources_; }
  [[nodiscard]] const engine::ChainState& state() const { return state_; }

  /// The response that writes and transform_responses see.
  void set_response(lang::JsonText response) { response_ = std::move(response); }
  /// A variable that was just written: the writes after it see it.
  void set_variable(const std::string& name, lang::JsonText value) { fresh_[name] = std::move(value); }

 private:
  class View;
  [[nodiscard]] Result<std::optional<lang::JsonText>> initial(const std::string& name) const;

  Sources sources_;
  const ChainId& chain_;
  const lang::Program& program_;
  const engine::ChainState& state_;
  std::optional<lang::JsonText> response_;
  std::map<std::string, lang::JsonText> fresh_;
  mutable std::optional<lang::JsonText> arguments_;           // read once
  mutable std::map<StepIndex, std::unique_ptr<View>> views_;  // of few steps: a scope is made for each evaluation, of one step of many
};

/// True when evaluating the expressions of this step (or the chain's outputs) reads the store, so that what they read must be durable.
/// Files count: reading them may take long.
[[nodiscard]] bool reads_store(const lang::Program& program, const engine::ChainState& state, StepIndex step);
/// The same of what is made of the response of a plain step: transform_responses, and what it writes.
[[nodiscard]] bool response_reads_store(const lang::Program& program, const engine::ChainState& state, StepIndex step);
[[nodiscard]] bool outputs_read_store(const lang::Program& program, const engine::ChainState& state);

}  // namespace catena::coordinator
