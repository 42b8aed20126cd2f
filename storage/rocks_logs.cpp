#include "storage/rocks_logs.hpp"

#include <rocksdb/write_batch.h>

#include <string_view>

#include "storage/bytes.hpp"
#include "storage/meta.hpp"

namespace catena::storage {
namespace {

// Magic (4), commit (8), previous (8), durable (8). The log's own checksum covers it.
constexpr std::string_view kMarkMagic = "ctn1";
constexpr std::size_t kMarkBytes = 28;

std::string_view log_view(const rocksdb::Slice& bytes) { return {bytes.data(), bytes.size()}; }

/// RocksDB writes one itself, into the log that follows a damaged one.
bool empty(const rocksdb::WriteBatch& batch) { return batch.Count() == 0; }

class MarkReader final : public rocksdb::WriteBatch::Handler {
 public:
  void LogData(const rocksdb::Slice& blob) override {
    const auto bytes = log_view(blob);
    if (bytes.size() != kMarkBytes || !bytes.starts_with(kMarkMagic)) return;
    const auto at = [&](std::size_t number) { return read_be64(bytes.substr(kMarkMagic.size() + 8 * number)); };
    mark = LogMark{at(0), at(1), at(2)};
  }
  rocksdb::Status PutCF(std::uint32_t, const rocksdb::Slice& key, const rocksdb::Slice& value) override {
    if (log_view(key) != commit_key()) return rocksdb::Status::OK();
    if (const auto commit = read_commit(log_view(value))) mark = LogMark{*commit, std::nullopt, 0};
    return rocksdb::Status::OK();
  }
  rocksdb::Status DeleteCF(std::uint32_t, const rocksdb::Slice&) override { return rocksdb::Status::OK(); }
  rocksdb::Status DeleteRangeCF(std::uint32_t, const rocksdb::Slice&, const rocksdb::Slice&) override { return rocksdb::Status::OK(); }
  /// A mark stands before all changes, which need not be looked at then.
  bool Continue() override { return !mark; }

  std::optional<LogMark> mark;
};

}  // namespace

std::string log_data(const LogMark& mark) {
  std::string bytes{kMarkMagic};
  append_be64(bytes, mark.commit);
  append_be64(bytes, mark.previous.value_or(0));
  append_be64(bytes, mark.durable);
  return bytes;
}

std::optional<LogMark> mark_of(const rocksdb::WriteBatch& batch) {
  MarkReader reader;
  // A batch of a kind that catena never writes is an error of this reading, and has no mark.
  if (!batch.Iterate(&reader).ok()) return std::nullopt;
  return reader.mark;
}

rocksdb::WalFilter::WalProcessingOption LogSurvey::LogRecordFound(unsigned long long log, const std::string&, const rocksdb::WriteBatch& batch,
                                                                  rocksdb::WriteBatch*, bool*) {
  if (const auto mark = mark_of(batch)) {
    add_mark(runs_, log, *mark);
  } else if (!empty(batch)) {
    strange_ = true;
  }
  return WalProcessingOption::kIgnoreCurrentRecord;
}

rocksdb::WalFilter::WalProcessingOption LogGuard::LogRecordFound(unsigned long long, const std::string&, const rocksdb::WriteBatch& batch,
                                                                 rocksdb::WriteBatch*, bool*) {
  if (empty(batch)) return WalProcessingOption::kContinueProcessing;
  const auto mark = mark_of(batch);
  return mark && chain_.extend(*mark, mark->commit) ? WalProcessingOption::kContinueProcessing : WalProcessingOption::kIgnoreCurrentRecord;
}

}  // namespace catena::storage
