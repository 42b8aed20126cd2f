#pragma once
// Where things stand in the one ordered key space. The first byte is the key space; chain ids end with a NUL, so no key of one chain
// is a prefix of another's and a family (parent, parent/step, …) lies together; numbers are big-endian, so byte order is their order.
// The builders rely on ids that passed check_chain_id: put_summary, the first write of every chain, refuses others.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "base/time.hpp"

namespace catena::storage {

/// 1 to 1024 bytes without NUL; id_invalid otherwise.
[[nodiscard]] Result<void> check_chain_id(const ChainId& chain);

namespace keys {

/// Half-open: from <= key < to.
struct Range {
  std::string from;
  std::string to;
};

[[nodiscard]] std::string meta(std::string_view name);
[[nodiscard]] std::string package(std::string_view hash);
[[nodiscard]] std::string blob(std::string_view hash, std::uint32_t part);
[[nodiscard]] std::string summary(const ChainId& chain);
[[nodiscard]] std::string checkpoint(const ChainId& chain);
[[nodiscard]] std::string event(const ChainId& chain, Sequence sequence);
[[nodiscard]] std::string item(const ChainId& chain, VisitId visit, ItemIndex item);
[[nodiscard]] std::string inputs(const ChainId& chain, VisitId visit, std::uint32_t chunk);
/// Later times come first. The empty status stands for the index of all chains.
[[nodiscard]] std::string index(std::string_view status, UnixMillis started_at, const ChainId& chain);

/// Events with from <= sequence.
[[nodiscard]] Range events(const ChainId& chain, Sequence from);
/// Items with from <= item < to.
[[nodiscard]] Range items(const ChainId& chain, VisitId visit, ItemIndex from, ItemIndex to);
[[nodiscard]] Range index_of(std::string_view status);

/// The parts of keys that scans meet. Empty when the key is not of that form.
[[nodiscard]] std::optional<Sequence> sequence_of(std::string_view event_key);
[[nodiscard]] std::optional<ItemIndex> item_of(std::string_view item_key);
[[nodiscard]] std::optional<ChainId> chain_of_index(std::string_view index_key);

/// The key for a message: bytes that do not print as \xNN.
[[nodiscard]] std::string printable(std::string_view key);

}  // namespace keys
}  // namespace catena::storage
