#include "storage/keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/limits.hpp"
#include "storage/bytes.hpp"
#include "storage/key_spaces.hpp"

namespace catena::storage {
namespace {

constexpr std::size_t kNumbersSizeMax = 13;

std::string plain_key(char space, std::string_view name) {
  std::string key;
  key.reserve(1 + name.size());
  key.push_back(space);
  key.append(name);
  return key;
}

std::string chain_key(char space, const ChainId& chain) {
  std::string key;
  key.reserve(2 + chain.value.size() + kNumbersSizeMax);
  key.push_back(space);
  key.append(chain.value);
  key.push_back('\0');
  return key;
}

std::string visit_key(char space, const ChainId& chain, VisitId visit) {
  auto key = chain_key(space, chain);
  append_be32(key, visit.step);
  append_be32(key, visit.visit);
  return key;
}

std::string note_key(const ChainId& chain, VisitId visit, ItemIndex item, char which) {
  auto key = visit_key(kNotes, chain, visit);
  append_be32(key, item);
  key.push_back(which);
  return key;
}

std::string path_key(char space, std::string_view path) {
  auto key = plain_key(space, path);
  key.push_back('\0');
  return key;
}

/// Flipping the sign bit orders negative times before positive ones.
std::uint64_t ordered_time(UnixMillis time) { return static_cast<std::uint64_t>(time) ^ (std::uint64_t{1} << 63U); }

/// A place in an index of chains: flipping all bits turns the order of times round.
std::string newest_first(std::string key, UnixMillis started_at, const ChainId& chain) {
  key.push_back('\0');
  append_be64(key, ~ordered_time(started_at));
  key.append(chain.value);
  return key;
}

/// The root has no name: "/a" stands in it, and "/a/b" below it.
std::string_view without_root(std::string_view directory) { return directory == "/" ? std::string_view{} : directory; }

std::string numbered_key(char space, std::uint64_t number) {
  std::string key{space};
  append_be64(key, number);
  return key;
}

/// first <= number < end; `end` 0: all behind.
keys::Range numbered_range(char space, std::uint64_t first, std::uint64_t end) {
  return {numbered_key(space, first), end == 0 ? std::string(1, static_cast<char>(space + 1)) : numbered_key(space, end)};
}

std::optional<std::uint64_t> number_in(char space, std::string_view key) {
  if (key.size() != 1 + 8 || key.front() != space) return {};
  return read_be64(key.substr(1));
}

/// The first key after all that begin with `prefix`, whose last byte is never 0xff here.
std::string after(std::string prefix) {
  prefix.back() = static_cast<char>(prefix.back() + 1);
  return prefix;
}

}  // namespace

Result<void> check_chain_id(const ChainId& chain) {
  if (chain.empty()) return fail(Code::id_invalid, "a chain id must not be empty");
  if (chain.value.size() > limits::kChainIdBytesMax) {
    return fail(Code::id_invalid, fmt::format("a chain id has at most {} bytes, this one has {}: '{}…'; choose a shorter id (ids of children "
                                              "begin with their parent's)",
                                              limits::kChainIdBytesMax, chain.value.size(), keys::printable(chain.value.substr(0, 60))));
  }
  if (chain.value.find('\0') != std::string::npos) {
    return fail(Code::id_invalid, fmt::format("a chain id must not contain a NUL byte: '{}'", keys::printable(chain.value)));
  }
  return {};
}

Result<void> check_file_path(std::string_view path) {
  std::string_view why;
  if (path.empty() || path.front() != '/') {
    why = "it must begin with '/'";
  } else if (path.back() == '/') {
    why = "it names a directory, not a file in it";
  } else if (path.find("//") != std::string_view::npos) {
    why = "a part of it is empty";
  } else if (path.find('\0') != std::string_view::npos) {
    why = "it contains a NUL byte";
  } else if (path.size() > kFilePathBytesMax) {
    why = "it is too long";
  }
  if (why.empty()) return {};
  return fail(Code::file_path_invalid, fmt::format("'{}' is no path of a file: {}", keys::printable(path.substr(0, 80)), why));
}

namespace keys {

std::string meta(std::string_view name) { return plain_key(kMeta, name); }
std::string node_order(const WorkerId& worker) { return meta(std::string{kNodeOrder} + worker.value); }
std::string access_token(std::string_view id) { return meta(std::string{kAccessToken}.append(id)); }
std::string package(std::string_view hash) { return plain_key(kPackage, hash); }
std::string blob(std::string_view hash, std::uint32_t part) {
  auto key = plain_key(kBlob, hash);
  append_be32(key, part);
  return key;
}
std::string summary(const ChainId& chain) { return chain_key(kSummary, chain); }
std::string checkpoint(const ChainId& chain) { return chain_key(kCheckpoint, chain); }

std::string event(const ChainId& chain, Sequence sequence) {
  auto key = chain_key(kEvent, chain);
  append_be64(key, sequence.value);
  return key;
}

std::string item(const ChainId& chain, VisitId visit, ItemIndex item) {
  auto key = visit_key(kItem, chain, visit);
  append_be32(key, item);
  return key;
}

std::string inputs(const ChainId& chain, VisitId visit, std::uint32_t chunk) {
  auto key = visit_key(kInputs, chain, visit);
  append_be32(key, chunk);
  return key;
}

std::string task_checkpoint(const ChainId& chain, VisitId visit, ItemIndex item) { return note_key(chain, visit, item, kTaskCheckpoint); }
std::string task_progress(const ChainId& chain, VisitId visit, ItemIndex item) { return note_key(chain, visit, item, kTaskProgress); }

std::string log_segment(const ChainId& chain, std::uint64_t number) {
  auto key = chain_key(kLog, chain);
  append_be64(key, number);
  return key;
}

std::string index(std::string_view status, UnixMillis started_at, const ChainId& chain) {
  return newest_first(plain_key(kIndex, status), started_at, chain);
}

std::string label_entry(std::string_view label, UnixMillis started_at, const ChainId& chain) {
  return newest_first(plain_key(kLabel, label), started_at, chain);
}

std::string submission(std::string_view key) { return std::string{kSubmission, kOfKey}.append(key); }

std::string submission_end(UnixMillis expires_at, std::string_view key) {
  std::string end{kSubmission, kEnd};
  append_be64(end, ordered_time(expires_at));
  return end.append(key);
}

std::string file(std::string_view path) {
  auto key = plain_key(kFile, path);
  if (const auto slash = key.rfind('/'); slash != std::string::npos) key[slash] = '\0';
  return key;
}

std::string file_version(std::string_view path, std::uint64_t version) {
  auto key = path_key(kFileVersion, path);
  append_be64(key, ~version);
  return key;
}

std::string file_put(std::string_view path, std::string_view mark) {
  auto key = path_key(kFilePut, path);
  key.append(mark);
  return key;
}

Range events(const ChainId& chain, Sequence from) { return {event(chain, from), after(chain_key(kEvent, chain))}; }

Range items(const ChainId& chain, VisitId visit, ItemIndex from, ItemIndex to) { return {item(chain, visit, from), item(chain, visit, to)}; }

std::string notice(std::uint64_t number) { return numbered_key(kNotice, number); }

Range notices(std::uint64_t first, std::uint64_t end) { return numbered_range(kNotice, first, end); }

std::string audit_entry(std::uint64_t number) { return numbered_key(kAudit, number); }

Range audit_entries(std::uint64_t first, std::uint64_t end) { return numbered_range(kAudit, first, end); }

std::string delivery(std::string_view id) { return plain_key(kOutbox, kDelivery).append(id); }

std::string delivery_body(std::string_view id) { return plain_key(kOutbox, kDeliveryBody).append(id); }

std::string schedule(std::string_view name) { return plain_key(kSchedule, kScheduleSaid).append(name); }

std::string schedule_state(std::string_view name) { return plain_key(kSchedule, kScheduleState).append(name); }

std::string approval(UnixMillis since, const ChainId& chain, StepIndex step) {
  std::string key{kApproval};
  append_be64(key, ordered_time(since));
  key.append(chain.value).push_back('\0');
  append_be32(key, step);
  return key;
}

Range approvals(std::string_view after_key) {
  const std::string all{kApproval};
  return {after_key.empty() ? all : std::string{after_key}.append(1, '\0'), after(all)};
}

Range schedules(std::string_view after_name) {
  const auto all = schedule({});
  return {after_name.empty() ? all : schedule(after_name).append(1, '\0'), after(all)};
}

Range deliveries(std::string_view after_id) {
  const auto all = delivery({});
  return {after_id.empty() ? all : delivery(after_id).append(1, '\0'), after(all)};
}

Range task_notes(const ChainId& chain) {
  auto from = chain_key(kNotes, chain);
  auto to = after(from);
  return {std::move(from), std::move(to)};
}

Range logs_of(const ChainId& chain) { return log_segments(chain, 0); }

Range log_segments(const ChainId& chain, std::uint64_t first) { return {log_segment(chain, first), after(chain_key(kLog, chain))}; }

Range summaries_below(const ChainId& chain) {
  auto from = plain_key(kSummary, chain.value) + '/';
  auto to = after(from);
  return {std::move(from), std::move(to)};
}

std::string removal(const ChainId& chain) { return chain_key(kRemoval, chain); }

Range removals() { return {std::string{kRemoval}, after(std::string{kRemoval})}; }

std::vector<Range> all_of_chain(const ChainId& chain) {
  std::vector<Range> ranges;
  for (const auto space : kOfChains) {
    auto from = chain_key(space, chain);
    auto to = after(from);
    ranges.push_back({std::move(from), std::move(to)});
  }
  return ranges;
}

std::vector<Range> all_below_chain(const ChainId& chain) {
  std::vector<Range> ranges;
  for (const auto space : kOfChains) {
    auto from = plain_key(space, chain.value) + '/';
    auto to = after(from);
    ranges.push_back({std::move(from), std::move(to)});
  }
  return ranges;
}

Range packages() { return {std::string{kPackage}, after(std::string{kPackage})}; }
Range blobs() { return {std::string{kBlob}, after(std::string{kBlob})}; }
Range file_versions_all() { return {std::string{kFileVersion}, after(std::string{kFileVersion})}; }
Range summaries() { return {std::string{kSummary}, after(std::string{kSummary})}; }
Range indices() { return {std::string{kIndex}, after(std::string{kIndex})}; }
Range name_entries() { return {std::string{kName}, after(std::string{kName})}; }
Range label_entries() { return {std::string{kLabel}, after(std::string{kLabel})}; }

Range submissions() {
  std::string prefix{kSubmission, kOfKey};
  return {prefix, after(prefix)};
}

Range submission_ends() {
  std::string prefix{kSubmission, kEnd};
  return {prefix, after(prefix)};
}

Space space_of(std::string_view key) {
  switch (key.empty() ? '\0' : key.front()) {
    case kMeta: return Space::meta;
    case kPackage: return Space::packages;
    case kSummary: return Space::summaries;
    case kEvent: return Space::journal;
    case kItem: return Space::ledger;
    case kInputs: return Space::inputs;
    case kCheckpoint: return Space::checkpoints;
    case kBlob: return Space::blobs;
    case kIndex: return Space::index;
    case kFile: return Space::files;
    case kFileVersion: return Space::file_versions;
    case kFilePut: return Space::file_puts;
    case kRemoval: return Space::removals;
    case kLog: return Space::logs;
    case kNotice: return Space::feed;
    case kLabel: return Space::labels;
    case kSubmission: return Space::submissions;
    case kAudit: return Space::audit;
    case kOutbox: return Space::outbox;
    case kSchedule: return Space::schedules;
    case kName: return Space::names;
    case kApproval: return Space::approvals;
    case kNotes: return Space::notes;
    default: return Space::unknown;
  }
}

std::string_view hash_of_package(std::string_view package_key) { return package_key.substr(std::min<std::size_t>(1, package_key.size())); }

std::string_view name_of_blob(std::string_view blob_key) {
  constexpr std::size_t kAround = 1 + 4;  // the space, the part
  return blob_key.size() <= kAround ? std::string_view{} : blob_key.substr(1, blob_key.size() - kAround);
}

Range node_controls() {
  auto prefix = meta(kNodeOrder);
  return {prefix, after(prefix)};
}

Range access_tokens() {
  auto prefix = meta(kAccessToken);
  return {prefix, after(prefix)};
}

Range index_of(std::string_view status) {
  auto prefix = plain_key(kIndex, status);
  prefix.push_back('\0');
  return {prefix, after(prefix)};
}

Range label_entries_of(std::string_view label) {
  auto prefix = plain_key(kLabel, label);
  prefix.push_back('\0');
  return {prefix, after(prefix)};
}

Range files_in(std::string_view directory) {
  auto prefix = path_key(kFile, without_root(directory));
  return {prefix, after(prefix)};
}

Range files_below(std::string_view directory) {
  auto prefix = plain_key(kFile, without_root(directory));
  prefix.push_back('/');
  return {prefix, after(prefix)};
}

Range file_versions(std::string_view path) {
  auto prefix = path_key(kFileVersion, path);
  return {prefix, after(prefix)};
}

std::optional<Sequence> sequence_of(std::string_view event_key) {
  const auto end = event_key.find('\0');
  if (end == std::string_view::npos || event_key.size() != end + 1 + 8) return {};
  return read_be64(event_key.substr(end + 1));
}

std::optional<std::uint64_t> number_of_segment(std::string_view log_key) {
  const auto sequence = sequence_of(log_key);
  return sequence ? std::optional{sequence->value} : std::nullopt;
}

std::optional<std::uint64_t> number_of_notice(std::string_view notice_key) { return number_in(kNotice, notice_key); }

std::optional<std::uint64_t> number_of_audit_entry(std::string_view audit_key) { return number_in(kAudit, audit_key); }

std::optional<ItemIndex> item_of(std::string_view item_key) {
  const auto end = item_key.find('\0');
  if (end == std::string_view::npos || item_key.size() != end + 1 + 12) return {};
  return read_be32(item_key.substr(end + 1 + 8));
}

std::optional<TaskOfNotes> task_of_notes(std::string_view notes_key) {
  const auto end = notes_key.find('\0');
  if (notes_key.empty() || notes_key.front() != kNotes || end == std::string_view::npos || notes_key.size() != end + 1 + 13) return std::nullopt;
  const auto numbers = notes_key.substr(end + 1);
  return TaskOfNotes{{read_be32(numbers), read_be32(numbers.substr(4))}, read_be32(numbers.substr(8))};
}

std::optional<ChainId> chain_of_summary(std::string_view summary_key) {
  if (summary_key.size() < 3 || summary_key.front() != kSummary || summary_key.back() != '\0') return std::nullopt;
  return ChainId{std::string{summary_key.substr(1, summary_key.size() - 2)}};
}

std::optional<ChainId> chain_of_removal(std::string_view removal_key) {
  if (removal_key.size() < 3 || removal_key.front() != kRemoval || removal_key.back() != '\0') return std::nullopt;
  return ChainId{std::string{removal_key.substr(1, removal_key.size() - 2)}};
}

std::optional<ChainId> chain_of_index(std::string_view index_key) {
  const auto end = index_key.find('\0');
  if (end == std::string_view::npos || index_key.size() <= end + 1 + 8) return {};
  return ChainId{std::string{index_key.substr(end + 1 + 8)}};
}

std::string index_place(UnixMillis started_at, const ChainId& chain) { return newest_first({}, started_at, chain).substr(1); }

UnixMillis time_of_index_place(std::string_view place) {
  return place.size() < 8 ? 0 : static_cast<UnixMillis>(ordered_time(static_cast<UnixMillis>(~read_be64(place))));
}

ChainId chain_of_index_place(std::string_view place) { return ChainId{std::string{place.substr(std::min<std::size_t>(place.size(), 8))}}; }

std::string_view label_of_entry(std::string_view label_key) {
  const auto end = label_key.find('\0');
  return label_key.empty() || end == std::string_view::npos ? std::string_view{} : label_key.substr(1, end - 1);
}

std::optional<std::string> key_of_submission_end(std::string_view submission_end_key) {
  constexpr std::size_t kBefore = 2 + 8;
  if (submission_end_key.size() <= kBefore) return std::nullopt;
  return std::string{submission_end_key.substr(kBefore)};
}

UnixMillis time_of_submission_end(std::string_view submission_end_key) {
  if (submission_end_key.size() < 2 + 8) return 0;
  return static_cast<UnixMillis>(ordered_time(static_cast<UnixMillis>(read_be64(submission_end_key.substr(2)))));
}

WorkerId worker_of_order(std::string_view node_order_key) {
  return WorkerId{std::string{node_order_key.substr(std::min(1 + kNodeOrder.size(), node_order_key.size()))}};
}

std::optional<std::string> path_of_file(std::string_view file_key) {
  const auto end = file_key.find('\0');
  if (file_key.empty() || end == std::string_view::npos || end + 1 == file_key.size()) return {};
  std::string path{file_key.substr(1)};
  path[end - 1] = '/';
  return path;
}

std::optional<std::uint64_t> version_of_file(std::string_view file_version_key) {
  const auto end = file_version_key.find('\0');
  if (end == std::string_view::npos || file_version_key.size() != end + 1 + 8) return {};
  return ~read_be64(file_version_key.substr(end + 1));
}

std::string printable(std::string_view key) {
  std::string text;
  for (const auto byte : key) {
    if (byte >= 0x20 && byte < 0x7f) {
      text.push_back(byte);
    } else {
      fmt::format_to(std::back_inserter(text), "\\x{:02x}", static_cast<unsigned char>(byte));
    }
  }
  return text;
}

}  // namespace keys
}  // namespace catena::storage
