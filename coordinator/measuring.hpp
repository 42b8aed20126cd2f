#pragma once
// What a coordinator counts: events as they are decided, and what is only measured when somebody reads the metrics.
#include "actors/messages.hpp"
#include "base/metrics.hpp"
#include "engine/event.hpp"
#include "engine/state.hpp"

namespace catena::coordinator {

struct DispatcherState;
struct SupervisorState;

/// `state`: as the event's decision has left it.
void count_event(Metrics& metrics, const engine::Event& event, const engine::ChainState& state, const ChainId& chain);

/// Of a person.
void count_control(Metrics& metrics, const actors::Control& control);

/// O(workers).
void set_gauges(Metrics& metrics, const DispatcherState& state);
/// O(live chains).
void set_gauges(Metrics& metrics, const SupervisorState& state);

}  // namespace catena::coordinator
