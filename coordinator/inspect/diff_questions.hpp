#pragma once
// How two chains differ: what they were given, what their steps came to, and which items failed in one of them alone. A part of questions.hpp.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/ids.hpp"
#include "base/index_set.hpp"
#include "base/json_changes.hpp"
#include "base/time.hpp"
#include "engine/phase.hpp"

namespace catena::coordinator {

/// One of the two.
struct DiffedChain {
  ChainId id = {};
  std::string name = {};     // of the definition
  std::string package = {};  // the hash of what it pinned
  engine::ChainStatus status = engine::ChainStatus::pending;
  UnixMillis started_at = 0;
  UnixMillis finished_at = 0;  // 0: not finished
  std::optional<Error> error = {};
};
/// A value of one against the same value of the other.
struct ValueDiff {
  bool same = true;
  bool in_full = true;  // false: at least one of two unlike values is too large, or none that can be read, to tell how they differ
  JsonChanges how = {};
};
/// A definition that not both have pinned in the same words.
struct DefinitionDiff {
  std::string key = {};  // a path, or what stood for one; of those that were submitted that of the first
  bool in_first = true;
  bool in_second = true;
  ValueDiff text = {};
};
/// The latest visit of a step.
struct DiffedVisit {
  engine::VisitStatus status = engine::VisitStatus::blocked;
  Visit visit = 0;            // 0: never entered
  std::int64_t took_ms = -1;  // -1: it has not settled, or was never entered
  std::uint32_t items = 0;    // of a fan-out
  std::uint32_t ok = 0;       // of them
  std::uint32_t failed = 0;   // of them
  std::optional<Error> error = {};
};
/// A step by its id.
struct StepDiff {
  std::string id = {};
  std::optional<DiffedVisit> first = {};  // nothing: the first chain has no such step
  std::optional<DiffedVisit> second = {};
  bool differs = false;     // in anything but its times
  ValueDiff response = {};  // of steps that both have
  // Of fan-outs in both: the items that failed in one and did not in the other, the first of them where they come in many runs, and how many.
  IndexSet failed_in_first = {};
  IndexSet failed_in_second = {};
  std::uint32_t failed_in_first_count = 0;
  std::uint32_t failed_in_second_count = 0;
  IndexSet responses_differ = {};        // items that succeeded in both, with another response
  std::uint32_t responses_compared = 0;  // the first so many that succeeded in both
};
/// Runs of neighbours that a set of items names.
inline constexpr std::size_t kDiffRunsMax = 500;
/// Items of a step whose responses are compared.
inline constexpr std::uint32_t kResponsesComparedMax = 10'000;

struct ChainDiff {
  static constexpr std::string_view kKind = "chain_diff";
  DiffedChain first = {};
  DiffedChain second = {};
  // in the first page
  std::vector<DefinitionDiff> definitions = {};  // empty: both run the same
  std::uint32_t definitions_others = 0;          // that are not told
  ValueDiff arguments = {};
  ValueDiff context = {};
  ValueDiff response = {};
  std::vector<StepDiff> steps = {};  // those of the first in their order, and behind them those that only the second has
  std::uint32_t next = 0;            // 0: these were the last
};
/// Errors: chain_not_found, of either; that the package of one cannot be read.
struct DiffChains {
  using Answer = ChainDiff;
  static constexpr std::string_view kKind = "diff_chains";
  ChainId chain = {};
  ChainId other = {};
  std::uint32_t from = 0;  // `next` of the page before
};

// ---- as messages carry them -----------------------------------------------------------------------------------------

template <class V>
void fields(V& v, DiffedChain& x) {
  v("id", x.id), v("name", x.name), v("package", x.package), v("status", x.status), v("started_at", x.started_at), v("finished_at", x.finished_at),
      v("error", x.error);
}
template <class V>
void fields(V& v, ValueDiff& x) {
  v("same", x.same), v("in_full", x.in_full), v("how", x.how);
}
template <class V>
void fields(V& v, DefinitionDiff& x) {
  v("definition", x.key), v("in_first", x.in_first), v("in_second", x.in_second), v("text", x.text);
}
template <class V>
void fields(V& v, DiffedVisit& x) {
  v("status", x.status), v("visit", x.visit), v("took_ms", x.took_ms), v("items", x.items), v("ok", x.ok), v("failed", x.failed), v("error", x.error);
}
template <class V>
void fields(V& v, StepDiff& x) {
  v("id", x.id), v("first", x.first), v("second", x.second), v("differs", x.differs), v("response", x.response),
      v("failed_in_first", x.failed_in_first), v("failed_in_second", x.failed_in_second), v("failed_in_first_count", x.failed_in_first_count),
      v("failed_in_second_count", x.failed_in_second_count), v("responses_differ", x.responses_differ), v("responses_compared", x.responses_compared);
}
template <class V>
void fields(V& v, ChainDiff& x) {
  v("first", x.first), v("second", x.second), v("definitions", x.definitions), v("definitions_others", x.definitions_others),
      v("arguments", x.arguments), v("context", x.context), v("response", x.response), v("steps", x.steps), v("next", x.next);
}
template <class V>
void fields(V& v, DiffChains& x) {
  v("chain", x.chain), v("other", x.other), v("first", x.from);
}

}  // namespace catena::coordinator
