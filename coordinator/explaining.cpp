#include "coordinator/explaining.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>
#include <utility>

#include "coordinator/sender.hpp"

namespace catena::coordinator {
namespace {

engine::Reason admission_closed(const SupervisorState& state) { return {.code = engine::ReasonCode::admission_closed, .text = state.memory.words()}; }

}  // namespace

actors::AskExplain with_admission(const SupervisorState& state, actors::AskExplain ask) {
  if (state.memory.closed()) ask.reasons.push_back(admission_closed(state));
  return ask;
}

actors::Explained explained_at_rest(const SupervisorState& state, const actors::AskExplain& ask) {
  actors::Explained answer{ask.chain, ask.reasons};
  if (state.deferred.contains(ask.chain)) {
    answer.reasons.push_back(admission_closed(state));
  } else {
    answer.reasons.push_back({.code = engine::ReasonCode::not_running});
  }
  engine::arrange(answer.reasons);
  return answer;
}

void pass_queue_on(SupervisorSelf self, actors::AskQueue ask) {
  auto& state = self->state;
  ask.asker = sender_of(*self);
  if (!state.deferred.empty()) {
    auto& group = ask.groups.emplace_back(actors::QueueGroup{.reason = admission_closed(state), .chains = state.deferred.size()});
    for (const auto& [chain, deferred] : state.deferred) {
      if (group.some.size() == actors::kQueueExamples) break;
      group.some.push_back(family_of(chain));
    }
  }
  if (!state.memory.closed()) {
    for (const auto& family : state.families.waiting()) {
      engine::Reason reason{.code = engine::ReasonCode::family_limit, .chain = family.family};
      ask.groups.push_back({.reason = std::move(reason), .chains = family.chains, .orders = 0, .some = {family.family}});
    }
  }
  self->send(state.services->dispatcher, std::move(ask));
}

}  // namespace catena::coordinator
