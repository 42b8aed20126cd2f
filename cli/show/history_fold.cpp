#include "cli/show/history_fold.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <vector>

#include "cli/console.hpp"
#include "cli/show/text.hpp"

namespace catena::cli {
namespace {

using coordinator::HistoryEvent;

constexpr std::array<std::string_view, 5> kFolded{"Granted", "AttemptsEnded", "ItemsSettled", "RetryArmed", "RetryReleased"};
constexpr std::size_t kWorkersNamed = 4;

bool folds(const HistoryEvent& event) { return event.fan_out && std::ranges::find(kFolded, event.kind) != kFolded.end(); }

std::string workers_text(const std::set<std::string>& workers) {
  std::vector<std::string> named;
  for (const auto& worker : workers) {
    if (named.size() < kWorkersNamed) named.push_back(worker);
  }
  const auto more = workers.size() > named.size() ? fmt::format(" and {} more", workers.size() - named.size()) : std::string{};
  return fmt::format("{}{}", fmt::join(named, ", "), more);
}

}  // namespace

std::string event_line(const HistoryEvent& event) { return fmt::format("{:>6}  {}  {}", event.sequence, iso8601(event.at), printable(event.text)); }

void HistoryFold::take(const HistoryEvent& event) {
  if (!folds(event)) {
    flush();
    return print_(event_line(event));
  }
  auto& group = groups_[{event.step, event.visit}];
  if (group.events++ == 0) group.first = event;
  group.last_at = event.at;
  if (group.problem.empty()) group.problem = event.problem;
  if (event.kind == "Granted") {
    ++group.grants;
    group.workers.insert(event.worker.value);
  } else if (event.kind == "ItemsSettled") {
    group.responded += event.items - event.failed;
    group.failed += event.failed;
  } else if (event.kind == "AttemptsEnded") {
    group.ended += event.items;
  }
}

void HistoryFold::flush() {
  std::vector<const Group*> order;
  for (const auto& [step, group] : groups_) order.push_back(&group);
  std::ranges::sort(order, {}, [](const Group* group) { return group->first.sequence; });
  for (const auto* group : order) print_(group->events == 1 ? event_line(group->first) : line_of(*group));
  groups_.clear();
}

std::string HistoryFold::line_of(const Group& group) {
  std::vector<std::string> words;
  if (group.grants > 0) words.push_back(fmt::format("{} to {}", counted(group.grants, "grant"), workers_text(group.workers)));
  if (group.responded > 0) words.push_back(fmt::format("{} responded", counted(group.responded, "item")));
  if (group.failed > 0) words.push_back(fmt::format("{} failed", counted(group.failed, "item")));
  if (group.ended > 0) words.push_back(fmt::format("{} ended without an outcome", counted(group.ended, "attempt")));
  const auto visit = group.first.visit > 1 ? fmt::format(" (visit {})", group.first.visit) : std::string{};
  const auto problem = group.problem.empty() ? std::string{} : "; the first: " + group.problem;
  return fmt::format("{:>6}  {}  {}", group.first.sequence, iso8601(group.first.at),
                     printable(fmt::format("step {}{}: {} ({} in {}){}", group.first.step, visit, fmt::join(words, ", "),
                                           counted(group.events, "event"), span_text(Millis{group.last_at - group.first.at}), problem)));
}

}  // namespace catena::cli
