#include "coordinator/ended_states.hpp"

#include <algorithm>
#include <utility>

namespace catena::coordinator {
namespace {

constexpr std::size_t kStatesKept = 64;
constexpr std::size_t kStepsKept = 16;
constexpr std::size_t kTextKept = 16UL << 10U;  // bytes of one state, about

bool is_small(const engine::ChainState& state) {
  if (state.steps.size() > kStepsKept) return false;
  auto bytes = state.arguments.text.size() + state.context.text.size() + state.response.text.size();
  for (const auto& [name, variable] : state.variables) bytes += variable.text.size();
  for (const auto& step : state.steps) {
    if (step.fan_out || step.former) return false;
    bytes += step.arguments.text.size() + step.response.text.size();
  }
  return bytes <= kTextKept;
}

}  // namespace

void EndedStates::put(const ChainId& chain, const engine::ChainState& state, const storage::ChainSummary& summary, Sequence checkpointed,
                      std::uint64_t removals) {
  if (!is_small(state)) return drop(chain);
  Ended ended{removals, {state, summary, checkpointed}};
  std::optional<Ended> oldest;  // freed without the lock
  const std::scoped_lock lock{mutex_};
  std::erase_if(ended_, [&](const Ended& known) { return known.recovered.summary.id == chain; });
  ended_.push_front(std::move(ended));
  if (ended_.size() <= kStatesKept) return;
  oldest = std::move(ended_.back());
  ended_.pop_back();
}

void EndedStates::drop(const ChainId& chain) {
  const std::scoped_lock lock{mutex_};
  std::erase_if(ended_, [&](const Ended& known) { return known.recovered.summary.id == chain; });
}

std::optional<Recovered> EndedStates::find(const ChainId& chain, std::uint64_t removals) const {
  const std::scoped_lock lock{mutex_};
  const auto found = std::ranges::find(ended_, chain, [](const Ended& known) -> const ChainId& { return known.recovered.summary.id; });
  if (found == ended_.end() || found->removals != removals) return std::nullopt;
  return found->recovered;
}

}  // namespace catena::coordinator
