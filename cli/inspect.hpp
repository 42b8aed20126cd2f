#pragma once
// Chains as their records tell them, read beside whatever process runs them.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "coordinator/recover.hpp"
#include "storage/rocks_kv.hpp"

namespace catena::cli {

/// The store, to read from. Nothing where no chain was ever run.
[[nodiscard]] Result<std::shared_ptr<const storage::Kv>> open_to_read(const std::string& data_dir);

/// The process that runs the chains of a data directory, in words; nothing where there is none.
[[nodiscard]] std::optional<std::string> owner_of(const std::string& data_dir);

/// A chain with its package, where that can be read: what is known of a chain is shown even when the package is damaged.
struct Inspected {
  std::shared_ptr<const storage::Kv> kv;
  ChainId chain;
  coordinator::Recovered recovered;
  std::shared_ptr<const lang::Package> package;  // null: see `package_error`
  std::optional<Error> package_error;

  /// Of this chain; null without a package.
  [[nodiscard]] const lang::Program* program() const;
};
/// `kv` null: there is no chain. Errors: chain_not_found, with the nearest id there is.
[[nodiscard]] Result<Inspected> inspect(std::shared_ptr<const storage::Kv> kv, const ChainId& chain);

[[nodiscard]] Error chain_not_found(const storage::Kv* kv, const ChainId& chain);

/// The step's id; "#3" without a program.
[[nodiscard]] std::string step_id(const lang::Program* program, StepIndex step);

/// One row a step.
struct StepRow {
  std::string id;
  engine::VisitStatus status = engine::VisitStatus::blocked;
  Visit visit = 0;
  bool fan_out = false;
  std::uint32_t items = 0;
  std::uint32_t ok = 0;
  std::uint32_t failed = 0;
  UnixMillis entered_at = 0;
  UnixMillis settled_at = 0;
  std::optional<Error> error;
};
[[nodiscard]] std::vector<StepRow> step_rows(const engine::ChainState& state, const lang::Program* program);
[[nodiscard]] Json to_json(const StepRow& row);

/// Attempts granted so far, by step; from the journal.
[[nodiscard]] Result<std::vector<std::uint64_t>> attempts_by_step(const storage::Kv& kv, const ChainId& chain, std::size_t steps);

/// What a chain that has not ended waits for, in words; one line each.
[[nodiscard]] std::vector<std::string> waits_for(const engine::ChainState& state, const lang::Program* program, const ChainId& chain, UnixMillis now);

/// Nothing moves this chain, nor any it waits for, before a person resolves what is in doubt: those items, as `CHAIN STEP[/INDEX]`. Empty
/// when something still moves.
[[nodiscard]] Result<std::vector<std::string>> waits_for_person(const storage::Kv& kv, const ChainId& chain, const lang::Catalog& catalog);

}  // namespace catena::cli
