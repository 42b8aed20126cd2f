#pragma once
// A named pipe between a test and a program: what reads it waits until the test lets something through or is over, and the test waits for who writes.
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string_view>

namespace cli_test {

class NamedPipe {
 public:
  explicit NamedPipe(const std::filesystem::path& file) {
    REQUIRE(::mkfifo(file.c_str(), 0600) == 0);
    descriptor_ = ::open(file.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
    REQUIRE(descriptor_ >= 0);
  }
  ~NamedPipe() { ::close(descriptor_); }
  NamedPipe(const NamedPipe&) = delete;
  NamedPipe& operator=(const NamedPipe&) = delete;

  /// What a reader gets before it waits; at most the 64 KiB that a pipe holds.
  void let_through(std::string_view text) const { REQUIRE(::write(descriptor_, text.data(), text.size()) == static_cast<::ssize_t>(text.size())); }
  /// Until somebody has written a line to it.
  void wait() const {
    constexpr int kGiveUpMs = 60'000;
    pollfd watch{descriptor_, POLLIN, 0};
    REQUIRE(::poll(&watch, 1, kGiveUpMs) == 1);
    std::array<char, 64> line{};
    REQUIRE(::read(descriptor_, line.data(), line.size()) > 0);
  }

 private:
  int descriptor_ = -1;
};

}  // namespace cli_test
