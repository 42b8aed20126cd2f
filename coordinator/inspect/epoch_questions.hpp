#pragma once
// Where the epochs of a chain begin and end: what a part of its history says of that.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/codec.hpp"
#include "base/error.hpp"
#include "base/ids.hpp"
#include "base/time.hpp"
#include "engine/fields.hpp"
#include "engine/phase.hpp"

namespace catena::engine {
[[nodiscard]] constexpr std::uint32_t count_of(ChainStatus) { return static_cast<std::uint32_t>(kChainStatusNames.size()); }
}  // namespace catena::engine

namespace catena::coordinator {

enum class EpochSign : std::uint8_t {
  submitted,  // the first begins
  retried,    // another begins
  given,      // a person gave a response to the chain that was just opened again: it was opened for that
  ended,
  forked,  // what is before is the history of another chain; an epoch begins
};
[[nodiscard]] constexpr std::uint32_t count_of(EpochSign) { return static_cast<std::uint32_t>(EpochSign::forked) + 1; }

/// Steps that one mark names; it has the number of all of them.
inline constexpr std::size_t kEpochStepsMax = 20;
/// Marks of one answer.
inline constexpr std::size_t kEpochMarksMax = 500;

struct EpochMark {
  EpochSign sign = EpochSign::submitted;
  Sequence sequence = 0;  // of the event
  UnixMillis at = 0;
  std::int64_t attempts = 0;  // granted between the mark before it and this one, as far as this part of the history has them
  // of an end
  engine::ChainStatus status = engine::ChainStatus::pending;
  std::optional<Error> error = {};  // its code, and its message up to some length
  // of one that begins
  bool other_package = false;         // it goes on with other definitions or programs
  bool by_parent = false;             // a retry of the chain that started this one
  std::vector<StepIndex> steps = {};  // that run again, or are evaluated again: the first of them
  std::uint32_t steps_all = 0;
  std::string by = {};      // who opened it
  std::string reason = {};  // why, up to some length
};

template <class V>
void fields(V& v, EpochMark& x) {
  v("sign", x.sign), v("sequence", x.sequence), v("at", x.at), v("attempts", x.attempts), v("status", x.status), v("error", x.error),
      v("other_package", x.other_package), v("by_parent", x.by_parent), v("steps", x.steps), v("steps_all", x.steps_all), v("by", x.by),
      v("reason", x.reason);
}

}  // namespace catena::coordinator
