#pragma once
// RocksDB's settings, and its warnings kept for error messages. Only rocks_kv.cpp includes this.
#include <rocksdb/env.h>
#include <rocksdb/options.h>

#include <cstdarg>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace catena::storage {

/// Keeps the database's last warnings in memory instead of in LOG files, which would be one more file to make at each opening and which
/// a read-only opening would rotate away under the writer.
class RecentWarnings final : public rocksdb::Logger {
 public:
  RecentWarnings() : rocksdb::Logger{rocksdb::InfoLogLevel::WARN_LEVEL} {}
  using rocksdb::Logger::Logv;
  void Logv(const char* format, std::va_list arguments) override;
  [[nodiscard]] std::vector<std::string> lines() const;

 private:
  mutable std::mutex mutex_;
  std::deque<std::string> lines_;
};

[[nodiscard]] rocksdb::Options tuned_options(std::shared_ptr<RecentWarnings> warnings);

/// Of a database that writes: files that it needs no more go a piece at a time.
void delete_in_pieces(rocksdb::Options& options);

}  // namespace catena::storage
