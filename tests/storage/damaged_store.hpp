#pragma once
// Stores with many logs, and what can happen to them.
#include <catch2/catch.hpp>

#include <filesystem>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "storage/rocks_kv.hpp"
#include "tests/storage/stores.hpp"

namespace catena::storage::test {

/// Names and contents of the files of a directory; not of LOCK, which every opening may make.
[[nodiscard]] std::map<std::string, std::string> contents(const std::filesystem::path& directory);
/// Files with this extension, in order of their names.
[[nodiscard]] std::vector<std::filesystem::path> files_of(const std::filesystem::path& directory, const std::string& extension);
void copy_store(const std::filesystem::path& from, const std::filesystem::path& to);
/// "x" and the number, in byte order.
[[nodiscard]] std::string numbered(int number);

/// What was written to a store, key `numbered(i)` by key, and which of it was synced.
class Writer {
 public:
  Writer(std::filesystem::path directory, std::uint32_t seed) : directory_{std::move(directory)}, random_{seed} {}

  /// Opens the store, writes so many values, one in three of them without a sync, and closes it.
  void session(int writes);
  void write(RocksKv& kv, Durability durability);
  [[nodiscard]] int written() const { return written_; }
  [[nodiscard]] const std::filesystem::path& directory() const { return directory_; }

 private:
  std::filesystem::path directory_;
  std::mt19937 random_;
  int written_ = 0;
};

}  // namespace catena::storage::test
