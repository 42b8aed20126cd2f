#include "coordinator/queue_told.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <unordered_set>

namespace catena::coordinator {
namespace {

using engine::Reason;
using engine::ReasonCode;

constexpr std::size_t kHoldersNamed = 3;
constexpr std::size_t kGroupsMost = 200;

/// Who has tickets of those workers: "held by chain 'a' (3), 'b' (1)".
std::string holders_text(const DispatcherState& state, const std::vector<std::string>& names) {
  const std::unordered_set<std::string_view> workers{names.begin(), names.end()};
  std::map<ChainId, std::uint64_t> held;
  for (const auto& [chain, holder] : state.chains) {
    for (const auto& [worker, tickets] : holder.lent) {
      if (workers.contains(worker.first.value)) held[holder.family] += tickets;
    }
  }
  std::vector<std::pair<ChainId, std::uint64_t>> most{held.begin(), held.end()};
  std::ranges::stable_sort(most, std::greater{}, [](const auto& row) { return row.second; });
  std::string text;
  for (std::size_t row = 0; row < std::min(most.size(), kHoldersNamed); ++row)
    text += fmt::format("{}'{}' ({})", row == 0 ? "held by chain " : ", ", most[row].first.value, most[row].second);
  if (most.size() > kHoldersNamed) text += fmt::format(" and {} more", most.size() - kHoldersNamed);
  return text;
}

/// A want that has room has its turn in a moment.
Reason reason_of(const DispatcherState& state, engine::WantKey key) {
  auto reason = state.placement.explain(key).value_or(Reason{.code = ReasonCode::placing});
  if (reason.code == ReasonCode::workers_busy) reason.text = holders_text(state, reason.names);
  return reason;
}

/// Each need is looked at once.
const Reason& reason_by_need(const DispatcherState& state, engine::WantKey key, std::map<engine::Need, Reason>& known) {
  const auto& need = state.placement.want(key)->need;
  const auto there = known.find(need);
  return there != known.end() ? there->second : known.emplace(need, reason_of(state, key)).first->second;
}

}  // namespace

actors::Explained explained(const DispatcherState& state, const actors::ExplainWants& ask, const caf::actor_addr& chain) {
  actors::Explained answer{ask.ask.chain, ask.ask.reasons};
  const auto holder = state.chains.find(chain);
  std::map<engine::Need, Reason> by_need;  // many visits need the same
  for (const auto& [visit, step] : ask.visits) {
    if (holder == state.chains.end()) break;
    const auto want = holder->second.wants.find(visit);
    if (want == holder->second.wants.end()) continue;
    auto reason = reason_by_need(state, want->second, by_need);
    reason.step = step;
    answer.reasons.push_back(std::move(reason));
  }
  engine::arrange(answer.reasons);
  return answer;
}

actors::Queue queue_of(const DispatcherState& state, const actors::AskQueue& ask) {
  struct Grouped {
    actors::QueueGroup group;
    std::set<caf::actor_addr> chains;
  };
  std::map<engine::Need, Reason> by_need;  // many wants need the same
  std::map<std::pair<ReasonCode, std::string>, Grouped> groups;
  for (const auto& [key, want] : state.wants) {
    const auto* asked = state.placement.want(key);
    if (asked == nullptr) continue;
    const auto& reason = reason_by_need(state, key, by_need);
    auto& grouped = groups[{reason.code, engine::words(reason, {})}];
    auto& group = grouped.group;
    group.reason = reason;
    group.orders += asked->wanted;
    if (!grouped.chains.insert(want.chain).second) continue;
    ++group.chains;
    const auto& family = state.chains.at(want.chain).family;
    if (group.some.size() < actors::kQueueExamples && std::ranges::find(group.some, family) == group.some.end()) group.some.push_back(family);
  }
  actors::Queue told{ask.groups};
  for (auto& [reason, grouped] : groups) told.groups.push_back(std::move(grouped.group));
  std::ranges::stable_sort(told.groups, [](const actors::QueueGroup& a, const actors::QueueGroup& b) {
    return std::pair{a.reason.code, b.chains} < std::pair{b.reason.code, a.chains};
  });
  if (told.groups.size() > kGroupsMost) told.groups.resize(kGroupsMost);
  return told;
}

}  // namespace catena::coordinator
