#pragma once
// A chain as its records tell it: checkpoint plus the tail of the journal, and the package that it pinned.
#include <functional>
#include <memory>
#include <vector>

#include "coordinator/summaries.hpp"
#include "engine/engine.hpp"
#include "lang/package/package.hpp"
#include "storage/chain_store.hpp"

namespace catena::coordinator {

struct Recovered {
  engine::ChainState state;
  storage::ChainSummary summary;
  Sequence checkpointed = 0;  // what the newest checkpoint has; 0: there is none
};

/// Folds the journal over the newest checkpoint. Errors: chain_not_found, storage_corrupt.
[[nodiscard]] Result<Recovered> recover_state(const storage::Kv& kv, const ChainId& chain);
/// Of a chain whose summary is at hand. Error: storage_corrupt.
[[nodiscard]] Result<Recovered> recover_state(const storage::Kv& kv, storage::ChainSummary summary);

/// What was written of the same chain since. Error: storage_corrupt.
[[nodiscard]] Result<void> catch_up(const storage::Kv& kv, Recovered& recovered);

/// The package a chain runs. Errors: storage_corrupt; whatever lowering it again says.
[[nodiscard]] Result<std::shared_ptr<const lang::Package>> recover_package(const storage::Kv& kv, const std::string& hash,
                                                                           const lang::Catalog& catalog);

/// The program of a package that a chain runs. Error: storage_corrupt, where its state does not fit it.
[[nodiscard]] Result<std::shared_ptr<const lang::Program>> program_of(const ChainId& chain, const engine::ChainState& state,
                                                                      const lang::Package& package);

/// Chains that a person started and that have not ended, but for those that were set aside; their children follow them.
[[nodiscard]] Result<std::vector<ChainId>> unfinished_chains(const storage::Kv& kv);

/// The chain's events in order, from one on.
[[nodiscard]] Result<void> read_history(const storage::Kv& kv, const ChainId& chain, const std::function<bool(Sequence, const engine::Event&)>& visit,
                                        Sequence from = 1);

}  // namespace catena::coordinator
