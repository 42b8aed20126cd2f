#include <fmt/format.h>

#include <algorithm>

#include "base/overloads.hpp"
#include "engine/decider.hpp"
#include "engine/repair.hpp"
#include "engine/retry.hpp"

namespace catena::engine {

void Decider::operator()(const Offer& input) {
  if (!is_current(input.visit) || halted(prepared_, state_, input.visit.step)) return;
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
  IndexSet ok, stopped, returned;
  std::optional<Error> why_returned;
  Failures failures;
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
      case Outcome::failed: add_failure(report, *item, failures); break;
    }
  }
  emit_failures(visit, failures);
  // A stopped attempt may have happened, or half of it.
  const bool once = step_of(visit).effect == lang::EffectClass::at_most_once;
  if (!stopped.empty()) emit(AttemptsEnded{report.grant, visit, std::move(stopped), Ended::cancelled, once, std::nullopt, at_});
  if (!returned.empty()) emit(AttemptsEnded{report.grant, visit, std::move(returned), Ended::cancelled, false, why_returned, at_});
  const auto& bad = failures.bad;
  if (ok.empty() && bad.empty()) return settle_items(visit);
  decision_.accepted.insert(ok);
  decision_.accepted.insert(bad);
  emit(ItemsSettled{report.grant, visit, ok, bad, failures.error, at_, failures.attempt});
  if (!state_of(visit).fan_out && !ok.empty()) {
    finish_plain(visit, *items.front());
  } else {
    settle_items(visit);
  }
}

namespace {

/// The attempt was cut off, or its tool says the same of itself: nobody knows how far it got.
bool cut_off(const Error& error) {
  return error.code == Code::tool_timeout || error.code == Code::tool_killed || error.code == Code::worker_lost || error.code == Code::in_doubt;
}

}  // namespace

void Decider::add_failure(const Report& report, const ItemReport& item, Failures& failures) {
  const auto visit = state_.grants.at(report.grant).visit;
  const auto& step = step_of(visit);
  if (item.error.code == Code::postponed) {  // nothing went wrong, so the policy is not asked
    failures.after[item.item] = postponement(step.retry, item.error).count();
    return add_ended(report, visit, item, Ended::postponed, false, failures);
  }
  if (step.effect == lang::EffectClass::at_most_once && cut_off(item.error)) return add_ended(report, visit, item, Ended::lost, true, failures);
  const auto& tries = state_of(visit).tries;
  const auto known = tries.find(item.item);
  const auto failed = (known == tries.end() ? 0 : known->second.failed) + 1;
  // What failed together is tried again together: it came in one order, and may go in one.
  if (!failures.first) failures.first = item.item;
  const auto seed = prepared_.seed ^ (std::uint64_t{visit.step} << 32U) ^ *failures.first;
  const auto pause = next_attempt(retry_of(step, state_of(visit)), item.error, failed, seed);
  if (!pause) {
    failures.bad.insert(item.item);
    if (!failures.error) {
      failures.error = item.error;
      failures.attempt = failed;
    }
    return;
  }
  failures.after[item.item] = pause->count();
  failures.last_count = failed;
  add_ended(report, visit, item, Ended::failed, false, failures);
}

/// One event for all of a report that ended alike, however many.
void Decider::add_ended(const Report& report, const VisitId& visit, const ItemReport& item, Ended how, bool in_doubt, Failures& failures) {
  const auto alike = std::ranges::find_if(failures.ended, [&](const AttemptsEnded& ended) {
    return ended.how == how && ended.in_doubt == in_doubt && ended.error->code == item.error.code;
  });
  if (alike == failures.ended.end()) {
    failures.ended.push_back({report.grant, visit, IndexSet::one(item.item), how, in_doubt, item.error, 0});
    return;
  }
  if (item.item < alike->items.ranges().front().first) alike->error = item.error;
  alike->items.insert(item.item);
}

void Decider::emit_failures(const VisitId& visit, Failures& failures) {
  for (auto& ended : failures.ended) {
    ended.at = at_;
    emit(std::move(ended));
  }
  if (!failures.after.empty()) {
    RetryArmed armed{visit, {}, {}, at_};
    for (const auto& [item, after] : failures.after) {
      armed.items.insert(item);
      armed.after.push_back(after);
    }
    emit(std::move(armed));
  }
  const auto& counter = step_of(visit).retry_counter;
  if (!counter.empty() && failures.last_count) emit(StateWritten{visit.step, {{counter, inline_payload(std::to_string(*failures.last_count))}}, at_});
}

void Decider::finish_plain(const VisitId& visit, const ItemReport& item) {
  if (!item.variables.empty()) emit(StateWritten{visit.step, item.variables, at_});
  settle_visit(visit, VisitStatus::completed, item.response, std::nullopt);
}

void Decider::operator()(const Resolve& input) {
  if (!is_current(input.visit)) return;
  const auto items = both(input.items, state_of(input.visit).in_doubt);
  if (items.empty()) return;
  if (owes_shape(step_of(input.visit), state_of(input.visit))) return;
  std::visit(Overloads{
                 [&](const Payload& response) {
                   decision_.accepted = items;
                   emit(ItemsSettled{0, input.visit, items, {}, std::nullopt, at_, 0, input.by, input.reason});
                   if (state_of(input.visit).fan_out) return settle_items(input.visit);
                   ItemReport report;
                   report.response = response;
                   finish_plain(input.visit, report);
                 },
                 [&](const Error& error) {
                   decision_.accepted = items;
                   emit(ItemsSettled{0, input.visit, {}, items, error, at_, 0, input.by, input.reason});
                   settle_items(input.visit);
                 },
                 [&](const std::monostate&) {
                   emit(DoubtCleared{input.visit, items, at_, input.by, input.reason});
                   settle_items(input.visit);
                 },
             },
             input.outcome);
  wind_down();
}

namespace {

IndexSet without_response(const VisitState& visit, const IndexSet& items) {
  if (!visit.fan_out) return visit.status == VisitStatus::completed ? IndexSet{} : IndexSet::one(0);
  IndexSet without;
  items.for_each([&](ItemIndex item) {
    if (item < visit.width && !visit.ok.test(item)) without.insert(item);
  });
  return without;
}

}  // namespace

std::optional<Retry> opening_of(const ChainState& state, const Substitute& input) {
  const auto& visit = state.steps[input.step];
  IndexSet failed;
  if (!visit.fan_out) {
    if (visit.status == VisitStatus::failed) failed = IndexSet::one(0);
  } else if (IndexSet::range(0, visit.width).contains(input.items)) {
    input.items.for_each([&](ItemIndex item) {
      if (settled(visit.status) ? !visit.ok.test(item) : visit.bad.test(item)) failed.insert(item);
    });
  }
  if (failed.empty()) return std::nullopt;
  return Retry{.items = {{input.step, std::move(failed)}}, .failures_stand = true, .reason = input.reason, .by = input.by};
}

void Decider::operator()(const Substitute& input) {
  if (input.step >= state_.steps.size()) return;
  if (state_.status == ChainStatus::failed || state_.status == ChainStatus::cancelled) {
    if (without_response(state_.steps[input.step], input.items).empty()) return;
    Retry retry{.reason = input.reason, .by = input.by};
    const auto planned = plan_repair(prepared_, state_, retry);
    if (std::ranges::none_of(planned, [&](const StepRepair& repair) { return repair.step == input.step; })) retry.items[input.step] = input.items;
    (*this)(retry);
  } else if (const auto opening = opening_of(state_, input)) {
    (*this)(*opening);
  }
  if (terminal(state_.status) || is_cut_off(prepared_, state_, input.step)) return;
  const auto& visit = state_.steps[input.step];
  if (visit.status == VisitStatus::running && visit.fan_out) {
    give_items({input.step, visit.visit}, input);
  } else {
    give_step(input);
  }
  wind_down();
}

void Decider::give_items(const VisitId& id, const Substitute& input) {
  const auto& step = step_of(id);
  const auto& visit = state_of(id);
  if (owes_shape(step, visit) || (step.each && step.each->carries)) return;
  auto given = without_response(visit, input.items);
  for (const auto& [number, grant] : state_.grants) {
    if (grant.visit == id) given.erase(grant.open);
  }
  if (given.empty()) return;
  decision_.accepted = given;
  emit(ItemsGiven{id, std::move(given), at_, input.by, input.reason});
  settle_items(id);
}

/// Of a plain step. What is on its way is stopped, as it is of no use any more.
void Decider::give_step(const Substitute& input) {
  const auto& visit = state_.steps[input.step];
  VisitId id{input.step, visit.visit};
  if (visit.status != VisitStatus::running) {
    if (step_of(id).each || halted(prepared_, state_, input.step) || !gate_open(prepared_, state_, input.step)) return;
    ++id.visit;
    emit(VisitEntered{id, {}, 0, at_});
  }
  if (!input.variables.empty()) emit(StateWritten{input.step, input.variables, at_});
  settle_visit(id, VisitStatus::completed, input.response, std::nullopt, &input);
}

}  // namespace catena::engine
