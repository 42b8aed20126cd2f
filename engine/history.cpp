#include "engine/history.hpp"

#include <algorithm>

#include "base/overloads.hpp"

namespace catena::engine {

std::string_view name(Tried tried) {
  switch (tried) {
    case Tried::success: return "success";
    case Tried::failed: return "failed";
    case Tried::lost: return "lost";
    case Tried::cancelled: return "cancelled";
    case Tried::skipped: return "skipped";
  }
  return "?";
}

HistoryEntry& History::add(const VisitId& visit, Tried status, UnixMillis at) {
  const auto& open = open_[visit];
  auto& entry = entries_.emplace_back();
  entry.visit = visit;
  entry.attempt = open.ended + 1;
  entry.status = status;
  entry.fan_out = open.fan_out;
  entry.width = open.width;
  entry.ok = open.ok;
  entry.at = at;
  return entry;
}

void History::add(const Event& event) {
  std::visit(Overloads{
                 [this](const ItemsExpanded& expanded) {
                   auto& open = open_[expanded.visit];
                   open.fan_out = true;
                   open.width = expanded.width;
                 },
                 [this](const VisitSkipped& skipped) { add(skipped.visit, Tried::skipped, skipped.at).settles = true; },
                 [this](const AttemptsEnded& ended) { add_ended(ended); },
                 [this](const ItemsSettled& items) { add_items(items); },
                 [this](const VisitSettled& settled) { add_settled(settled); },
                 [](const OneOf<ChainStarted, VisitEntered, Warned, Granted, RetryArmed, RetryReleased, DoubtCleared, StateWritten, Jumped,
                                PauseChanged, Amended, CancelRequested, RetryRequested, ChainFailing, ChainFinished, ChainQuarantined, ItemsGiven,
                                SignalReceived, SignalConsumed, ApprovalAsked, ApprovalAnswered, ChainForked> auto&) {},
             },
             event);
}

void History::add_ended(const AttemptsEnded& ended) {
  auto& open = open_[ended.visit];
  if (open.fan_out || (ended.how != Ended::failed && ended.how != Ended::lost)) return;
  add(ended.visit, ended.how == Ended::failed ? Tried::failed : Tried::lost, ended.at).error = ended.error;
  ++open.ended;
}

void History::add_items(const ItemsSettled& items) {
  auto& open = open_[items.visit];
  open.ok += items.ok.size();
  if (open.fan_out || items.bad.empty()) return;
  auto& entry = add(items.visit, Tried::failed, items.at);
  entry.error = items.error;
  entry.settles = open.told = true;
  ++open.ended;
}

void History::add_settled(const VisitSettled& settled) {
  if (!open_[settled.visit].told) {
    const auto status = settled.status == VisitStatus::completed ? Tried::success
                        : settled.status == VisitStatus::failed  ? Tried::failed
                                                                 : Tried::cancelled;
    auto& entry = add(settled.visit, status, settled.at);
    entry.response = settled.response;
    entry.error = settled.error;
    entry.settles = true;
    if (status == Tried::failed) ++open_[settled.visit].ended;
  }
  open_[settled.visit].told = false;
}

std::vector<const HistoryEntry*> History::outcomes() const {
  std::map<VisitId, const HistoryEntry*> last;
  for (const auto& entry : entries_) {
    if (entry.settles) last[entry.visit] = &entry;
  }
  std::vector<const HistoryEntry*> outcomes;
  for (const auto& entry : entries_) {
    if (entry.settles && last.at(entry.visit) == &entry) outcomes.push_back(&entry);
  }
  return outcomes;
}

}  // namespace catena::engine
