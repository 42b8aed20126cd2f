#pragma once
// A named pipe that what reads it waits at, for as long as the test holds it.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string_view>

namespace cli_test {

class Gate {
 public:
  explicit Gate(const std::filesystem::path& file) {
    REQUIRE(::mkfifo(file.c_str(), 0600) == 0);
    descriptor_ = ::open(file.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
    REQUIRE(descriptor_ >= 0);
  }
  ~Gate() { ::close(descriptor_); }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  /// What a reader gets before it waits; at most the 64 KiB that a pipe holds.
  void let_through(std::string_view text) const { REQUIRE(::write(descriptor_, text.data(), text.size()) == static_cast<::ssize_t>(text.size())); }

 private:
  int descriptor_ = -1;
};

}  // namespace cli_test
