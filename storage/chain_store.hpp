#pragma once
// What is kept of a chain: its journal (the truth), the ledger of settled items, inputs, a checkpoint (a cache), its package and large
// values. Payloads are opaque here. Writing adds to a batch, so that an event and what belongs to it become durable together;
// reading works over any Kv, also one opened read-only beside a running coordinator.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "storage/chain_summary.hpp"
#include "storage/kv.hpp"

namespace catena::storage {

/// How one item of a fan-out (or the one task of a plain step) ended, as the ledger keeps it.
struct ItemRecord {
  bool ok = false;
  std::string text;  // ok: the response as JSON text; else the error as JSON text
  std::string blob;  // hash (at most 255 bytes) of the blob that holds the response instead; empty: it is in `text`

  friend bool operator==(const ItemRecord&, const ItemRecord&) = default;
};
[[nodiscard]] std::string encode(const ItemRecord& item);
[[nodiscard]] Result<ItemRecord> decode_item(std::string_view payload);

// Writing. Ids have passed check_chain_id: put_summary, the first write of a chain, sees to it.
/// Events that belong together are one record, under the sequence of the last of them.
void append_events(Batch& batch, const ChainId& chain, Sequence last, std::uint32_t count, std::string_view payload);
void put_item(Batch& batch, const ChainId& chain, VisitId visit, ItemIndex item, std::string_view payload);
void remove_item(Batch& batch, const ChainId& chain, VisitId visit, ItemIndex item);
void put_inputs_chunk(Batch& batch, const ChainId& chain, VisitId visit, std::uint32_t chunk, std::string_view payload);
void put_checkpoint(Batch& batch, const ChainId& chain, std::string_view payload);
void remove_checkpoint(Batch& batch, const ChainId& chain);
/// Content-addressed: storing the same again changes nothing. A blob has parts, from 0, so that a large one can be written in several
/// batches: it counts once a record that names it is durable.
void put_blob(Batch& batch, std::string_view hash, std::uint32_t part, std::string_view payload);
/// False when the store has it already and nothing was added to the batch.
[[nodiscard]] Result<bool> put_package(const Kv& kv, Batch& batch, std::string_view hash, std::string_view payload);

// Reading. Nothing where there is no such record, storage_corrupt where it is damaged. Visitors answer false to stop.
using EventVisitor = std::function<bool(Sequence first, std::uint32_t count, std::string_view payload)>;
/// Records of events from the one that holds `from` on, without a gap (storage_corrupt otherwise). Answers the last sequence visited, `from` - 1 if
/// there was none.
[[nodiscard]] Result<Sequence> load_events(const Kv& kv, const ChainId& chain, Sequence from, const EventVisitor& visitor);

using ItemVisitor = std::function<bool(ItemIndex item, std::string_view payload)>;
/// Settled items with from <= item < to, in order of their index; those that are not settled are passed over.
[[nodiscard]] Result<void> scan_items(const Kv& kv, const ChainId& chain, VisitId visit, ItemIndex from, ItemIndex to, const ItemVisitor& visitor);
[[nodiscard]] Result<std::optional<std::string>> load_item(const Kv& kv, const ChainId& chain, VisitId visit, ItemIndex item);
[[nodiscard]] Result<std::optional<std::string>> load_inputs(const Kv& kv, const ChainId& chain, VisitId visit, std::uint32_t chunk);
[[nodiscard]] Result<std::optional<std::string>> load_checkpoint(const Kv& kv, const ChainId& chain);
[[nodiscard]] Result<std::optional<std::string>> load_package(const Kv& kv, std::string_view hash);
/// Input records of a visit from this one on, in order.
using InputsVisitor = std::function<bool(std::uint32_t chunk, std::string_view payload)>;
[[nodiscard]] Result<void> scan_inputs(const Kv& kv, const ChainId& chain, VisitId visit, std::uint32_t first, const InputsVisitor& visitor);
/// All parts of it; `bytes` (0: unknown) is what they come to, so that memory is taken once.
[[nodiscard]] Result<std::optional<std::string>> load_blob(const Kv& kv, std::string_view hash, std::uint64_t bytes = 0);
/// One part of it, from 0.
[[nodiscard]] Result<std::optional<std::string>> load_blob_part(const Kv& kv, std::string_view hash, std::uint32_t part);

}  // namespace catena::storage
