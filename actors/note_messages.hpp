#pragma once
// What attempts say of themselves while they run, on its way from a worker to the chain: how far they are, what they have used, and from where the
// next attempt could go on. What an attempt says later takes the place of what it said before, so notes may be left out, but not the last checkpoint:
// it comes once more with the attempt's report.
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/codec.hpp"
#include "base/ids.hpp"

namespace catena::actors {

/// Of the JSON text of a checkpoint: it is stored, and stands in messages beside others.
inline constexpr std::size_t kCheckpointBytesMax = 64UL << 10U;
/// Of the words that go with a progress.
inline constexpr std::size_t kProgressTextMax = 200;
/// Names that an attempt may count its usage by, and bytes of one.
inline constexpr std::size_t kUsageNamesMax = 32;
inline constexpr std::size_t kUsageNameBytesMax = 64;

/// What one attempt has said so far, as far as it is new.
struct AttemptNote {
  std::string chain;
  GrantId grant = 0;
  std::uint32_t item = 0;
  std::uint32_t attempt = 1;
  std::int64_t done = -1;  // -1: it has not said; likewise `of`
  std::int64_t of = -1;
  std::string text = {};
  std::map<std::string, std::int64_t> usage = {};  // of the attempt, all in all
  std::string checkpoint = {};                     // JSON; empty: none that is new
};
/// Of a worker, about attempts that it runs.
struct AttemptNotes {
  static constexpr std::string_view kKind = "attempt_notes";
  std::vector<AttemptNote> notes;
};

// ---- within a process ------------------------------------------------------------------------------------------------

/// What attempts of a grant say while they run.
struct StepNotes {
  GrantId grant = 0;
  Incarnation incarnation = 0;
  std::vector<AttemptNote> notes;
};

// ---- as messages carry them -----------------------------------------------------------------------------------------

template <class V>
void fields(V& v, AttemptNote& x) {
  v("chain", x.chain);
  v("grant", x.grant);
  v("item", x.item);
  v("attempt", x.attempt);
  v("done", x.done);
  v("of", x.of);
  v("text", x.text);
  v("usage", x.usage);
  v("checkpoint", x.checkpoint);
}
template <class V>
void fields(V& v, AttemptNotes& x) {
  v("notes", x.notes);
}

}  // namespace catena::actors
