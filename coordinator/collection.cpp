#include "coordinator/collection.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "storage/file_store.hpp"
#include "storage/keys.hpp"
#include "storage/record.hpp"

namespace catena::coordinator {
namespace {

namespace keys = storage::keys;

constexpr std::size_t kHashDigits = 64;
constexpr std::size_t kPrefixDigits = 16;
constexpr std::string_view kOfFile = "file-";
/// A part that is as large as parts of values are may not be the last.
constexpr std::size_t kValuePartBytes = 256UL << 10U;
constexpr std::size_t kAllAtOnce = 100'000;
constexpr std::size_t kBytesAtOnce = 64UL << 20U;
constexpr std::size_t kVictimsACommit = 256;

bool is_digit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

std::uint64_t value_of(char digit) { return static_cast<std::uint64_t>(digit <= '9' ? digit - '0' : digit - 'a' + 10); }

std::uint64_t prefix_of(std::string_view digits) {
  std::uint64_t prefix = 0;
  for (std::size_t at = 0; at < kPrefixDigits; ++at) prefix = (prefix << 4U) | value_of(digits[at]);
  return prefix;
}

bool is_hash(std::string_view text) { return text.size() == kHashDigits && std::ranges::all_of(text, is_digit); }

/// Content and the indices, which say what summaries say, name nothing; the digests of submissions and what webhooks send look as if they did.
bool may_name(std::string_view key) {
  using enum keys::Space;
  const auto space = keys::space_of(key);
  return space != blobs && space != index && space != meta && space != labels && space != submissions && space != outbox && space != approvals;
}

struct Content {
  std::string_view hash;
  Candidates::Kind kind;
};

/// What stands under a key of packages or blobs; no hash: something that is not to be collected.
Content content_at(std::string_view key, std::size_t record_bytes) {
  if (keys::space_of(key) == keys::Space::packages) return {keys::hash_of_package(key), Candidates::package};
  const auto name = keys::name_of_blob(key);
  if (name.starts_with(kOfFile))
    return {name.substr(kOfFile.size()), record_bytes >= storage::kFilePartBytes ? Candidates::long_file : Candidates::file};
  return {name, record_bytes >= kValuePartBytes ? Candidates::long_value : Candidates::value};
}

/// The first key behind all parts of the content at `key`.
std::string behind_content(std::string_view key) {
  if (keys::space_of(key) == keys::Space::packages) return std::string{key} + '\0';
  return keys::blob(keys::name_of_blob(key), UINT32_MAX) + '\0';
}

/// Packages stand behind blobs: one range after the other.
const std::array<keys::Range, 2>& content_ranges() {
  static const std::array ranges{keys::blobs(), keys::packages()};
  return ranges;
}

}  // namespace

std::shared_ptr<const void> ContentHolds::hold(std::string hash) {
  struct Hold {
    std::shared_ptr<ContentHolds> holds;
    std::string hash;
    Hold(std::shared_ptr<ContentHolds> of, std::string what) : holds{std::move(of)}, hash{std::move(what)} {}
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;
    ~Hold() {
      const std::lock_guard lock{holds->mutex_};
      if (const auto at = holds->held_.find(hash); --at->second == 0) holds->held_.erase(at);
    }
  };
  {
    const std::lock_guard lock{mutex_};
    ++held_[hash];
  }
  return std::make_shared<const Hold>(shared_from_this(), std::move(hash));
}

void ContentHolds::note_found(const std::string& hash) {
  const std::lock_guard lock{mutex_};
  if (found_.size() >= kFoundMax) found_.clear();  // clients choose how many there are
  found_.insert(hash);
}

bool ContentHolds::was_found(const std::string& hash) const {
  const std::lock_guard lock{mutex_};
  return found_.contains(hash);
}

void Candidates::add(std::string_view hash, Kind kind) {
  if (!is_hash(hash)) return;
  const std::lock_guard lock{mutex_};
  const auto [at, fresh] = contents_.try_emplace(prefix_of(hash));
  auto& content = at->second;
  if (fresh) std::ranges::copy(hash, content.hash.begin());
  if (std::ranges::equal(hash, content.hash)) content.kinds = static_cast<std::uint8_t>(content.kinds | kind);
}

void Candidates::note(std::string_view text) {
  const std::lock_guard lock{mutex_};
  note_locked(text);
}

void Candidates::note(const storage::Batch& batch) {
  const std::lock_guard lock{mutex_};
  if (contents_.empty()) return;
  batch.for_each([&](storage::Batch::Op op, std::string_view key, std::string_view bytes) {
    if (op != storage::Batch::Op::put) return;
    note_locked(key);
    if (may_name(key)) note_locked(bytes);
  });
}

/// Of 64 bytes from somewhere in a row of so many digits the last is one: most of a text is not looked at.
void Candidates::note_locked(std::string_view text) {
  for (std::size_t at = 0; at + kHashDigits <= text.size() && !contents_.empty();) {
    const auto last = at + kHashDigits - 1;
    if (!is_digit(text[last])) {
      at = last + 1;
      continue;
    }
    auto begin = last;
    while (begin > at && is_digit(text[begin - 1])) --begin;
    if (begin > at) {
      at = begin;
      continue;
    }
    auto end = last + 1;
    while (end < text.size() && is_digit(text[end])) ++end;
    auto prefix = prefix_of(text.substr(at));
    for (auto first = at;; ++first) {
      contents_.erase(prefix);
      if (first + kHashDigits >= end) break;
      prefix = (prefix << 4U) | value_of(text[first + kPrefixDigits]);
    }
    at = end;
  }
}

std::vector<Candidates::Victim> Candidates::take(std::size_t most) {
  const std::lock_guard lock{mutex_};
  std::vector<Victim> victims;
  while (victims.size() < most && !contents_.empty()) {
    const auto& content = contents_.begin()->second;
    auto& victim = victims.emplace_back();
    victim.hash.assign(content.hash.begin(), content.hash.end());
    victim.kinds = content.kinds;
    contents_.erase(contents_.begin());
  }
  return victims;
}

std::size_t Candidates::size() const {
  const std::lock_guard lock{mutex_};
  return contents_.size();
}

void remove_content(storage::Batch& batch, const Candidates::Victim& victim) {
  const auto has = [&](Candidates::Kind kind) { return (victim.kinds & kind) != 0; };
  const auto remove_parts = [&](const std::string& name, bool several) {
    if (several) {
      batch.remove_range(keys::blob(name, 0), keys::blob(name, UINT32_MAX));
    } else {
      batch.remove(keys::blob(name, 0));
    }
  };
  if (has(Candidates::package)) batch.remove(keys::package(victim.hash));
  if (has(Candidates::value) || has(Candidates::long_value)) remove_parts(victim.hash, has(Candidates::long_value));
  if (has(Candidates::file) || has(Candidates::long_file)) remove_parts(std::string{kOfFile} + victim.hash, has(Candidates::long_file));
}

Result<bool> ContentWalk::list(const storage::Kv& kv, Candidates& candidates, std::size_t contents_at_once, std::size_t candidates_max) {
  for (std::size_t count = 0; count < contents_at_once && candidates.size() < candidates_max; ++count) {
    bool found = false;
    for (const auto& range : content_ranges()) {
      if (listed_to_ >= range.to) continue;
      // One content: its other parts, which are large, are not read.
      const auto scanned = kv.scan(std::max(listed_to_, range.from), range.to, [&](std::string_view key, std::string_view value) {
        const auto content = content_at(key, value.size());
        candidates.add(content.hash, content.kind);
        listed_to_ = behind_content(key);
        found = true;
        return false;
      });
      if (!scanned) return fail(scanned.error());
      if (found) break;
      listed_to_ = range.to;
    }
    if (!found) return true;
  }
  return false;
}

Result<bool> ContentWalk::look(const storage::Kv& kv, Candidates& candidates, std::size_t records_at_once, std::size_t bytes_at_once) {
  std::size_t records = 0;
  std::size_t bytes = 0;
  bool all = true;
  const auto scanned = kv.scan(looked_to_, "", [&](std::string_view key, std::string_view value) {
    if (records >= records_at_once || bytes >= bytes_at_once) {
      all = false;
      looked_to_ = key;
      return false;
    }
    if (!may_name(key)) {  // all of that space
      all = false;
      looked_to_ = std::string{static_cast<char>(key.front() + 1)};
      return false;
    }
    ++records;
    bytes += key.size() + value.size();
    candidates.note(value);
    return true;
  });
  if (!scanned) return fail(scanned.error());
  return all;
}

namespace {

/// The next contents that nothing in the store names. False: there are more behind them.
Result<bool> list_unnamed(const storage::Kv& kv, ContentWalk& walk, Candidates& candidates) {
  const auto listed = walk.list(kv, candidates, kAllAtOnce, kAllAtOnce);
  if (!listed) return listed;
  walk.look_again();
  for (bool looked_all = candidates.size() == 0; !looked_all;) {
    const auto looked = walk.look(kv, candidates, kAllAtOnce, kBytesAtOnce);
    if (!looked) return looked;
    looked_all = *looked;
  }
  return listed;
}

Result<std::uint64_t> collect_once(storage::Kv& kv) {
  std::uint64_t removed = 0;
  ContentWalk walk;
  for (bool listed_all = false; !listed_all;) {
    Candidates candidates;
    const auto listed = list_unnamed(kv, walk, candidates);
    if (!listed) return fail(listed.error());
    listed_all = *listed;
    for (auto victims = candidates.take(kVictimsACommit); !victims.empty(); victims = candidates.take(kVictimsACommit)) {
      storage::Batch batch;
      for (const auto& victim : victims) remove_content(batch, victim);
      if (auto written = kv.write(batch, storage::Durability::async); !written) return fail(written.error());
      removed += victims.size();
    }
  }
  return removed;
}

}  // namespace

/// A package that goes may have been the last that named its programs.
Result<std::uint64_t> collect_all(storage::Kv& kv) {
  std::uint64_t all = 0;
  while (true) {
    const auto removed = collect_once(kv);
    if (!removed || *removed == 0) return removed ? Result<std::uint64_t>{all} : removed;
    all += *removed;
  }
}

Result<Uncollected> find_uncollected(const storage::Kv& kv) {
  Uncollected all;
  ContentWalk walk;
  for (bool listed_all = false; !listed_all;) {
    Candidates candidates;
    const auto listed = list_unnamed(kv, walk, candidates);
    if (!listed) return fail(listed.error());
    listed_all = *listed;
    const auto count = [&](const keys::Range& range) {
      return kv.scan(range.from, range.to, [&](std::string_view key, std::string_view value) {
        all.bytes += key.size() + value.size();
        return true;
      });
    };
    for (const auto& victim : candidates.take(kAllAtOnce)) {
      ++all.contents;
      for (const auto& name : {victim.hash, std::string{kOfFile} + victim.hash}) {
        if (auto counted = count({keys::blob(name, 0), keys::blob(name, UINT32_MAX)}); !counted) return fail(counted.error());
      }
      if (auto counted = count({keys::package(victim.hash), keys::package(victim.hash) + '\0'}); !counted) return fail(counted.error());
    }
  }
  return all;
}

}  // namespace catena::coordinator
