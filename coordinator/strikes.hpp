#pragma once
// Which chains may be what ends the process. A start that follows an unclean end counts a strike against each submitted chain that goes on
// with it, unless the chain got on since the last one; at the third in a row the chain is not gone on with. Nothing is written in between:
// a strike is recorded when the chain is recovered, and after a clean end not at all. Pure.
#include <cstdint>
#include <optional>

#include "base/json.hpp"
#include "engine/state.hpp"
#include "storage/chain_summary.hpp"

namespace catena::coordinator {

inline constexpr std::uint32_t kStrikesMax = 3;

struct Strikes {
  std::uint64_t epoch = 0;     // of the start that counted the last one
  std::uint32_t count = 0;     // in a row
  std::uint64_t progress = 0;  // of the chain, at that start
  friend bool operator==(const Strikes&, const Strikes&) = default;
};

/// How far a chain has come: grows with every visit and item that settles, and with nothing that a start itself brings about.
[[nodiscard]] std::uint64_t progress_of(const engine::ChainState& state);

/// The strikes of a chain that the start of `epoch` finds unfinished after an unclean end.
[[nodiscard]] Strikes strike(const std::optional<Strikes>& before, std::uint64_t epoch, std::uint64_t progress);

/// They stand in the chain's summary, which forgets them when the status of the chain changes.
[[nodiscard]] std::optional<Strikes> strikes_of(const storage::ChainSummary& summary);
void note_strikes(storage::ChainSummary& summary, const Strikes& strikes);

/// Counts one against a chain, in its summary. The last one sets the chain aside: its summary then says `quarantined` and why, which is what is
/// answered; its state stays what it was, so that a person can go on with it or end it.
[[nodiscard]] std::optional<Error> strike_against(storage::ChainSummary& summary, std::uint64_t epoch, const engine::ChainState& state);

}  // namespace catena::coordinator
