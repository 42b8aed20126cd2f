#pragma once
// The store on disk: a RocksDB database in a data directory that one process at a time opens for writing.
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "storage/kv.hpp"

namespace catena::storage {

struct RocksOptions {
  /// Reads the state of the moment of opening, also while another process writes; changes nothing in the directory.
  bool read_only = false;
  /// Makes the directory (mode 0700) and the database where there is none.
  bool create = true;
  /// Goes on with a database that lost acknowledged data, up to where the first is missing. Only for an operator who was told so.
  bool accept_rewound = false;
};

class RocksKv final : public Kv {
 public:
  /// storage_locked: another process has it. storage_rewound: acknowledged data is missing. storage_format: not catena's, or of another
  /// version. storage_corrupt, storage_io: as they say. A directory that is refused stays as it is.
  [[nodiscard]] static Result<std::unique_ptr<RocksKv>> open(const std::filesystem::path& directory, const RocksOptions& options = {});
  /// Whether there is a database to open in that directory: "no" only when the directory is not there, or never held one. Errors:
  /// storage_io, storage_corrupt, storage_rewound.
  [[nodiscard]] static Result<bool> exists(const std::filesystem::path& directory);

  RocksKv(const RocksKv&) = delete;
  RocksKv& operator=(const RocksKv&) = delete;
  /// close(), with nobody to tell of an error.
  ~RocksKv() override;

  [[nodiscard]] Result<std::optional<std::string>> get(std::string_view key) const override;
  [[nodiscard]] Result<void> scan(std::string_view from, std::string_view to, const Visitor& visitor) const override;
  [[nodiscard]] Result<void> write(const Batch& batch, Durability durability) override;
  [[nodiscard]] std::uint64_t epoch() const override;
  [[nodiscard]] std::uint64_t commit() const override;
  [[nodiscard]] std::uint64_t durable_commit() const override;

  /// What was put right in the directory when it was opened, in words.
  [[nodiscard]] const std::optional<std::string>& put_right() const;
  /// From any thread: whether the directory is still the one that was opened, and its lock still ours. Error: storage_io. After one
  /// nothing is acknowledged: write() asks the same.
  [[nodiscard]] Result<void> check_place() const;

  /// Writes everything anew without what was removed. Takes as long as reading and writing all of it.
  [[nodiscard]] Result<void> compact();

  /// Makes everything written so far durable and gives the directory free. No other call may follow or be under way.
  [[nodiscard]] Result<void> close();

 private:
  struct Impl;
  explicit RocksKv(std::unique_ptr<Impl> impl);
  static Result<std::unique_ptr<RocksKv>> open_for_writing(const std::filesystem::path& directory, const RocksOptions& options);
  static Result<std::unique_ptr<RocksKv>> open_for_reading(const std::filesystem::path& directory, const RocksOptions& options);
  static Result<std::unique_ptr<RocksKv>> read_once(const std::filesystem::path& directory, const RocksOptions& options);
  std::unique_ptr<Impl> impl_;
};

}  // namespace catena::storage
