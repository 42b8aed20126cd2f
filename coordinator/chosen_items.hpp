#pragma once
// Which failed items a person's expression chooses.
#include "actors/repair_wish.hpp"
#include "base/ids.hpp"
#include "base/time.hpp"
#include "engine/state.hpp"
#include "lang/package/package.hpp"
#include "storage/kv.hpp"

namespace catena::coordinator {

/// Failed items that are read for one expression.
inline constexpr std::uint32_t kItemsChosenFromMax = 200'000;

/// A chain, what it ran, and where its items are.
struct ChooseFrom {
  const ChainId& chain;
  const engine::ChainState& state;
  const lang::Package& had;
  const storage::Kv& kv;
  UnixMillis now = 0;
};

/// Nothing where the wish has no expression, or the chain cannot be repaired. Else adds to its items those for which its expression holds. It sees
/// `error`, `step` and `item`; where it comes upon something that is not there, it does not hold. Rounds that go on from one another, and steps of a
/// sequence that has gone on behind them, are passed over, as by `only_failed`. Errors: those of the expression; usage (`only_failed` too; more
/// failed items than it may choose from); chain_state (it holds for none, or for too few of a step that failed); those of the store.
[[nodiscard]] Result<void> add_chosen(actors::RepairWish& wish, const ChooseFrom& from);

}  // namespace catena::coordinator
