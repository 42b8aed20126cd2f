#include "storage/rocks_kv.hpp"

#include <fmt/format.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/write_batch.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/failpoint.hpp"
#include "storage/anchor.hpp"
#include "storage/data_directory.hpp"
#include "storage/keys.hpp"
#include "storage/log_files.hpp"
#include "storage/meta.hpp"
#include "storage/name_index.hpp"
#include "storage/owner_file.hpp"
#include "storage/rocks_file_system.hpp"
#include "storage/rocks_lock.hpp"
#include "storage/rocks_logs.hpp"
#include "storage/rocks_status.hpp"
#include "storage/rocks_survey.hpp"
#include "storage/rocks_tuning.hpp"

namespace catena::storage {
namespace {

namespace fs = std::filesystem;

/// A reader beside a writer may meet files that are just going away. A writer of 100 MB/s replaces its log six times a second. A reader that takes
/// as long to open, as under a sanitizer, came through in about two of five tries.
constexpr int kReadOnlyTries = 24;
constexpr std::chrono::milliseconds kReadOnlyPause{2};
constexpr int kReadOnlyPauseDoubled = 5;  // times at most
/// A batch buffer that a huge value has blown up is given back.
constexpr std::size_t kPendingBytesKept = 4UL << 20U;

fs::path anchor_file(const fs::path& directory) { return directory / "anchor"; }
fs::path owner_file(const fs::path& directory) { return directory / "owner"; }

DamagedAnchor damaged_anchor(const RocksOptions& options) { return options.accept_rewound ? DamagedAnchor::forget : DamagedAnchor::refuse; }

rocksdb::Slice slice(std::string_view bytes) { return {bytes.data(), bytes.size()}; }
std::string_view view(const rocksdb::Slice& bytes) { return {bytes.data(), bytes.size()}; }

rocksdb::Status add_to(rocksdb::WriteBatch& pending, Batch::Op op, std::string_view key, std::string_view value) {
  switch (op) {
    case Batch::Op::put: return pending.Put(slice(key), slice(value));
    case Batch::Op::remove: return pending.Delete(slice(key));
    case Batch::Op::remove_range: return pending.DeleteRange(slice(key), slice(value));
  }
  return rocksdb::Status::Corruption("a change of no kind");
}

struct Change {
  Batch::Op op;
  std::string_view key;
  std::string_view value;
};

/// By their keys; those of one key stay in their order. A batch has runs that are in order: of each report and of each chain one.
void sort_runs(std::vector<Change>& changes) {
  const auto by_key = [](const Change& a, const Change& b) { return a.key < b.key; };
  const auto begin = changes.begin();
  std::vector<decltype(changes.begin())> ends{begin};
  while (ends.back() != changes.end()) ends.push_back(std::is_sorted_until(ends.back(), changes.end(), by_key));
  while (ends.size() > 2) {
    std::vector<decltype(changes.begin())> merged{begin};
    for (std::size_t at = 2; at < ends.size(); at += 2) {
      std::inplace_merge(ends[at - 2], ends[at - 1], ends[at], by_key);
      merged.push_back(ends[at]);
    }
    if (merged.back() != changes.end()) merged.push_back(changes.end());
    ends = std::move(merged);
  }
}

/// Adds the changes in the order of their keys: the memtable searches for the place of a key from its top, unless the key comes right behind the one
/// added before. Chains that end together write alike keys, so most need no search. A range removes what was added before it, so a batch with ranges
/// keeps its order.
rocksdb::Status add_all(rocksdb::WriteBatch& pending, const Batch& batch) {
  bool ranges = false;
  std::vector<Change> changes;
  changes.reserve(batch.count());
  batch.for_each([&](Batch::Op op, std::string_view key, std::string_view value) {
    ranges = ranges || op == Batch::Op::remove_range;
    changes.push_back({op, key, value});
  });
  if (!ranges) sort_runs(changes);
  for (const auto& change : changes) {
    if (auto added = add_to(pending, change.op, change.key, change.value); !added.ok()) return added;
  }
  return {};
}

tl::unexpected<Error> rewound(const fs::path& directory, const LogVerdict& logs, std::uint64_t promised) {
  const auto why = logs.behind_gap ? fmt::format("'{:06}.log' goes on behind a gap: a log before it is missing, empty or damaged", *logs.behind_gap)
                                   : std::string{"a log file is missing or damaged"};
  return fail(Code::storage_rewound,
              fmt::format("the data in '{}' ends at commit {}, but commit {} was acknowledged: {} commits are lost ({}). Restore the directory "
                          "from a backup, or go on with what is there by CATENA_STORAGE__ACCEPT_REWOUND=true",
                          directory.string(), logs.end, promised, promised - logs.end, why));
}

}  // namespace

struct RocksKv::Impl {
  fs::path directory;
  bool read_only = false;
  std::optional<RocksLock> lock;  // none: opened read-only
  std::shared_ptr<RecentWarnings> warnings = std::make_shared<RecentWarnings>();
  std::shared_ptr<StorePlace> place = std::make_shared<StorePlace>();
  std::unique_ptr<rocksdb::Env> env = rocksdb::NewCompositeEnv(quick_file_system(place));
  std::unique_ptr<LogGuard> guard;
  std::unique_ptr<rocksdb::DB> db;
  std::optional<Anchor> anchor;  // none: opened read-only, or not opened to the end
  rocksdb::WriteBatch pending;
  std::optional<Error> broken;
  std::optional<std::string> put_right;
  bool owner_written = false;
  std::uint64_t epoch = 0;
  std::atomic<std::uint64_t> durable = 0;  // the last commit that is known to be on disk
  std::uint64_t logged = 0;                // the last commit that stands in a log, or stood there when the store was opened
  bool unlogged = false;                   // something was written that stands in no log
  std::atomic<std::uint64_t> commit = 0;

  [[nodiscard]] Error error(const rocksdb::Status& status, std::string_view doing) const { return error_from(status, doing, directory, *warnings); }

  Result<void> open_database(bool create, std::uint64_t in_tables) {
    guard = std::make_unique<LogGuard>(in_tables);
    auto options = tuned_options(warnings);
    options.env = env.get();
    options.wal_filter = guard.get();
    options.create_if_missing = create;
    if (!read_only) delete_in_pieces(options);
    rocksdb::DB* opened = nullptr;
    const auto status =
        read_only ? rocksdb::DB::OpenForReadOnly(options, directory.string(), &opened) : rocksdb::DB::Open(options, directory.string(), &opened);
    if (!status.ok()) return fail(error(status, "open the database in"));
    db.reset(opened);
    return {};
  }

  /// What was found in the directory against what was promised: before the database is opened, and afterwards what it recovered to.
  [[nodiscard]] Result<void> check_logs(const LogVerdict& logs, std::uint64_t anchored, bool accept_rewound) const {
    const auto promised = std::max(anchored, logs.promised);
    if (logs.end < promised && !accept_rewound) return rewound(directory, logs, promised);
    return {};
  }

  Result<void> check(const RocksKv& kv, LogVerdict logs, std::uint64_t anchored, bool accept_rewound) {
    const auto meta = load_meta(kv, directory.string());
    if (!meta) return fail(meta.error());
    logs.end = meta->commit;
    if (auto checked = check_logs(logs, anchored, accept_rewound); !checked) return checked;
    epoch = meta->epoch;
    commit = logged = meta->commit;
    return {};
  }

  Result<void> flush() {
    if (const auto status = db->Flush({}); !status.ok()) return fail(error(status, "flush the database in"));
    return {};
  }

  /// With the database open: whether it is what was promised, and the anchor.
  Result<void> take_over(const RocksKv& kv, const Survey& found, std::uint64_t anchored, const RocksOptions& options) {
    if (auto checked = check(kv, found.logs, anchored, options.accept_rewound); !checked) return checked;
    auto opened = Anchor::open(anchor_file(directory), damaged_anchor(options));
    if (!opened) return fail(opened.error());
    if (options.accept_rewound) {
      if (auto forgotten = opened->reset(commit); !forgotten) return forgotten;
    }
    // A damaged log, or one behind a gap, must not be read again behind the commits that follow.
    if (std::max(anchored, found.logs.promised) > commit || found.logs.set_aside || logs_pile_up(directory)) {
      if (auto flushed = flush(); !flushed) return flushed;
    }
    anchor = std::move(*opened);
    durable = commit.load();  // an owner who ended in order has synced it, else claim() has
    ++epoch;
    return {};
  }

  /// Says whose the directory is. An owner before who did not come to taking its file away may have left logs that are not yet on the disk;
  /// the commits that follow promise that they are.
  Result<void> claim() {
    std::error_code code;
    if (fs::exists(owner_file(directory), code)) {
      if (auto synced = sync_logs(directory); !synced) return synced;
    }
    owner_written = true;
    return write_owner(owner_file(directory));
  }

  [[nodiscard]] Result<void> check_place() const {
    if (place->has_lock()) return {};
    return fail(Code::storage_io,
                fmt::format("the data directory '{}', or the file LOCK in it, was deleted, moved or replaced while this process used "
                            "it: nothing more can be kept there",
                            directory.string()));
  }

  /// Whether what was just written can be found again.
  [[nodiscard]] Result<void> check_written() const {
    if (auto there = check_place(); !there) return there;
    if (place->has_log()) return {};
    return fail(Code::storage_io,
                fmt::format("the log that this process writes in the data directory '{}' was deleted: what is written is lost", directory.string()));
  }

  /// What was written without waiting for the disk.
  Result<void> settle() {
    if (unlogged || logs_pile_up(directory)) {
      if (auto flushed = flush(); !flushed) return flushed;
    } else if (durable < commit) {
      if (const auto status = db->SyncWAL(); !status.ok()) return fail(error(status, "sync the log in"));
    }
    if (auto there = check_written(); !there) return there;
    return durable < commit ? anchor->record(commit) : Result<void>{};
  }
};

RocksKv::RocksKv(std::unique_ptr<Impl> impl) : impl_{std::move(impl)} {}

RocksKv::~RocksKv() { static_cast<void>(close()); }

Result<bool> RocksKv::exists(const fs::path& directory) {
  const auto contents = contents_of(directory);
  if (!contents) return fail(contents.error());
  if (*contents == Contents::database) return true;
  const auto promised = Anchor::read(anchor_file(directory));
  if (!promised) return fail(promised.error());
  if (*promised > 0) return rewound(directory, {}, *promised);
  return false;
}

Result<std::unique_ptr<RocksKv>> RocksKv::open(const fs::path& directory, const RocksOptions& options) {
  if (options.read_only || !options.create) {
    const auto there = exists(directory);
    if (!there) return fail(there.error());
    if (!*there)
      return fail(Code::storage_io, fmt::format("there is no database in '{}'; the first chain that is run there makes one", directory.string()));
  }
  return options.read_only ? open_for_reading(directory, options) : open_for_writing(directory, options);
}

Result<std::unique_ptr<RocksKv>> RocksKv::open_for_writing(const fs::path& directory, const RocksOptions& options) {
  // Nothing is changed in a directory before all is known of it: a new database in the place of one that cannot be seen, or recovering one
  // that has lost something, would delete what can still be saved.
  if (const auto before = contents_of(directory); !before) return fail(before.error());
  if (auto own = make_own(directory); !own) return fail(own.error());
  std::unique_ptr<RocksKv> kv{new RocksKv{std::make_unique<Impl>()}};
  auto& impl = *kv->impl_;
  impl.directory = directory;
  auto lock = RocksLock::take(directory, owner_file(directory));
  if (!lock) return fail(lock.error());
  impl.lock.emplace(std::move(*lock));
  impl.place->set_lock(impl.lock->file());
  const auto contents = contents_of(directory);
  if (!contents) return fail(contents.error());
  const auto anchored = Anchor::read(anchor_file(directory), damaged_anchor(options));
  if (!anchored) return fail(anchored.error());
  auto found = *contents == Contents::database ? survey(directory) : Result<Survey>{};
  if (!found) return fail(found.error());
  if (auto checked = impl.check_logs(found->logs, *anchored, options.accept_rewound); !checked) return fail(checked.error());
  auto shut = shut_out_others(directory);
  if (!shut) return fail(shut.error());
  impl.put_right = std::move(*shut);
  if (auto claimed = impl.claim(); !claimed) return fail(claimed.error());
  if (auto opened = impl.open_database(*contents == Contents::nothing, found->in_tables); !opened) return fail(opened.error());
  if (auto taken = impl.take_over(*kv, *found, *anchored, options); !taken) return fail(taken.error());
  auto opening = opening_batch(impl.epoch);
  if (auto kept = keep_names_indexed(*kv, opening); !kept) return fail(kept.error());
  if (auto written = kv->write(opening, Durability::sync); !written) return fail(written.error());
  if (auto indexed = index_names(*kv); !indexed) return fail(indexed.error());
  return kv;
}

Result<std::unique_ptr<RocksKv>> RocksKv::open_for_reading(const fs::path& directory, const RocksOptions& options) {
  Error last;
  for (int tries = 0; tries < kReadOnlyTries; ++tries) {
    if (tries > 0) std::this_thread::sleep_for(kReadOnlyPause * (1 << std::min(tries, kReadOnlyPauseDoubled)));
    const auto logs = log_files(directory);
    const bool writer_beside = living_owner(owner_file(directory)).has_value();
    auto opened = read_once(directory, options);
    const bool changed = !same_logs(directory, logs);
    if (opened && !changed) return opened;
    last = opened ? make_error(Code::storage_io,
                               fmt::format("the database in '{}' changes too fast to be opened beside its writer; try again", directory.string()))
                  : opened.error();
    // With nobody beside us another try would find the same. A writer that cannot be seen from here may have filled zeros ahead of a log between two
    // of our reads.
    const bool seems_rewound = last.code == Code::storage_rewound && tries == 0;
    const bool may_change = changed || seems_rewound || writer_beside || living_owner(owner_file(directory));
    if (last.code == Code::storage_format || !may_change) break;
  }
  return fail(std::move(last));
}

Result<std::unique_ptr<RocksKv>> RocksKv::read_once(const fs::path& directory, const RocksOptions& options) {
  // Read first: a writer beside us only adds to what the anchor promised. Less than that is a log that it was just replacing.
  const auto anchored = Anchor::read(anchor_file(directory), damaged_anchor(options));
  if (!anchored) return fail(anchored.error());
  std::unique_ptr<RocksKv> kv{new RocksKv{std::make_unique<Impl>()}};
  auto& impl = *kv->impl_;
  impl.directory = directory;
  impl.read_only = true;
  const auto found = survey(directory);
  if (!found) return fail(found.error());
  if (auto checked = impl.check_logs(found->logs, *anchored, options.accept_rewound); !checked) return fail(checked.error());
  if (auto opened = impl.open_database(false, found->in_tables); !opened) return fail(opened.error());
  if (auto checked = impl.check(*kv, found->logs, *anchored, options.accept_rewound); !checked) return fail(checked.error());
  return kv;
}

Result<std::optional<std::string>> RocksKv::get(std::string_view key) const {
  std::string value;
  const auto status = impl_->db->Get({}, impl_->db->DefaultColumnFamily(), slice(key), &value);
  if (status.IsNotFound()) return std::nullopt;
  if (!status.ok()) return fail(impl_->error(status, fmt::format("read {} from", keys::printable(key))));
  return value;
}

Result<void> RocksKv::scan(std::string_view from, std::string_view to, const Visitor& visitor) const {
  rocksdb::ReadOptions options;
  const auto bound = slice(to);
  if (!to.empty()) options.iterate_upper_bound = &bound;
  const std::unique_ptr<rocksdb::Iterator> at{impl_->db->NewIterator(options)};
  for (at->Seek(slice(from)); at->Valid(); at->Next()) {
    if (!visitor(view(at->key()), view(at->value()))) return {};
  }
  if (!at->status().ok()) return fail(impl_->error(at->status(), fmt::format("read from {} on in", keys::printable(from))));
  return {};
}

Result<void> RocksKv::write(const Batch& batch, Durability durability) {
  auto& impl = *impl_;
  if (!impl.anchor) return fail(Code::internal, fmt::format("'{}' is opened read-only; nothing can be written to it", impl.directory.string()));
  if (impl.broken) return fail(*impl.broken);
  // Before: another process may have the directory. Afterwards: what was written must be found in it.
  if (auto there = impl.check_place(); !there) {
    impl.broken = there.error();
    return there;
  }
  const auto number = impl.commit.load() + 1;
  rocksdb::Status filled;
  if (durability != Durability::none) filled = impl.pending.PutLogData(log_data({number, impl.logged, impl.durable}));
  if (filled.ok()) filled = add_all(impl.pending, batch);
  if (filled.ok()) filled = impl.pending.Put(commit_key(), commit_record(number));
  rocksdb::WriteOptions options;
  options.sync = durability == Durability::sync;
  options.disableWAL = durability == Durability::none;
  CATENA_FAILPOINT("storage.before_write");
  const auto status = filled.ok() ? impl.db->Write(options, &impl.pending) : filled;
  CATENA_FAILPOINT("storage.after_write");
  impl.pending.Clear();
  if (batch.bytes() > kPendingBytesKept) impl.pending = rocksdb::WriteBatch{};
  if (!status.ok()) {
    impl.broken = impl.error(status, "write to");
    return fail(*impl.broken);
  }
  if (auto there = impl.check_written(); !there) {
    impl.broken = there.error();
    return there;
  }
  impl.commit = number;
  if (durability == Durability::none) {
    impl.unlogged = true;
  } else {
    impl.logged = number;
  }
  if (durability != Durability::sync) return {};
  if (auto anchored = impl.anchor->record(number); !anchored) {
    impl.broken = anchored.error();
    return anchored;
  }
  impl.durable = number;
  CATENA_FAILPOINT("storage.after_anchor");
  return {};
}

std::uint64_t RocksKv::epoch() const { return impl_->epoch; }

std::uint64_t RocksKv::commit() const { return impl_->commit; }

std::uint64_t RocksKv::durable_commit() const { return impl_->durable; }

const std::optional<std::string>& RocksKv::put_right() const { return impl_->put_right; }

Result<void> RocksKv::check_place() const { return impl_->check_place(); }

Result<void> RocksKv::compact() {
  auto& impl = *impl_;
  rocksdb::CompactRangeOptions options;
  options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
  options.blob_garbage_collection_policy = rocksdb::BlobGarbageCollectionPolicy::kForce;
  options.blob_garbage_collection_age_cutoff = 1.0;
  if (const auto status = impl.db->CompactRange(options, nullptr, nullptr); !status.ok()) return fail(impl.error(status, "compact the database in"));
  return {};
}

Result<void> RocksKv::close() {
  auto& impl = *impl_;
  Result<void> outcome;
  if (impl.db) {
    if (impl.anchor && !impl.broken) outcome = impl.settle();
    if (const auto status = impl.db->Close(); !status.ok() && outcome) outcome = fail(impl.error(status, "close the database in"));
    impl.anchor.reset();
  }
  // While the lock is still held: afterwards the file may be the next owner's.
  std::error_code ignored;
  const bool in_order = impl.owner_written && outcome && !impl.broken;
  if (in_order && impl.place->has_lock()) fs::remove(owner_file(impl.directory), ignored);
  impl.db.reset();
  impl.lock.reset();
  return outcome;
}

}  // namespace catena::storage
