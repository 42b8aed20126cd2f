#pragma once
// What a fork begins with: the history of a chain up to an event, what it comes to, and what runs it. Reads the store, and writes nothing.
#include <functional>
#include <memory>
#include <optional>

#include "actors/fork_wish.hpp"
#include "coordinator/recover.hpp"
#include "engine/fork.hpp"
#include "lang/document/json_text.hpp"

namespace catena::coordinator {

struct ForkBase {
  storage::ChainSummary summary;  // of the source, as it is now
  Sequence shared = 0;            // the last event that the fork has, too
  engine::ChainState state;       // by then
  std::shared_ptr<const lang::Package> package;
  std::shared_ptr<const lang::Program> program;
  std::optional<StepIndex> step;            // that it goes back to
  std::optional<lang::JsonText> arguments;  // in place of those that the source has

  /// That a person had given the source by then, or that it has now.
  [[nodiscard]] std::int32_t priority() const { return state.priority.value_or(priority_of(summary)); }
};

/// Gives the package of a hash. Errors: those of recover_package.
using PackageOf = std::function<Result<std::shared_ptr<const lang::Package>>(const std::string& hash)>;

/// Errors: chain_not_found; usage, where the wish names no place or no such step; chain_state, where nothing can begin there, or the results are not
/// kept that a fork would share; those of check_arguments.
[[nodiscard]] Result<ForkBase> read_fork(const storage::Kv& kv, const PackageOf& package_of, const ChainId& source, const actors::ForkWish& wish);

/// That results which the fork shares are still those that they were: a retry may have run items of a visit again since. Error: chain_state.
[[nodiscard]] Result<void> check_results_kept(const storage::Kv& kv, const ForkBase& base);

}  // namespace catena::coordinator
