#pragma once
// What the storage tests share: a directory that goes away, values out of results, this program again as a second process.
#include <sys/types.h>

#include <catch2/catch.hpp>

#include <filesystem>
#include <map>
#include <string>

#include "base/result.hpp"
#include "storage/kv.hpp"

namespace catena::storage::test {

/// The value, or a failed test that shows the error.
template <class T>
T must(Result<T> result) {
  if (!result) FAIL(render(result.error()));
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

template <class T>
Code code_of(const Result<T>& result) {
  REQUIRE_FALSE(result.has_value());
  return result.error().code;
}

class TempDirectory {
 public:
  TempDirectory();
  TempDirectory(const TempDirectory&) = delete;
  TempDirectory& operator=(const TempDirectory&) = delete;
  ~TempDirectory();
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Where a database is made: it does not exist yet.
  [[nodiscard]] std::filesystem::path data() const { return path_ / "data"; }

 private:
  std::filesystem::path path_;
};

using Entries = std::map<std::string, std::string>;
[[nodiscard]] Entries entries(const Kv& kv, std::string_view from, std::string_view to);
void put(Kv& kv, std::string_view key, std::string_view value, Durability durability = Durability::sync);

/// Another process that runs one hidden test of this program on a directory and answers through a pipe. Killed when it goes out of scope.
class ChildProcess {
 public:
  ChildProcess(const std::string& hidden_test, const std::filesystem::path& directory);
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ~ChildProcess();

  /// Waits for the next line the child says; empty when it said its last.
  [[nodiscard]] std::string line();
  void kill();
  [[nodiscard]] pid_t id() const { return process_; }

  // Within the child:
  [[nodiscard]] static std::filesystem::path given_directory();
  static void say(const std::string& line);

 private:
  pid_t process_ = -1;
  int pipe_ = -1;
};

}  // namespace catena::storage::test
