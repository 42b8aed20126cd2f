#pragma once
// Where things stand in the one ordered key space. The first byte is the key space; chain ids end with a NUL, so no key of one chain
// is a prefix of another's and a family (parent, parent/step, …) lies together; numbers are big-endian, so byte order is their order. A file's
// directory ends with a NUL, too: the files of one lie together, and those below it in one range of their own.
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

inline constexpr std::size_t kFilePathBytesMax = 1024;
/// An absolute path with a file name, no empty part and no NUL, of at most kFilePathBytesMax bytes; file_path_invalid otherwise.
[[nodiscard]] Result<void> check_file_path(std::string_view path);

namespace keys {

/// Half-open: from <= key < to.
struct Range {
  std::string from;
  std::string to;
};

[[nodiscard]] std::string meta(std::string_view name);
/// What was ordered of a worker; within the space of meta, apart from all names there.
[[nodiscard]] std::string node_order(const WorkerId& worker);
[[nodiscard]] std::string package(std::string_view hash);
[[nodiscard]] std::string blob(std::string_view hash, std::uint32_t part);
[[nodiscard]] std::string summary(const ChainId& chain);
[[nodiscard]] std::string checkpoint(const ChainId& chain);
[[nodiscard]] std::string event(const ChainId& chain, Sequence sequence);
[[nodiscard]] std::string item(const ChainId& chain, VisitId visit, ItemIndex item);
[[nodiscard]] std::string inputs(const ChainId& chain, VisitId visit, std::uint32_t chunk);
/// Later times come first. The empty status stands for the index of all chains.
[[nodiscard]] std::string index(std::string_view status, UnixMillis started_at, const ChainId& chain);

/// The latest of a file.
[[nodiscard]] std::string file(std::string_view path);
/// Later versions come first.
[[nodiscard]] std::string file_version(std::string_view path, std::uint64_t version);
/// Which version a put made; `mark` (hexadecimal digits) says which put.
[[nodiscard]] std::string file_put(std::string_view path, std::string_view mark);

/// Events with from <= sequence.
[[nodiscard]] Range events(const ChainId& chain, Sequence from);
/// Items with from <= item < to.
[[nodiscard]] Range items(const ChainId& chain, VisitId visit, ItemIndex from, ItemIndex to);
[[nodiscard]] Range node_controls();
[[nodiscard]] Range index_of(std::string_view status);
/// Files in a directory ("/" or a path without a slash at its end), and those in the directories below it.
[[nodiscard]] Range files_in(std::string_view directory);
[[nodiscard]] Range files_below(std::string_view directory);
[[nodiscard]] Range file_versions(std::string_view path);

/// Summaries of a chain's descendants: their ids begin with its own and a slash.
[[nodiscard]] Range summaries_below(const ChainId& chain);

/// The parts of keys that scans meet. Empty when the key is not of that form.
[[nodiscard]] std::optional<Sequence> sequence_of(std::string_view event_key);
[[nodiscard]] std::optional<ItemIndex> item_of(std::string_view item_key);
[[nodiscard]] std::optional<ChainId> chain_of_index(std::string_view index_key);
[[nodiscard]] std::optional<ChainId> chain_of_summary(std::string_view summary_key);
[[nodiscard]] WorkerId worker_of_order(std::string_view node_order_key);
[[nodiscard]] std::optional<std::string> path_of_file(std::string_view file_key);
[[nodiscard]] std::optional<std::uint64_t> version_of_file(std::string_view file_version_key);

/// The key for a message: bytes that do not print as \xNN.
[[nodiscard]] std::string printable(std::string_view key);

}  // namespace keys
}  // namespace catena::storage
