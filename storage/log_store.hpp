#pragma once
// What the attempts of a chain printed, in segments: numbered as they came, from 1, so that the oldest go first and whoever follows goes on where he
// was. Numbers of segments that were removed are not used again.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "storage/kv.hpp"

namespace catena::storage {

/// A part of what one attempt printed to one of its streams.
struct LogSegment {
  std::string step;
  std::uint32_t visit = 0;
  ItemIndex item = 0;
  Attempt attempt = 1;
  std::uint8_t stream = 0;
  std::uint64_t offset = 0;  // of the text in that stream
  UnixMillis at = 0;         // when it came to the store
  std::string text;

  friend bool operator==(const LogSegment&, const LogSegment&) = default;
};
/// What the segments of a chain come to.
struct LogTotals {
  std::uint64_t first = 1;    // none before it is there
  std::uint64_t next = 1;     // number of the next
  std::uint64_t bytes = 0;    // of those that are there, with what each costs beside its text
  std::uint64_t dropped = 0;  // bytes of those that were removed because the chain had too many

  friend bool operator==(const LogTotals&, const LogTotals&) = default;
};

void put_segment(Batch& batch, const ChainId& chain, std::uint64_t number, const LogSegment& segment);
void remove_segment(Batch& batch, const ChainId& chain, std::uint64_t number);
void put_log_totals(Batch& batch, const ChainId& chain, const LogTotals& totals);

/// Errors of all: storage_corrupt where a record is damaged, and those of the store.
[[nodiscard]] Result<LogTotals> load_log_totals(const Kv& kv, const ChainId& chain);
/// Segments from that number on, in order, until the visitor answers false.
using SegmentVisitor = std::function<bool(std::uint64_t number, const LogSegment& segment)>;
[[nodiscard]] Result<void> scan_segments(const Kv& kv, const ChainId& chain, std::uint64_t first, const SegmentVisitor& visitor);

}  // namespace catena::storage
