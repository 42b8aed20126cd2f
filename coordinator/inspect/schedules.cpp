// Schedules, a page at a time.
#include <fnmatch.h>

#include <algorithm>

#include "base/chain_labels.hpp"
#include "coordinator/inspect/inspector.hpp"
#include "coordinator/schedule_records.hpp"
#include "storage/schedule_store.hpp"

namespace catena::coordinator {
namespace {

constexpr std::uint32_t kDueTimesMax = 100;
constexpr std::uint32_t kSchedulesLookedAtMax = 2'000;
constexpr std::size_t kScheduleCost = 512;  // bytes beside its labels and runs

bool is_schedule_wanted(const std::string& name, const ScheduleSaid& said, const ListSchedules& ask) {
  if (!ask.namespace_.empty() && namespace_of(said.labels) != ask.namespace_) return false;
  if (!ask.pattern.empty() && ::fnmatch(ask.pattern.c_str(), name.c_str(), 0) != 0) return false;
  return has_labels(said.labels, ask.labels);
}

std::size_t bytes_of_schedule(const ScheduleRow& row) {
  const auto& state = row.state;
  auto bytes = kScheduleCost + state.active.size() * sizeof(engine::ScheduledRun) + state.plan.cron.size() + state.pause_reason.size();
  for (const auto& run : state.past) bytes += sizeof(run) + run.error.size();
  for (const auto& [key, value] : row.labels) bytes += key.size() + value.size();
  return bytes;
}

}  // namespace

Result<SchedulePage> Inspector::answer(const ListSchedules& ask) {
  SchedulePage page;
  const auto most = page_rows(ask.limit);
  std::size_t bytes = 0;
  std::uint32_t looked_at = 0;
  std::string last;
  const auto scanned = storage::scan_schedules(kv_, ask.after, [&](std::string_view name, const Result<std::string_view>& record) {
    if (page.rows.size() == most || bytes > kPageBytesMax || looked_at == kSchedulesLookedAtMax) {
      page.next = last;
      return false;
    }
    ++looked_at;
    last = name;
    const auto said = record ? read_said(name, *record) : Result<ScheduleSaid>{fail(record.error())};
    auto state = said ? load_standing(kv_, name) : Result<std::optional<engine::ScheduleState>>{fail(said.error())};
    if (!state) {  // of no namespace that anybody knows of
      if (ask.namespace_.empty() && ask.labels.empty()) page.rows.push_back({.name = last, .problem = state.error().message});
      return true;
    }
    if (!*state || !is_schedule_wanted(last, *said, ask)) return true;
    page.rows.push_back(schedule_row(name, *said, std::move(**state), clock_.now(), 1));
    bytes += bytes_of_schedule(page.rows.back());
    return true;
  });
  if (!scanned) return fail(scanned.error());
  return page;
}

Result<ScheduleTold> Inspector::answer(const ReadSchedule& ask) {
  auto said = load_said(kv_, ask.name);
  if (!said) return fail(said.error());
  if (!*said || (!ask.namespace_.empty() && namespace_of((*said)->labels) != ask.namespace_)) return ScheduleTold{};
  auto state = load_standing(kv_, ask.name);
  if (!state) return fail(state.error());
  if (!*state) return ScheduleTold{};
  auto row = schedule_row(ask.name, **said, std::move(**state), clock_.now(), std::min(ask.due_times, kDueTimesMax));
  row.arguments = std::move((*said)->arguments);
  row.context = std::move((*said)->context);
  return ScheduleTold{std::move(row)};
}

}  // namespace catena::coordinator
