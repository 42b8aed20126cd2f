#include "engine/items.hpp"

#include <algorithm>
#include <cmath>

namespace catena::engine {

std::uint32_t window_of(const lang::Step& step, const VisitState& visit) {
  if (!step.each) return UINT32_MAX;
  const bool amended = visit.terms && visit.terms->window && !step.each->carries;  // rounds come one after the other, whatever a person says
  const auto window = amended ? *visit.terms->window : step.each->window;
  return window == 0 ? UINT32_MAX : window;
}

lang::RetryPolicy retry_of(const lang::Step& step, const VisitState& visit) {
  auto policy = step.retry;
  if (visit.terms && visit.terms->attempts) policy.max_attempts = *visit.terms->attempts;
  return policy;
}

std::uint32_t grantable(const lang::Step& step, const VisitState& visit) {
  if (lang::signal_of(step) != nullptr) return 0;
  const auto window = window_of(step, visit);
  if (visit.status != VisitStatus::running || visit.in_flight >= window || verdict_of(step, visit) != Verdict::open) return 0;
  // A round takes over what the one before has left, so that one has to be settled, not merely out of flight.
  if (step.each && step.each->carries && (!visit.waiting.empty() || !visit.in_doubt.empty())) return 0;
  return std::min(window - visit.in_flight, visit.again.size() + (visit.width - visit.next));
}

IndexSet pick(const lang::Step& step, const VisitState& visit, std::uint32_t count) {
  count = std::min(count, grantable(step, visit));
  IndexSet again = visit.again;
  IndexSet picked = again.take(count);
  const auto fresh = std::min(count - picked.size(), visit.width - visit.next);
  picked.insert(IndexSet::range(visit.next, visit.next + fresh));
  return picked;
}

std::uint32_t tolerated(const lang::Step& step, const VisitState& visit) {
  if (!step.each) return 0;
  const auto width = visit.width;
  if (visit.terms && visit.terms->tolerates()) {
    constexpr std::uint64_t kWhole = 100'000;
    const auto share = std::uint64_t{visit.terms->tolerated_milli.value_or(0)} * width / kWhole;
    return std::max(visit.terms->tolerated.value_or(0), static_cast<std::uint32_t>(std::min<std::uint64_t>(share, width)));
  }
  auto count = step.each->tolerated;
  if (step.each->tolerated_percentage) {
    // Multiplied first: 29 % of 100 is 29, though 29 / 100.0 is less than 0.29.
    const auto share = std::floor(*step.each->tolerated_percentage * static_cast<double>(width) / 100.0);
    count = std::max(count, static_cast<std::uint32_t>(std::clamp(share, 0.0, static_cast<double>(width))));
  }
  return count;
}

Verdict verdict_of(const lang::Step& step, const VisitState& visit) {
  const auto ok = visit.ok.count();
  const auto bad = visit.bad.count();
  const bool all_settled = ok + bad == visit.width;
  const auto join = step.each ? step.each->join : lang::Join::all;
  const bool too_many_bad = bad > tolerated(step, visit);
  switch (join) {
    case lang::Join::all: {
      if (too_many_bad) return Verdict::failed;
      return all_settled ? Verdict::completed : Verdict::open;
    }
    case lang::Join::any: {
      if (too_many_bad) return Verdict::failed;
      return ok + bad > 0 || all_settled ? Verdict::completed : Verdict::open;
    }
    case lang::Join::first_success:
    case lang::Join::count: {
      const auto wanted = join == lang::Join::count ? std::min(step.each->join_count, visit.width) : std::min(1U, visit.width);
      if (ok >= wanted) return Verdict::completed;
      return visit.width - bad < wanted ? Verdict::failed : Verdict::open;
    }
  }
  return Verdict::open;
}

bool shapes_list(const lang::Step& step) { return step.each && (step.shape || step.gather); }

bool owes_shape(const lang::Step& step, const VisitState& visit) {
  return shapes_list(step) && visit.status == VisitStatus::running && verdict_of(step, visit) == Verdict::completed;
}

UnixMillis earliest_due(const VisitState& visit) {
  if (visit.waiting.empty()) return visit.deadline_at;
  const auto retry = visit.waiting.begin()->first;
  return visit.deadline_at == 0 ? retry : std::min(retry, visit.deadline_at);
}

}  // namespace catena::engine
