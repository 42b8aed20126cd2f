#pragma once
// Where things stand in the one ordered key space. The first byte is the key space; chain ids end with a NUL, so no key of one chain
// is a prefix of another's and a family (parent, parent/step, …) lies together; numbers are big-endian, so byte order is their order. A file's
// directory ends with a NUL, too: the files of one lie together, and those below it in one range of their own.
// The builders rely on ids that passed check_chain_id: put_summary, the first write of every chain, refuses others.
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
/// An access token; within the space of meta, too.
[[nodiscard]] std::string access_token(std::string_view id);
[[nodiscard]] std::string package(std::string_view hash);
[[nodiscard]] std::string blob(std::string_view hash, std::uint32_t part);
[[nodiscard]] std::string summary(const ChainId& chain);
[[nodiscard]] std::string checkpoint(const ChainId& chain);
[[nodiscard]] std::string event(const ChainId& chain, Sequence sequence);
[[nodiscard]] std::string item(const ChainId& chain, VisitId visit, ItemIndex item);
[[nodiscard]] std::string inputs(const ChainId& chain, VisitId visit, std::uint32_t chunk);
/// What attempts of a task have said of themselves: their newest checkpoint, and how far they are.
[[nodiscard]] std::string task_checkpoint(const ChainId& chain, VisitId visit, ItemIndex item);
[[nodiscard]] std::string task_progress(const ChainId& chain, VisitId visit, ItemIndex item);
/// What attempts of a chain printed, a segment each; 0: what they come to.
[[nodiscard]] std::string log_segment(const ChainId& chain, std::uint64_t number);
/// Of the feed: what became of chains, in the order in which it was written.
[[nodiscard]] std::string notice(std::uint64_t number);
/// Of the audit log, in the order in which it was written.
[[nodiscard]] std::string audit_entry(std::uint64_t number);
/// A delivery of a webhook, and what it sends.
[[nodiscard]] std::string delivery(std::string_view id);
[[nodiscard]] std::string delivery_body(std::string_view id);
/// A schedule: what it runs, and how it stands.
[[nodiscard]] std::string schedule(std::string_view name);
[[nodiscard]] std::string schedule_state(std::string_view name);
/// A step that waits for approval since then: the longest first.
[[nodiscard]] std::string approval(UnixMillis since, const ChainId& chain, StepIndex step);
/// Later times come first. The empty status stands for the index of all chains.
[[nodiscard]] std::string index(std::string_view status, UnixMillis started_at, const ChainId& chain);

/// Chains that have a label, "key=value", later ones first; "key=" stands for those that have the key, whatever its value.
[[nodiscard]] std::string label_entry(std::string_view label, UnixMillis started_at, const ChainId& chain);

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
/// All that is kept of what a chain's attempts printed, with what it comes to.
[[nodiscard]] Range logs_of(const ChainId& chain);
/// Segments with first <= number.
[[nodiscard]] Range log_segments(const ChainId& chain, std::uint64_t first);
/// Of all tasks of a chain.
[[nodiscard]] Range task_notes(const ChainId& chain);
/// first <= number < end; `end` 0: all behind.
[[nodiscard]] Range notices(std::uint64_t first, std::uint64_t end = 0);
[[nodiscard]] Range audit_entries(std::uint64_t first, std::uint64_t end = 0);
/// Deliveries with ids behind `after`; empty: all. Without what they send.
[[nodiscard]] Range deliveries(std::string_view after = {});
/// Schedules with names behind `after`; empty: all. Without how they stand.
[[nodiscard]] Range schedules(std::string_view after = {});
/// Behind this key of an approval; empty: all.
[[nodiscard]] Range approvals(std::string_view after = {});
[[nodiscard]] Range node_controls();
[[nodiscard]] Range access_tokens();
[[nodiscard]] Range index_of(std::string_view status);
/// Of one label, "key=value" or "key=".
[[nodiscard]] Range label_entries_of(std::string_view label);
/// Files in a directory ("/" or a path without a slash at its end), and those in the directories below it.
[[nodiscard]] Range files_in(std::string_view directory);
[[nodiscard]] Range files_below(std::string_view directory);
[[nodiscard]] Range file_versions(std::string_view path);

/// Summaries of a chain's descendants: their ids begin with its own and a slash.
[[nodiscard]] Range summaries_below(const ChainId& chain);

/// A chain is being removed: what is left of its descendants goes.
[[nodiscard]] std::string removal(const ChainId& chain);
[[nodiscard]] Range removals();
/// Everything that is kept of one chain beside its summary and its places in the indices (remove_summary takes those away), key space by key
/// space: who removes a chain needs no other list.
[[nodiscard]] std::vector<Range> all_of_chain(const ChainId& chain);
/// The same of all its descendants.
[[nodiscard]] std::vector<Range> all_below_chain(const ChainId& chain);

[[nodiscard]] Range packages();
[[nodiscard]] Range blobs();
[[nodiscard]] Range file_versions_all();
[[nodiscard]] Range summaries();
/// Of all statuses.
[[nodiscard]] Range indices();
/// Of all labels.
[[nodiscard]] Range label_entries();
/// Chains by the name of their definition, of all names (name_index.hpp has the parts).
[[nodiscard]] Range name_entries();

/// What was submitted under a key (see storage/submission_keys.hpp), and, in the order of their times, which keys end.
[[nodiscard]] std::string submission(std::string_view key);
[[nodiscard]] std::string submission_end(UnixMillis expires_at, std::string_view key);
[[nodiscard]] Range submissions();
[[nodiscard]] Range submission_ends();

enum class Space : std::uint8_t {
  meta,
  packages,
  summaries,
  journal,
  ledger,
  inputs,
  checkpoints,
  blobs,
  index,
  files,
  file_versions,
  file_puts,
  removals,
  logs,
  feed,
  labels,
  submissions,
  audit,
  outbox,
  schedules,
  names,
  approvals,
  notes,
  unknown
};
inline constexpr std::array kSpaceNames{
    std::string_view{"meta"},        std::string_view{"packages"},  std::string_view{"summaries"},     std::string_view{"journal"},
    std::string_view{"ledger"},      std::string_view{"inputs"},    std::string_view{"checkpoints"},   std::string_view{"blobs"},
    std::string_view{"index"},       std::string_view{"files"},     std::string_view{"file_versions"}, std::string_view{"file_puts"},
    std::string_view{"removals"},    std::string_view{"logs"},      std::string_view{"feed"},          std::string_view{"labels"},
    std::string_view{"submissions"}, std::string_view{"audit"},     std::string_view{"outbox"},        std::string_view{"schedules"},
    std::string_view{"names"},       std::string_view{"approvals"}, std::string_view{"notes"},         std::string_view{"unknown"}};
[[nodiscard]] Space space_of(std::string_view key);
[[nodiscard]] std::string_view hash_of_package(std::string_view package_key);
/// Without the part; of the content of a file: "file-" and its hash.
[[nodiscard]] std::string_view name_of_blob(std::string_view blob_key);

/// The parts of keys that scans meet. Empty when the key is not of that form.
[[nodiscard]] std::optional<Sequence> sequence_of(std::string_view event_key);
[[nodiscard]] std::optional<ItemIndex> item_of(std::string_view item_key);  // of the key of inputs: their chunk
/// Whose they are.
struct TaskOfNotes {
  VisitId visit;
  ItemIndex item = 0;
};
[[nodiscard]] std::optional<TaskOfNotes> task_of_notes(std::string_view notes_key);
[[nodiscard]] std::optional<std::uint64_t> number_of_segment(std::string_view log_key);
[[nodiscard]] std::optional<std::uint64_t> number_of_notice(std::string_view notice_key);
[[nodiscard]] std::optional<std::uint64_t> number_of_audit_entry(std::string_view audit_key);
/// Of an index entry, or of one of a label.
[[nodiscard]] std::optional<ChainId> chain_of_index(std::string_view index_key);
/// What the key of such an entry ends with: where a chain stands in each index that has it.
[[nodiscard]] std::string index_place(UnixMillis started_at, const ChainId& chain);
[[nodiscard]] UnixMillis time_of_index_place(std::string_view place);
[[nodiscard]] ChainId chain_of_index_place(std::string_view place);
[[nodiscard]] std::string_view label_of_entry(std::string_view label_key);
[[nodiscard]] std::optional<std::string> key_of_submission_end(std::string_view submission_end_key);
[[nodiscard]] UnixMillis time_of_submission_end(std::string_view submission_end_key);
[[nodiscard]] std::optional<ChainId> chain_of_summary(std::string_view summary_key);
[[nodiscard]] std::optional<ChainId> chain_of_removal(std::string_view removal_key);
[[nodiscard]] WorkerId worker_of_order(std::string_view node_order_key);
[[nodiscard]] std::optional<std::string> path_of_file(std::string_view file_key);
[[nodiscard]] std::optional<std::uint64_t> version_of_file(std::string_view file_version_key);

/// The key for a message: bytes that do not print as \xNN.
[[nodiscard]] std::string printable(std::string_view key);

}  // namespace keys
}  // namespace catena::storage
