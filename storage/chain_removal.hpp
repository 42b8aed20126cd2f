#pragma once
// Takes a chain with all its descendants out of a store, in steps of bounded size. The first step takes the chain itself, whole, and all
// records of its descendants but their places in the index; where it has descendants, a mark stands in for it until they are gone too. So
// whenever the power fails, a chain is there whole, or is not there and the mark says what is left to do.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "storage/chain_summary.hpp"
#include "storage/kv.hpp"

namespace catena::storage {

/// What is left to do after a step.
enum class Removal : std::uint8_t { goes_on, over };

/// The first step: the chain of this summary.
[[nodiscard]] Result<Removal> begin_removal(const Kv& kv, Batch& batch, const ChainSummary& summary);
/// Up to `chains_max` descendants of a chain that is marked. To be called when what was added before is written.
[[nodiscard]] Result<Removal> continue_removal(const Kv& kv, Batch& batch, const ChainId& chain, std::size_t chains_max);

/// Chains that are marked.
[[nodiscard]] Result<std::vector<ChainId>> list_removals(const Kv& kv);
/// Without those whose records are being written in this opening of the store.
[[nodiscard]] Result<std::vector<ChainId>> list_left_removals(const Kv& kv);
[[nodiscard]] Result<bool> is_being_removed(const Kv& kv, const ChainId& chain);

/// Marks a chain whose records are written bit by bit before it is there. `epoch`: of the store. Until the mark is taken away, with the commit in
/// which the chain begins, all of them are left to be removed.
void put_unborn(Batch& batch, const ChainId& chain, std::uint64_t epoch);
void remove_unborn(Batch& batch, const ChainId& chain);

/// How many chains were removed from a store so far. Raised with each removal, so that a chain under an id that was used before can be told
/// from that one.
[[nodiscard]] Result<std::uint64_t> load_removal_count(const Kv& kv);
void put_removal_count(Batch& batch, std::uint64_t count);

}  // namespace catena::storage
