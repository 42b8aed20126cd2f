#pragma once
// A data directory to read for a while. Beside a process that writes to it, what is read is a copy of the moment, in links: the writer deletes
// tables that it needs no more.
#include <filesystem>
#include <memory>
#include <string>

#include "base/result.hpp"
#include "storage/rocks_kv.hpp"

namespace catena::cli {

class StillCopy {
 public:
  /// Errors: those of RocksKv::open and back_up.
  [[nodiscard]] static Result<StillCopy> open(const std::filesystem::path& data_dir);
  StillCopy(StillCopy&&) = default;
  StillCopy& operator=(StillCopy&&) = default;
  StillCopy(const StillCopy&) = delete;
  StillCopy& operator=(const StillCopy&) = delete;
  ~StillCopy();

  [[nodiscard]] const storage::Kv& kv() const { return *kv_; }

 private:
  StillCopy(std::unique_ptr<storage::RocksKv> kv, std::filesystem::path copy) : kv_{std::move(kv)}, copy_{std::move(copy)} {}
  std::unique_ptr<storage::RocksKv> kv_;
  std::filesystem::path copy_;  // empty: the directory itself is read
};

}  // namespace catena::cli
