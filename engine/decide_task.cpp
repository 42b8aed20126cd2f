#include <fmt/format.h>

#include <algorithm>

#include "engine/decider.hpp"
#include "engine/retry.hpp"

namespace catena::engine {

void Decider::operator()(const Offer& input) {
  if (halted(state_) || !is_current(input.visit)) return;
  auto items = pick(step_of(input.visit), state_of(input.visit), input.items);
  if (items.empty()) return;
  emit(Granted{std::max(state_.last_grant, input.above) + 1, input.visit, input.worker, input.incarnation, std::move(items), at_});
}

void Decider::operator()(const Report& input) {
  const auto grant = state_.grants.find(input.grant);
  if (grant == state_.grants.end() || grant->second.incarnation != input.incarnation) return;
  const auto visit = grant->second.visit;
  std::vector<const ItemReport*> reported;
  IndexSet seen;
  for (const auto& item : input.items) {
    if (grant->second.open.contains(item.item) && seen.insert(item.item)) reported.push_back(&item);
  }
  if (reported.empty()) return;
  if (is_current(visit) && !owes_shape(step_of(visit), state_of(visit))) {
    settle_reported(input, visit, reported);
  } else {
    emit(AttemptsEnded{input.grant, visit, std::move(seen), Ended::cancelled, false, std::nullopt, at_});
  }
  wind_down();
}

void Decider::settle_reported(const Report& report, const VisitId& visit, const std::vector<const ItemReport*>& items) {
  IndexSet ok, bad, stopped, returned;
  std::optional<Error> why_returned;
  FirstFailure first;
  for (const auto* item : items) {
    for (const auto& warning : item->warnings) emit(Warned{visit, warning, at_});
  }
  for (const auto* item : items) {
    switch (item->outcome) {
      case Outcome::ok: ok.insert(item->item); break;
      case Outcome::cancelled: stopped.insert(item->item); break;
      case Outcome::returned:
        returned.insert(item->item);
        why_returned = item->error;
        break;
      case Outcome::failed: take_failure(report, *item, bad, first); break;
    }
  }
  // A stopped attempt may have happened, or half of it.
  const bool once = step_of(visit).effect == lang::EffectClass::at_most_once;
  if (!stopped.empty()) emit(AttemptsEnded{report.grant, visit, std::move(stopped), Ended::cancelled, once, std::nullopt, at_});
  if (!returned.empty()) emit(AttemptsEnded{report.grant, visit, std::move(returned), Ended::cancelled, false, why_returned, at_});
  if (ok.empty() && bad.empty()) return settle_items(visit);
  decision_.accepted.insert(ok);
  decision_.accepted.insert(bad);
  emit(ItemsSettled{report.grant, visit, ok, bad, first.error, at_, first.attempt});
  if (!state_of(visit).fan_out && !ok.empty()) {
    finish_plain(visit, *items.front());
  } else {
    settle_items(visit);
  }
}

namespace {

/// The attempt was cut off: nobody knows how far it got.
bool cut_off(const Error& error) { return error.code == Code::tool_timeout || error.code == Code::tool_killed || error.code == Code::worker_lost; }

}  // namespace

void Decider::take_failure(const Report& report, const ItemReport& item, IndexSet& bad, FirstFailure& first) {
  const auto visit = state_.grants.at(report.grant).visit;
  const auto& step = step_of(visit);
  if (item.error.code == Code::postponed) return postpone(report, visit, item);
  if (step.effect == lang::EffectClass::at_most_once && cut_off(item.error)) {
    emit(AttemptsEnded{report.grant, visit, IndexSet::one(item.item), Ended::lost, true, item.error, at_});
    return;
  }
  const auto& tries = state_of(visit).tries;
  const auto known = tries.find(item.item);
  const auto failed = (known == tries.end() ? 0 : known->second.failed) + 1;
  const auto seed = plan_.seed ^ (std::uint64_t{visit.step} << 32U) ^ item.item;
  const auto pause = next_attempt(step.retry, item.error, failed, seed);
  if (!pause) {
    bad.insert(item.item);
    if (!first.error) first = {item.error, failed};
    return;
  }
  emit(AttemptsEnded{report.grant, visit, IndexSet::one(item.item), Ended::failed, false, item.error, at_});
  emit(RetryArmed{visit, item.item, at_ + pause->count(), at_});
  if (!step.retry_counter.empty()) emit(StateWritten{visit.step, {{step.retry_counter, inline_payload(std::to_string(failed))}}, at_});
}

/// Nothing went wrong, so the policy is not asked.
void Decider::postpone(const Report& report, const VisitId& visit, const ItemReport& item) {
  const auto pause = postponement(step_of(visit).retry, item.error);
  emit(AttemptsEnded{report.grant, visit, IndexSet::one(item.item), Ended::postponed, false, item.error, at_});
  emit(RetryArmed{visit, item.item, at_ + pause.count(), at_});
}

void Decider::finish_plain(const VisitId& visit, const ItemReport& item) {
  if (!item.variables.empty()) emit(StateWritten{visit.step, item.variables, at_});
  settle_visit(visit, VisitStatus::completed, item.response, std::nullopt);
}

void Decider::operator()(const Resolve& input) {
  if (!is_current(input.visit) || !state_of(input.visit).in_doubt.contains(input.item)) return;
  if (owes_shape(step_of(input.visit), state_of(input.visit))) return;
  const auto items = IndexSet::one(input.item);
  if (const auto* response = std::get_if<Payload>(&input.outcome)) {
    decision_.accepted = items;
    emit(ItemsSettled{0, input.visit, items, {}, std::nullopt, at_});
    if (!state_of(input.visit).fan_out) {
      ItemReport report;
      report.response = *response;
      finish_plain(input.visit, report);
      return wind_down();
    }
  } else if (const auto* error = std::get_if<Error>(&input.outcome)) {
    decision_.accepted = items;
    emit(ItemsSettled{0, input.visit, {}, items, *error, at_});
  } else {
    emit(DoubtCleared{input.visit, items, at_});
  }
  settle_items(input.visit);
  wind_down();
}

}  // namespace catena::engine
