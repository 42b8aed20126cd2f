#pragma once
// Signals of a chain: which steps wait for them, and which step takes which. Pure.
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "engine/input.hpp"
#include "engine/state.hpp"
#include "lang/program/program.hpp"

namespace catena::engine {

/// Signals that came before a step waited for them, of one name and chain; each has data of at most limits::kInlineValueBytesMax.
inline constexpr std::size_t kSignalsKept = 100;
/// The data of all that a chain keeps.
inline constexpr std::size_t kSignalBytesKept = 1UL << 20U;
/// Keys of signals that a chain remembers, so that one that is sent again counts once.
inline constexpr std::size_t kSignalKeysKept = 1'000;
inline constexpr std::size_t kSignalKeyBytesMax = 200;

/// Some step of the program waits for signals of this name, now, later, or has done so.
[[nodiscard]] bool awaits_signal(const lang::Program& program, std::string_view name);

/// Steps that wait for a signal which is kept, each with the number of the one that it takes: of steps that wait for one name the one that began
/// first takes the one that came first. Steps that began at the same time are in the order of the definition.
[[nodiscard]] std::map<StepIndex, std::uint64_t> signals_due(const lang::Program& program, const ChainState& state);

/// Null: a step has taken it, or there was none.
[[nodiscard]] const KeptSignal* kept_signal(const ChainState& state, std::uint64_t number);

/// A signal of this name with this key has come.
[[nodiscard]] bool knows_signal(const ChainState& state, std::string_view name, std::string_view key);
/// As the state remembers it: one key may be used for signals of several names.
[[nodiscard]] std::string remembered_key(std::string_view name, std::string_view key);

/// One more of this name can be kept.
[[nodiscard]] bool keeps_signal(const ChainState& state, const Signal& signal);

}  // namespace catena::engine
