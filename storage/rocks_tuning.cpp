#include "storage/rocks_tuning.hpp"

#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/listener.h>
#include <rocksdb/sst_file_manager.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/table_properties_collectors.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/limits.hpp"
#include "base/thread_priority.hpp"

namespace catena::storage {
namespace {

constexpr std::size_t kWarningLinesKept = 8;
constexpr std::size_t kWarningBytesMax = 512;
constexpr std::size_t kMemtableBytes = 16UL << 20U;
constexpr int kMemtablesMax = 3;
constexpr double kMemtableBloomShare = 0.02;
constexpr int kOpenFilesMax = 256;
constexpr double kBloomBitsPerKey = 10;
constexpr double kBlobFilesCollected = 0.5;  // the oldest half of them
constexpr double kGarbageInBlobFile = 0.5;
// A table that removes so much is compacted soon: of this many keys in a row this many, or this share of all.
constexpr std::size_t kRemovalsWindow = 32'768;
constexpr std::size_t kRemovalsThatMatter = 16'384;
constexpr double kRemovalsShare = 0.5;

constexpr std::uint64_t kTableBytesPerSync = 1UL << 20U;
constexpr int kCompactionNice = 5;
// Compaction begins at so many tables of level 0. With more of them less is written again, and a read looks into more filters. Writes are held back
// only when compaction is far behind.
constexpr int kTablesBeforeCompaction = 12;
constexpr int kTablesBeforeSlowdown = 36;
constexpr int kTablesBeforeStop = 60;

constexpr std::int64_t kDeletedBytesPerSecond = 128L << 20U;
constexpr std::uint64_t kDeletedAtOnce = 1UL << 20U;
constexpr double kDeletedLaterMax = 8;  // times the size of the database; beyond it files are deleted at once

/// Compaction takes a second of a core at a time, and nobody waits for it as long as it keeps up: threads of others come first, which leaves it a
/// quarter of a core where all are busy.
class CompactionInBackground final : public rocksdb::EventListener {
 public:
  void OnCompactionBegin(rocksdb::DB* /*db*/, const rocksdb::CompactionJobInfo& /*job*/) override {
    thread_local const bool raised = (raise_nice(kCompactionNice), true);  // once a thread
    static_cast<void>(raised);
  }
};

rocksdb::CompressionType best_compression() {
  const auto supported = rocksdb::GetSupportedCompressions();
  const bool lz4 = std::find(supported.begin(), supported.end(), rocksdb::kLZ4Compression) != supported.end();
  return lz4 ? rocksdb::kLZ4Compression : rocksdb::kNoCompression;
}

}  // namespace

void RecentWarnings::Logv(const char* format, std::va_list arguments) {
  std::array<char, kWarningBytesMax> line{};
  if (std::vsnprintf(line.data(), line.size(), format, arguments) < 0) return;
  const std::lock_guard lock{mutex_};
  if (lines_.size() == kWarningLinesKept) lines_.pop_front();
  lines_.emplace_back(line.data());
}

std::vector<std::string> RecentWarnings::lines() const {
  const std::lock_guard lock{mutex_};
  return {lines_.begin(), lines_.end()};
}

rocksdb::Options tuned_options(std::shared_ptr<RecentWarnings> warnings) {
  rocksdb::Options options;
  options.info_log = std::move(warnings);
  options.info_log_level = rocksdb::InfoLogLevel::WARN_LEVEL;

  // A quick start: nothing is looked at before it is needed, and the log is replayed into memory but not rewritten as a table.
  // RocksKv flushes by itself when logs pile up.
  options.avoid_flush_during_recovery = true;
  options.skip_stats_update_on_db_open = true;
  options.skip_checking_sst_file_sizes_on_db_open = true;
  options.stats_dump_period_sec = 0;
  options.stats_persist_period_sec = 0;
  // Reserved space has to be cut off again when a file is closed, which a file system with `discard` takes milliseconds for.
  options.allow_fallocate = false;

  // The log is good up to its first damage; whether that is far enough, the anchor tells.
  options.wal_recovery_mode = rocksdb::WALRecoveryMode::kPointInTimeRecovery;

  // A small footprint.
  options.write_buffer_size = kMemtableBytes;
  options.max_write_buffer_number = kMemtablesMax;
  options.max_background_jobs = 2;
  // Whoever submits a chain asks for keys that are not there.
  options.memtable_whole_key_filtering = true;
  options.memtable_prefix_bloom_size_ratio = kMemtableBloomShare;
  options.max_open_files = kOpenFilesMax;
  options.compression = best_compression();

  // Tables are written to the disk as they grow: synced at once when they are whole, they would keep the log's next sync waiting for as long.
  options.bytes_per_sync = kTableBytesPerSync;

  options.listeners.push_back(std::make_shared<CompactionInBackground>());
  options.level0_file_num_compaction_trigger = kTablesBeforeCompaction;
  options.level0_slowdown_writes_trigger = kTablesBeforeSlowdown;
  options.level0_stop_writes_trigger = kTablesBeforeStop;

  // Large values stay out of compaction: it would copy them again and again.
  options.enable_blob_files = true;
  options.min_blob_size = limits::kInlineValueBytesMax;
  options.blob_compression_type = options.compression;
  // What was removed frees its place: a file of large values of which half are gone is written anew with the others.
  options.enable_blob_garbage_collection = true;
  options.blob_garbage_collection_age_cutoff = kBlobFilesCollected;
  options.blob_garbage_collection_force_threshold = kGarbageInBlobFile;
  options.table_properties_collector_factories = {
      rocksdb::NewCompactOnDeletionCollectorFactory(kRemovalsWindow, kRemovalsThatMatter, kRemovalsShare)};

  rocksdb::BlockBasedTableOptions table;
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(kBloomBitsPerKey));
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

// A file system with `discard` takes a millisecond for each megabyte of a file that is deleted, and keeps the log's next sync waiting for as long:
// 17 ms for the log of a full memtable.
void delete_in_pieces(rocksdb::Options& options) {
  options.sst_file_manager.reset(
      rocksdb::NewSstFileManager(options.env, options.info_log, {}, kDeletedBytesPerSecond, true, nullptr, kDeletedLaterMax, kDeletedAtOnce));
}

}  // namespace catena::storage
