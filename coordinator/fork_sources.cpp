#include "coordinator/fork_sources.hpp"

#include <ranges>
#include <variant>

#include "coordinator/recover.hpp"
#include "coordinator/step_actor.hpp"
#include "storage/chain_store.hpp"

namespace catena::coordinator {

void ForkSources::add(const engine::Event& event) {
  if (const auto* forked = std::get_if<engine::ChainForked>(&event)) sources_.push_back(forked->source);
}

Result<std::optional<ChainId>> ForkSources::child(const storage::Kv& kv, const ChainId& chain, const lang::Step& step, VisitId visit,
                                                  ItemIndex item) const {
  const auto found = [&](const ChainId& owner) -> Result<std::optional<ChainId>> {
    ChainId child{task_key(owner, step, visit, item)};
    const auto summary = storage::load_summary(kv, child);
    if (!summary) return fail(summary.error());
    return *summary ? std::optional{std::move(child)} : std::nullopt;
  };
  if (auto own = found(chain); !own || *own) return own;
  for (const auto& source : sources_ | std::views::reverse) {
    if (auto shared = found(source); !shared || *shared) return shared;
  }
  return std::optional<ChainId>{};
}

Result<bool> ForkSources::lost(const storage::Kv& kv) const {
  for (const auto& source : sources_) {
    const auto summary = storage::load_summary(kv, source);
    if (!summary) return fail(summary.error());
    if (!*summary) return true;
  }
  return false;
}

Result<ForkSources> fork_sources(const storage::Kv& kv, const ChainId& chain) {
  ForkSources sources;
  const auto read = read_history(kv, chain, [&](Sequence, const engine::Event& event) {
    sources.add(event);
    return true;
  });
  if (!read) return fail(read.error());
  return sources;
}

}  // namespace catena::coordinator
