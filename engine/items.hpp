#pragma once
// What the items of a visit may do next: pure questions over a visit's state, shared by decide and outstanding.
#include "engine/engine.hpp"

namespace catena::engine {

/// Items that a worker could take now: not settled, not in flight, not waiting for a retry, within the window.
[[nodiscard]] std::uint32_t grantable(const lang::Step& step, const VisitState& visit);
/// Takes up to `count` of them: those to be tried again first, then the next in order.
[[nodiscard]] IndexSet pick(const lang::Step& step, const VisitState& visit, std::uint32_t count);

/// How many items may be on their way at once; UINT32_MAX: any number.
[[nodiscard]] std::uint32_t window_of(const lang::Step& step, const VisitState& visit);
/// How many items may fail before the step does.
[[nodiscard]] std::uint32_t tolerated(const lang::Step& step, const VisitState& visit);
/// When to give up, as the definition and a person's terms have it.
[[nodiscard]] lang::RetryPolicy retry_of(const lang::Step& step, const VisitState& visit);

enum class Verdict : std::uint8_t { open, completed, failed };
/// Whether the items' outcomes so far settle the visit. `failed` may come before everything in flight has ended.
[[nodiscard]] Verdict verdict_of(const lang::Step& step, const VisitState& visit);

/// A fan-out whose list is evaluated once it is complete: by transform_responses, or for what its rounds leave in the state.
[[nodiscard]] bool shapes_list(const lang::Step& step);
/// Such a fan-out whose items' outcomes are in, and whose list has not been evaluated: its list stands as it is, nothing more is
/// granted, what is still out stops, and what that reports changes nothing.
[[nodiscard]] bool owes_shape(const lang::Step& step, const VisitState& visit);

/// The earliest time at which something of this visit falls due; 0: nothing.
[[nodiscard]] UnixMillis earliest_due(const VisitState& visit);

}  // namespace catena::engine
