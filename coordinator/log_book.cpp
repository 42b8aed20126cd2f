#include "coordinator/log_book.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "storage/chain_summary.hpp"

namespace catena::coordinator {
namespace {

std::uint64_t log_cost(std::size_t text) { return text + actors::kLogPieceCost; }

/// Those that were not used for longest go, beyond so many.
template <class Map>
void forget_unused(Map& map, std::size_t most, std::uint64_t turn) {
  if (map.size() <= most) return;
  std::vector<std::uint64_t> turns;
  for (const auto& [key, known] : map) turns.push_back(known.used);
  const auto middle = turns.begin() + static_cast<std::ptrdiff_t>(turns.size() / 2);
  std::ranges::nth_element(turns, middle);
  std::erase_if(map, [least = std::min(*middle, turn - 1)](const auto& entry) { return entry.second.used <= least; });
}

}  // namespace

Result<void> LogBook::add(storage::Batch& batch, const actors::LogPiece& piece, UnixMillis at) {
  const ChainId id{piece.chain};
  const auto chain = chain_of(batch, id);
  if (!chain) return fail(chain.error());
  if (*chain == nullptr) return {};
  auto& totals = (*chain)->totals;
  const auto number = totals.next++;
  storage::LogSegment segment;
  segment.step = piece.step;
  segment.visit = piece.visit;
  segment.item = piece.item;
  segment.attempt = piece.attempt;
  segment.stream = static_cast<std::uint8_t>(piece.stream);
  segment.offset = piece.offset;
  segment.at = at;
  segment.text = piece.text;
  storage::put_segment(batch, id, number, segment);
  totals.bytes += log_cost(piece.text.size());
  if (piece.offset + piece.text.size() > limits_.attempt_max / 2) add_to_end(batch, piece, **chain, number);
  return {};
}

void LogBook::finish(storage::Batch& batch) {
  for (const auto& [id, chain] : chains_) {
    if (chain) storage::put_log_totals(batch, id, chain->totals);
  }
}

void LogBook::settle() {
  chains_.clear();
  ++turn_;
  forget_unused(rings_, kStreamsKnown, turn_);
}

/// Null: there is no such chain. Looked at once a batch: somebody may have removed it, and used its id again.
Result<LogBook::Chain*> LogBook::chain_of(storage::Batch& batch, const ChainId& id) {
  if (const auto known = chains_.find(id); known != chains_.end()) return known->second ? &*known->second : nullptr;
  const auto summary = storage::load_summary(kv_, id);
  if (!summary) return fail(summary.error());
  std::optional<Chain> chain;
  if (*summary) {
    auto totals = storage::load_log_totals(kv_, id);
    if (!totals) return fail(std::move(totals).error());
    chain = Chain{*totals, (*summary)->started_at};
    if (auto trimmed = trim(batch, id, chain->totals); !trimmed) return fail(std::move(trimmed).error());
  }
  auto& known = chains_.emplace(id, std::move(chain)).first->second;
  return known ? &*known : nullptr;
}

/// At the begin of a batch, when the store holds all that counts. Somewhat below the bound, so that it is not done each time.
Result<void> LogBook::trim(storage::Batch& batch, const ChainId& chain, storage::LogTotals& totals) const {
  if (totals.bytes <= limits_.chain_max) return {};
  const auto wanted = limits_.chain_max - limits_.chain_max / 8;
  return storage::scan_segments(kv_, chain, totals.first, [&](std::uint64_t number, const storage::LogSegment& segment) {
    if (totals.bytes <= wanted) return false;
    storage::remove_segment(batch, chain, number);
    totals.first = number + 1;
    totals.bytes -= std::min(totals.bytes, log_cost(segment.text.size()));
    totals.dropped += segment.text.size();
    return true;
  });
}

void LogBook::add_to_end(storage::Batch& batch, const actors::LogPiece& piece, Chain& chain, std::uint64_t number) {
  auto& totals = chain.totals;
  auto& ring = rings_[{piece.chain, piece.step, piece.visit, piece.item, piece.attempt, piece.stream}];
  if (ring.of != chain.started_at) ring = Ring{.of = chain.started_at, .segments = {}};
  ring.used = turn_;
  ring.segments.push_back({number, piece.text.size()});
  ring.bytes += piece.text.size();
  while (ring.bytes > limits_.attempt_max / 2 && ring.segments.size() > 1) {
    const auto oldest = ring.segments.front();
    ring.segments.pop_front();
    ring.bytes -= oldest.bytes;
    if (oldest.number < totals.first) continue;  // it went with the oldest of its chain
    storage::remove_segment(batch, ChainId{piece.chain}, oldest.number);
    totals.bytes -= std::min(totals.bytes, log_cost(oldest.bytes));
  }
}

}  // namespace catena::coordinator
