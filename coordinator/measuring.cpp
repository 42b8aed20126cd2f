#include "coordinator/measuring.hpp"

#include "base/overloads.hpp"
#include "coordinator/node_info.hpp"
#include "coordinator/supervisor.hpp"

namespace catena::coordinator {
namespace {

// Indices of labels' values: base/metrics.cpp has their words.
enum OfOutcome : std::size_t { kSucceeded, kFailed };
enum OfAttempt : std::size_t { kAttemptSucceeded, kAttemptFailed, kAttemptLost, kAttemptCancelled, kAttemptPostponed };
constexpr std::size_t kLost = 3;  // behind engine::NodeState

std::size_t index_of(engine::ChainStatus status) {
  return static_cast<std::size_t>(status) - static_cast<std::size_t>(engine::ChainStatus::succeeded);
}
std::size_t index_of(engine::VisitStatus status) {
  return static_cast<std::size_t>(status) - static_cast<std::size_t>(engine::VisitStatus::completed);
}
std::size_t index_of(engine::Ended how) {
  switch (how) {
    case engine::Ended::failed: return kAttemptFailed;
    case engine::Ended::lost: return kAttemptLost;
    case engine::Ended::cancelled: return kAttemptCancelled;
    case engine::Ended::postponed: return kAttemptPostponed;
  }
  return kAttemptFailed;
}

class EventCounter {
 public:
  EventCounter(Metrics& metrics, const engine::ChainState& state, const ChainId& chain) : metrics_{metrics}, state_{state}, chain_{chain} {}

  void operator()(const engine::ChainStarted& event) { metrics_.add(Metric::chains_started, 1, event.parent.value.empty() ? 0 : 1); }
  void operator()(const engine::ChainForked&) { metrics_.add(Metric::chains_started, 1, 0); }
  void operator()(const engine::ChainFinished& event) {
    metrics_.add(Metric::chains_ended, 1, index_of(event.status));
    metrics_.observe_of(chain_.value, Metric::chain_duration, micros(event.at - state_.started_at), event.at, [this] {
      auto trace = chain_trace(chain_, state_.started_at, state_.trace.get(), state_.trace_part);
      return (trace.flags & kTraceSampled) != 0 ? std::move(trace.id) : std::string{};
    });
  }
  void operator()(const engine::ChainQuarantined&) { metrics_.add(Metric::chains_quarantined); }
  void operator()(const engine::VisitSkipped&) { metrics_.add(Metric::steps_settled, 1, index_of(engine::VisitStatus::skipped)); }
  void operator()(const engine::VisitSettled& event) {
    metrics_.add(Metric::steps_settled, 1, index_of(event.status));
    const auto& visit = state_.steps[event.visit.step];
    if (visit.visit == event.visit.visit && visit.entered_at != 0) metrics_.observe(Metric::step_duration, micros(event.at - visit.entered_at));
  }
  void operator()(const engine::Granted& event) { metrics_.add(Metric::attempts_granted, event.items.size()); }
  void operator()(const engine::ItemsSettled& event) {
    metrics_.add(Metric::items_settled, event.ok.size(), kSucceeded);
    metrics_.add(Metric::items_settled, event.bad.size(), kFailed);
    if (event.grant == 0) return;  // a person said so, and no attempt did
    metrics_.add(Metric::attempts_ended, event.ok.size(), kAttemptSucceeded);
    metrics_.add(Metric::attempts_ended, event.bad.size(), kAttemptFailed);
  }
  void operator()(const engine::AttemptsEnded& event) {
    metrics_.add(Metric::attempts_ended, event.items.size(), index_of(event.how));
    if (event.in_doubt) metrics_.add(Metric::attempts_in_doubt, event.items.size());
  }
  void operator()(const engine::RetryArmed& event) { metrics_.add(Metric::retries, event.items.size()); }
  template <class Other>
  void operator()(const Other&) {}

 private:
  static std::int64_t micros(std::int64_t millis) { return millis * 1000; }

  Metrics& metrics_;
  const engine::ChainState& state_;
  const ChainId& chain_;
};

}  // namespace

void count_event(Metrics& metrics, const engine::Event& event, const engine::ChainState& state, const ChainId& chain) {
  metrics.add(Metric::events);
  std::visit(EventCounter{metrics, state, chain}, event);
}

void count_control(Metrics& metrics, const actors::Control& control) {
  const auto index = std::visit(Overloads{
                                    [](const engine::Cancel&) { return std::size_t{0}; },
                                    [](const OneOf<engine::Pause, engine::Unpause> auto&) { return std::size_t{1}; },
                                    [](const engine::Retry&) { return std::size_t{2}; },
                                    [](const engine::Resolve&) { return std::size_t{3}; },
                                    [](const engine::Substitute&) { return std::size_t{4}; },
                                    [](const engine::Amend&) { return std::size_t{5}; },
                                    [](const engine::Signal&) { return std::size_t{6}; },
                                    [](const engine::Approval& approval) { return approval.approved ? std::size_t{7} : std::size_t{8}; },
                                },
                                control.what);
  metrics.add(Metric::controls, 1, index);
}

void set_gauges(Metrics& metrics, const DispatcherState& state) {
  std::array<std::int64_t, 4> workers{};
  std::int64_t slots = 0, used = 0;
  for (const auto& node : nodes_of(state).nodes) {
    ++workers[node.lost_ms > 0 ? kLost : static_cast<std::size_t>(node.state)];
    if (node.lost_ms > 0) continue;
    slots += node.slots;
    used += node.used;
  }
  for (std::size_t index = 0; index < workers.size(); ++index) metrics.set(Metric::workers, workers[index], index);
  metrics.set(Metric::slots, slots);
  metrics.set(Metric::slots_used, used);
  metrics.set(Metric::steps_waiting, static_cast<std::int64_t>(state.wants.size()));
}

void set_gauges(Metrics& metrics, const SupervisorState& state) {
  const auto asleep = static_cast<std::int64_t>(state.asleep);
  metrics.set(Metric::chains_live, static_cast<std::int64_t>(state.running.size()) - asleep, 0);
  metrics.set(Metric::chains_live, asleep, 1);
  metrics.set(Metric::admission_closed, state.memory.closed() ? 1 : 0);
}

}  // namespace catena::coordinator
