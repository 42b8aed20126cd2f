#pragma once
// What a store says of itself: the format it is written in, how often it was opened, how far it was written.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "storage/kv.hpp"

namespace catena::storage {

/// Raised when keys or payloads change so that an older catena would misread them.
inline constexpr std::uint64_t kFormatVersion = 1;

struct Meta {
  std::uint64_t epoch = 0;
  std::uint64_t commit = 0;
};

/// An empty store has epoch and commit 0. storage_format when the store is not catena's or of another version; `place` names it.
[[nodiscard]] Result<Meta> load_meta(const Kv& kv, std::string_view place);

/// What the store is called, wherever it is kept: what others hold for another store means nothing to this one. The first time it is `fresh`,
/// which is written; before any other writer begins.
[[nodiscard]] Result<std::string> identity_of(Kv& kv, const std::string& fresh);

/// The first batch of every opening for writing.
[[nodiscard]] Batch opening_batch(std::uint64_t epoch);

/// storage_format: the store at `place` has data of somebody else.
[[nodiscard]] Error not_ours(std::string_view place);
/// Whether whoever opened this store for writing before ended in order. A new store has nobody before.
[[nodiscard]] Result<bool> ended_in_order(const Kv& kv);
/// This opening ends in order: the last write of it.
[[nodiscard]] Result<void> mark_end_in_order(Kv& kv);
/// The same for a store that has a writer already.
[[nodiscard]] Batch end_in_order_batch(const Kv& kv);

/// Key and record of the commit number, which stores add to each batch themselves.
[[nodiscard]] const std::string& commit_key();
[[nodiscard]] std::string commit_record(std::uint64_t commit);
/// The number in such a record. Errors: storage_corrupt, storage_format.
[[nodiscard]] Result<std::uint64_t> read_commit(std::string_view record);

}  // namespace catena::storage
