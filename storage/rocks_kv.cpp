#include "storage/rocks_kv.hpp"

#include <fmt/format.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/write_batch.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "base/failpoint.hpp"
#include "storage/anchor.hpp"
#include "storage/keys.hpp"
#include "storage/meta.hpp"
#include "storage/owner_file.hpp"
#include "storage/rocks_file_system.hpp"
#include "storage/rocks_tuning.hpp"

namespace catena::storage {
namespace {

namespace fs = std::filesystem;

/// Logs replayed at opening cost time; beyond these they are turned into a table, at opening or at closing.
constexpr std::size_t kLogFilesMax = 16;
constexpr std::uint64_t kLogBytesMax = 4UL << 20U;
/// A reader beside a writer may meet files that are just going away.
constexpr int kReadOnlyTries = 8;
constexpr std::chrono::milliseconds kReadOnlyPause{2};
/// A batch buffer that a huge value has blown up is given back.
constexpr std::size_t kPendingBytesKept = 4UL << 20U;

fs::path anchor_file(const fs::path& directory) { return directory / "anchor"; }
fs::path owner_file(const fs::path& directory) { return directory / "owner"; }

rocksdb::Slice slice(std::string_view bytes) { return {bytes.data(), bytes.size()}; }
std::string_view view(const rocksdb::Slice& bytes) { return {bytes.data(), bytes.size()}; }

tl::unexpected<Error> locked(const fs::path& directory) {
  return fail(Code::storage_locked,
              fmt::format("the data directory '{}' is in use by {}; wait for it, stop it, or give this process another data directory",
                          directory.string(), describe_owner(owner_file(directory))));
}

tl::unexpected<Error> rewound(const fs::path& directory, std::uint64_t found, std::uint64_t promised) {
  return fail(Code::storage_rewound,
              fmt::format("the data in '{}' ends at commit {}, but commit {} was acknowledged: {} commits are lost (a log file is missing or "
                          "damaged). Restore the directory from a backup, or go on with what is there by CATENA_STORAGE__ACCEPT_REWOUND=true",
                          directory.string(), found, promised, promised - found));
}

Error error_from(const rocksdb::Status& status, std::string_view doing, const fs::path& directory, const RecentWarnings& warnings) {
  Error error;
  if (status.IsCorruption()) {
    error = make_error(Code::storage_corrupt, fmt::format("cannot {} '{}': {}; restore the data directory from a backup", doing,
                                                          directory.string(), status.ToString()));
  } else if (status.IsNoSpace()) {
    error = make_error(Code::storage_io, fmt::format("cannot {} '{}': the disk is full; make room and start again", doing, directory.string()));
  } else {
    error = make_error(Code::storage_io, fmt::format("cannot {} '{}': {}; check the disk and the permissions of the data directory", doing,
                                                     directory.string(), status.ToString()));
  }
  error.notes = warnings.lines();
  return error;
}

/// RocksDB has no status of its own for a lock that is taken.
bool says_locked(const rocksdb::Status& status) {
  const auto text = status.ToString();
  return status.IsIOError() &&
         (text.find("While lock file") != std::string::npos || text.find("lock hold by current process") != std::string::npos);
}

Result<void> make_directory(const fs::path& directory) {
  std::error_code code;
  if (fs::create_directories(directory, code)) fs::permissions(directory, fs::perms::owner_all, code);
  if (code) {
    return fail(Code::storage_io, fmt::format("cannot make the data directory '{}': {}; choose another place or correct its permissions",
                                              directory.string(), code.message()));
  }
  return {};
}

/// Names and sizes of the log files.
std::map<std::string, std::uint64_t> log_files(const fs::path& directory) {
  std::map<std::string, std::uint64_t> logs;
  std::error_code code;
  for (fs::directory_iterator at{directory, code}, end; !code && at != end; at.increment(code)) {
    if (at->path().extension() != ".log") continue;
    std::error_code gone;
    const auto size = at->file_size(gone);
    if (!gone) logs.emplace(at->path().filename().string(), size);
  }
  return logs;
}

bool logs_pile_up(const fs::path& directory) {
  const auto logs = log_files(directory);
  std::uint64_t bytes = 0;
  for (const auto& [file, size] : logs) bytes += size;
  return logs.size() > kLogFilesMax || bytes > kLogBytesMax;
}

/// A log that went while a reader opened leaves a hole in what it sees, and one that came may have had a predecessor that went.
bool same_logs(const fs::path& directory, const std::map<std::string, std::uint64_t>& before) {
  const auto now = log_files(directory);
  return std::equal(now.begin(), now.end(), before.begin(), before.end(), [](const auto& a, const auto& b) { return a.first == b.first; });
}

}  // namespace

struct RocksKv::Impl {
  fs::path directory;
  bool read_only = false;
  std::shared_ptr<RecentWarnings> warnings = std::make_shared<RecentWarnings>();
  std::unique_ptr<rocksdb::Env> env = rocksdb::NewCompositeEnv(quick_file_system());
  std::unique_ptr<rocksdb::DB> db;
  std::optional<Anchor> anchor;  // none: opened read-only, or not opened to the end
  rocksdb::WriteBatch pending;
  std::optional<Error> broken;
  std::uint64_t epoch = 0;
  std::atomic<std::uint64_t> durable = 0;  // the last commit that is known to be on disk
  bool unlogged = false;      // something was written that stands in no log
  std::atomic<std::uint64_t> commit = 0;

  [[nodiscard]] Error error(const rocksdb::Status& status, std::string_view doing) const {
    return error_from(status, doing, directory, *warnings);
  }

  Result<void> open_database(bool create) {
    auto options = tuned_options(warnings);
    options.env = env.get();
    options.create_if_missing = create;
    rocksdb::DB* opened = nullptr;
    const auto status = read_only ? rocksdb::DB::OpenForReadOnly(options, directory.string(), &opened)
                                  : rocksdb::DB::Open(options, directory.string(), &opened);
    if (says_locked(status)) return locked(directory);
    if (!status.ok()) return fail(error(status, "open the database in"));
    db.reset(opened);
    return {};
  }

  Result<void> check(const RocksKv& kv, std::uint64_t promised, bool accept_rewound) {
    const auto meta = load_meta(kv, directory.string());
    if (!meta) return fail(meta.error());
    if (meta->commit < promised && !accept_rewound) return rewound(directory, meta->commit, promised);
    epoch = meta->epoch;
    commit = meta->commit;
    return {};
  }

  Result<void> flush() {
    if (const auto status = db->Flush({}); !status.ok()) return fail(error(status, "flush the database in"));
    return {};
  }

  /// With the database locked: who we are, whether it is what was promised, and the anchor.
  Result<void> take_over(const RocksKv& kv, bool accept_rewound) {
    if (auto written = write_owner(owner_file(directory)); !written) return written;
    auto opened = Anchor::open(anchor_file(directory));
    if (!opened) return fail(opened.error());
    if (auto checked = check(kv, opened->number(), accept_rewound); !checked) return checked;
    const bool loss_accepted = opened->number() > commit;
    if (loss_accepted) {
      if (auto forgotten = opened->reset(commit); !forgotten) return forgotten;
    }
    // A damaged log must not be read again behind the commits that follow.
    if (loss_accepted || logs_pile_up(directory)) {
      if (auto flushed = flush(); !flushed) return flushed;
    }
    anchor = std::move(*opened);
    ++epoch;
    return {};
  }

  /// What was written without waiting for the disk.
  Result<void> settle() {
    if (unlogged || logs_pile_up(directory)) {
      if (auto flushed = flush(); !flushed) return flushed;
    } else if (durable < commit) {
      if (const auto status = db->SyncWAL(); !status.ok()) return fail(error(status, "sync the log in"));
    }
    return durable < commit ? anchor->record(commit) : Result<void>{};
  }
};

RocksKv::RocksKv(std::unique_ptr<Impl> impl) : impl_{std::move(impl)} {}

RocksKv::~RocksKv() { static_cast<void>(close()); }

bool RocksKv::exists(const fs::path& directory) {
  std::error_code code;
  return fs::exists(directory / "CURRENT", code);
}

Result<std::unique_ptr<RocksKv>> RocksKv::open(const fs::path& directory, const RocksOptions& options) {
  if (!exists(directory) && (options.read_only || !options.create)) {
    return fail(Code::storage_io, fmt::format("there is no database in '{}'; the first chain that is run there makes one", directory.string()));
  }
  return options.read_only ? open_for_reading(directory, options) : open_for_writing(directory, options);
}

Result<std::unique_ptr<RocksKv>> RocksKv::open_for_writing(const fs::path& directory, const RocksOptions& options) {
  if (!exists(directory)) {
    if (auto made = make_directory(directory); !made) return fail(made.error());
    const auto promised = Anchor::read(anchor_file(directory));
    if (!promised) return fail(promised.error());
    // Told before a new database is made where one has vanished.
    if (*promised > 0 && !options.accept_rewound) return rewound(directory, 0, *promised);
  }
  std::unique_ptr<RocksKv> kv{new RocksKv{std::make_unique<Impl>()}};
  auto& impl = *kv->impl_;
  impl.directory = directory;
  if (auto opened = impl.open_database(options.create); !opened) return fail(opened.error());
  if (auto taken = impl.take_over(*kv, options.accept_rewound); !taken) return fail(taken.error());
  if (auto written = kv->write(opening_batch(impl.epoch), Durability::sync); !written) return fail(written.error());
  return kv;
}

Result<std::unique_ptr<RocksKv>> RocksKv::open_for_reading(const fs::path& directory, const RocksOptions& options) {
  Error last;
  for (int tries = 0; tries < kReadOnlyTries; ++tries) {
    if (tries > 0) std::this_thread::sleep_for(kReadOnlyPause * (1 << tries));
    const auto logs = log_files(directory);
    // Read first: a writer beside us only adds to what the anchor promised. Less than that is a log that it was just replacing.
    const auto promised = Anchor::read(anchor_file(directory));
    if (!promised) return fail(promised.error());
    std::unique_ptr<RocksKv> kv{new RocksKv{std::make_unique<Impl>()}};
    auto& impl = *kv->impl_;
    impl.directory = directory;
    impl.read_only = true;
    auto opened = impl.open_database(false);
    if (opened) opened = impl.check(*kv, *promised, options.accept_rewound);
    if (opened && !same_logs(directory, logs)) {
      opened = fail(Code::storage_io, fmt::format("the database in '{}' changes too fast to be opened beside its writer; try again", directory.string()));
    }
    if (opened) return kv;
    last = opened.error();
    if (last.code == Code::storage_format) break;
  }
  return fail(std::move(last));
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
  const auto number = impl.commit.load() + 1;
  rocksdb::Status filled;
  batch.for_each([&](Batch::Op op, std::string_view key, std::string_view value) {
    const auto added = op == Batch::Op::put ? impl.pending.Put(slice(key), slice(value)) : impl.pending.Delete(slice(key));
    if (!added.ok()) filled = added;
  });
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
  impl.commit = number;
  impl.unlogged |= durability == Durability::none;
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

Result<void> RocksKv::close() {
  auto& impl = *impl_;
  if (!impl.db) return {};
  Result<void> outcome;
  if (impl.anchor && !impl.broken) outcome = impl.settle();
  if (const auto status = impl.db->Close(); !status.ok() && outcome) outcome = fail(impl.error(status, "close the database in"));
  impl.anchor.reset();
  // While the lock is still held: afterwards the file may be the next owner's.
  std::error_code ignored;
  if (!impl.read_only) fs::remove(owner_file(impl.directory), ignored);
  impl.db.reset();
  return outcome;
}

}  // namespace catena::storage
