#pragma once
// What `catena list` shows of a chain without reading its journal, and the index that finds chains by status, newest first.
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/chain_labels.hpp"
#include "base/ids.hpp"
#include "base/json.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "storage/index_walk.hpp"
#include "storage/kv.hpp"

namespace catena::storage {

/// Status and `extra` are the engine's business: this layer keeps them and reads nothing into them. A status is not empty.
struct ChainSummary {
  ChainId id;
  std::string name;
  std::string status;
  std::string package;
  std::string parent;  // empty: a chain that a person started
  UnixMillis started_at = 0;
  UnixMillis finished_at = 0;  // 0: not finished
  Sequence last_sequence = 0;
  Json extra = nullptr;
  ChainLabels labels = {};  // each has two entries in the index of labels, written with the first summary and removed with the last

  friend bool operator==(const ChainSummary&, const ChainSummary&) = default;
};

/// Under which entry a chain stands in the index until now.
struct IndexedAs {
  std::string status;
  UnixMillis started_at = 0;
  std::string name = {};
};

/// Stores the summary and moves its index entries; `old` is what the last summary said, nothing for a new chain. The summary alone is written
/// where the chain has not ended and stands where it stood. id_invalid for an id that cannot be a key.
[[nodiscard]] Result<void> put_summary(Batch& batch, const ChainSummary& summary, const std::optional<IndexedAs>& old);

/// Takes a chain off all indices, and its summary away.
void remove_summary(Batch& batch, const ChainSummary& summary);

[[nodiscard]] Result<std::optional<ChainSummary>> load_summary(const Kv& kv, const ChainId& chain);
/// Whether some chain has an id that begins with this one and a '/'. One look, however many there are.
[[nodiscard]] Result<bool> has_summary_below(const Kv& kv, const ChainId& chain);

/// A place in the index: right behind this chain, whether it is still there or not.
struct IndexPlace {
  UnixMillis started_at = 0;
  ChainId id;
};

struct SummaryFilter {
  std::vector<std::string> statuses = {};  // empty: all
  std::optional<std::string> name = {};    // of the definition, or a pattern as fnmatch has it
  std::optional<std::string> parent = {};  // "": only chains that a person started
  std::size_t count_max = 0;               // 0: no limit
  std::optional<IndexPlace> after = {};    // none: from the newest
  /// Only chains that have these labels: "key=value", or "key=" for any value. The entries of all of them, of one status and of the names that fit
  /// are walked together: what the one with the fewest has is all that is looked for in the others.
  std::vector<std::string> labels = {};
  UnixMillis since = 0;  // only chains that started then or later; 0: all
  /// Asked before `extra` is read, which most of the time goes to: false passes the chain over. Of one that has not ended it may be asked twice,
  /// first with the last_sequence that it had when it came to its status. Empty: all are wanted.
  std::function<bool(const ChainSummary& without_extra)> wanted = {};
};

/// Answers false to stop.
using SummaryVisitor = std::function<bool(const ChainSummary&)>;
/// Newest first, by the time they started. One scan of the index, which holds the summaries, and a read for each chain that is visited and has not
/// ended; each as it stood when the scan reached it. Of a label: one scan of its entries, and a read of the index for each. Where `bound`
/// (index_walk.hpp) ended it before the visitor did: the last place that was looked at.
[[nodiscard]] Result<std::optional<IndexPlace>> walk_summaries(const Kv& kv, const SummaryFilter& filter, const WalkBound& bound,
                                                               const SummaryVisitor& visitor);
/// The same without a bound.
[[nodiscard]] Result<void> list_summaries(const Kv& kv, const SummaryFilter& filter, const SummaryVisitor& visitor);

/// Descendants of a chain, in the order of their ids, from behind `after` on (empty: from the first). One scan of summaries that lie together.
[[nodiscard]] Result<void> list_family(const Kv& kv, const ChainId& chain, const ChainId& after, const SummaryVisitor& visitor);

}  // namespace catena::storage
