#pragma once
// Whose children a fork shares: those of what had settled before it began belong to the chain that it was forked from.
#include <optional>
#include <vector>

#include "base/ids.hpp"
#include "engine/event.hpp"
#include "lang/program/program.hpp"
#include "storage/kv.hpp"

namespace catena::coordinator {

class ForkSources {
 public:
  /// In the order of the journal.
  void add(const engine::Event& event);
  [[nodiscard]] bool empty() const { return sources_.empty(); }
  /// The child of this task: that of the chain itself, or of the latest of its sources that has one. Nothing: none of them has it.
  [[nodiscard]] Result<std::optional<ChainId>> child(const storage::Kv& kv, const ChainId& chain, const lang::Step& step, VisitId visit,
                                                     ItemIndex item) const;
  /// Whether a chain was removed that the fork shares children of.
  [[nodiscard]] Result<bool> lost(const storage::Kv& kv) const;

 private:
  std::vector<ChainId> sources_;  // the latest last
};

/// Reads the history of the chain.
[[nodiscard]] Result<ForkSources> fork_sources(const storage::Kv& kv, const ChainId& chain);

}  // namespace catena::coordinator
