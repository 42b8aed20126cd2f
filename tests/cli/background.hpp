#pragma once
// A command on a terminal that runs while the test does something else, and a tool that stands still until it is ended.
#include <poll.h>
#include <sys/stat.h>

#include <thread>

#include "tests/cli/screens.hpp"

namespace cli_test {

/// What is on the screen when the command has ended, which goes on during `meanwhile`.
inline std::string screen_during(const Words& words, unsigned short columns, const catena::Clock& clock, const std::function<void()>& meanwhile) {
  Terminal terminal{columns, 40};
  std::vector<const char*> argv{"catena"};
  for (const auto& word : words) argv.push_back(word.c_str());
  std::thread command{[&] {
    catena::cli::Console console{{terminal.descriptor(), terminal.descriptor(), &clock}};
    static_cast<void>(catena::cli::run_command_line(static_cast<int>(argv.size()), argv.data(), console));
    static_cast<void>(console.out().finish());
  }};
  struct Joined {
    ~Joined() { thread.join(); }
    std::thread& thread;
  };
  {
    const Joined joined{command};
    meanwhile();
  }
  return terminal.screen();
}

/// A named pipe that a tool writes to when it runs.
class Signpost {
 public:
  explicit Signpost(std::string path) : path_{std::move(path)} {
    REQUIRE(::mkfifo(path_.c_str(), 0600) == 0);
    descriptor_ = ::open(path_.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
    REQUIRE(descriptor_ >= 0);
  }
  ~Signpost() { ::close(descriptor_); }
  Signpost(const Signpost&) = delete;
  Signpost& operator=(const Signpost&) = delete;

  /// Until a tool has written a line to it.
  void wait() const {
    constexpr int kGiveUpMs = 60'000;
    pollfd watch{descriptor_, POLLIN, 0};
    REQUIRE(::poll(&watch, 1, kGiveUpMs) == 1);
    std::array<char, 64> line{};
    REQUIRE(::read(descriptor_, line.data(), line.size()) > 0);
  }

 private:
  std::string path_;
  int descriptor_ = -1;
};

}  // namespace cli_test
