#pragma once
// Items that wait for a person before they are granted. Pure.
#include <cstddef>
#include <string>
#include <string_view>

#include "engine/state.hpp"
#include "lang/program/program.hpp"

namespace catena::engine {

/// Keys of answers that a chain remembers, so that one that is sent again counts once.
inline constexpr std::size_t kApprovalKeysKept = 1'000;
inline constexpr std::size_t kApprovalKeyBytesMax = 200;

/// What was asked for in the step's latest visit; null: nothing.
[[nodiscard]] const AskedApproval* asked_approval(const ChainState& state, StepIndex step);
/// Items of the step that wait for a person now.
[[nodiscard]] IndexSet waiting_for_approval(const ChainState& state, StepIndex step);
/// Items that could be granted, and that nobody has approved.
[[nodiscard]] IndexSet unapproved(const ChainState& state, StepIndex step);
/// When the time to answer is over; 0: nothing waits, or it waits for good.
[[nodiscard]] UnixMillis approval_due(const lang::Step& step, const ChainState& state, StepIndex index);

/// An answer for this step with this key has come.
[[nodiscard]] bool knows_approval(const ChainState& state, StepIndex step, std::string_view key);
/// As the state remembers it: one key may be used for several steps.
[[nodiscard]] std::string remembered_key(StepIndex step, std::string_view key);

}  // namespace catena::engine
