#pragma once
// What the logs of a database hold, as RocksDB itself reads them when it opens: a filter sees each batch. Only rocks_*.cpp include this.
#include <rocksdb/wal_filter.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "storage/commit_chain.hpp"

namespace catena::storage {

/// A mark as it stands in a batch (WriteBatch::PutLogData), before all changes of the batch.
[[nodiscard]] std::string log_data(const LogMark& mark);
/// The mark of a batch; of one that has none, at least its commit. Nothing: catena did not write it.
[[nodiscard]] std::optional<LogMark> mark_of(const rocksdb::WriteBatch& batch);

/// Reads all logs, past damage too, and lets nothing of them into the database: what is read from it then stands in its tables.
class LogSurvey final : public rocksdb::WalFilter {
 public:
  [[nodiscard]] const char* Name() const override { return "catena.log_survey"; }
  WalProcessingOption LogRecordFound(unsigned long long log, const std::string& file, const rocksdb::WriteBatch& batch,
                                     rocksdb::WriteBatch* new_batch, bool* changed) override;

  [[nodiscard]] const std::vector<LogRun>& runs() const { return runs_; }
  [[nodiscard]] bool strange() const { return strange_; }

 private:
  std::vector<LogRun> runs_;
  bool strange_ = false;  // a batch was not written by catena
};

/// Lets in what follows without a gap. RocksDB by itself goes on behind a log that is missing, empty, or cut between two batches.
class LogGuard final : public rocksdb::WalFilter {
 public:
  explicit LogGuard(std::uint64_t in_tables) : chain_{in_tables} {}
  [[nodiscard]] const char* Name() const override { return "catena.log_guard"; }
  WalProcessingOption LogRecordFound(unsigned long long log, const std::string& file, const rocksdb::WriteBatch& batch,
                                     rocksdb::WriteBatch* new_batch, bool* changed) override;

 private:
  CommitChain chain_;
};

}  // namespace catena::storage
