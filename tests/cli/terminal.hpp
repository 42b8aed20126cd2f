#pragma once
// A terminal of a given size in which commands run inside of the test's process, by a clock that the test moves: what is on the screen when a command
// has ended, letter by letter.
#include <fcntl.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "cli/command.hpp"
#include "cli/console.hpp"

namespace cli_test {

/// A pseudo-terminal. What is written into it is read by a thread, as nothing that writes may wait for the test.
class Terminal {
 public:
  Terminal(unsigned short columns, unsigned short lines) {
    outer_ = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    REQUIRE(outer_ >= 0);
    REQUIRE(::grantpt(outer_) == 0);
    REQUIRE(::unlockpt(outer_) == 0);
    inner_ = ::open(::ptsname(outer_), O_RDWR | O_NOCTTY | O_CLOEXEC);
    REQUIRE(inner_ >= 0);
    termios mode{};
    REQUIRE(::tcgetattr(inner_, &mode) == 0);
    ::cfmakeraw(&mode);
    REQUIRE(::tcsetattr(inner_, TCSANOW, &mode) == 0);
    const winsize size{lines, columns, 0, 0};
    REQUIRE(::ioctl(inner_, TIOCSWINSZ, &size) == 0);
    reader_ = std::thread{[this] {
      std::array<char, 4096> buffer{};
      for (auto count = ::read(outer_, buffer.data(), buffer.size()); count > 0; count = ::read(outer_, buffer.data(), buffer.size()))
        take({buffer.data(), static_cast<std::size_t>(count)});
    }};
  }
  ~Terminal() { close(); }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  [[nodiscard]] int descriptor() const { return inner_; }
  /// For a process of its own.
  [[nodiscard]] std::string path() const { return ::ptsname(outer_); }
  /// Waits until that was written.
  void wait_for(std::string_view text) {
    std::unique_lock lock{mutex_};
    constexpr std::chrono::seconds kGiveUp{60};
    REQUIRE(changed_.wait_for(lock, kGiveUp, [&] { return written_.find(text) != std::string::npos; }));
  }
  /// All that was written. Nothing more can be.
  [[nodiscard]] const std::string& written() {
    close();
    return written_;
  }
  /// What is on the screen: lines that were drawn and taken away again are not.
  [[nodiscard]] std::string screen() {
    std::vector<std::string> lines(1);
    const auto& text = written();
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (text[at] == '\n') {
        lines.emplace_back();
        continue;
      }
      if (text[at] != '\x1b' && text[at] != '\r') lines.back() += text[at];
      if (text[at] != '\x1b') continue;
      const auto end = text.find_first_not_of("0123456789;", at + 2);
      if (text[end] == 'A') {  // catena goes up only to draw anew, with everything below taken away
        const auto up = static_cast<std::size_t>(std::stoul(text.substr(at + 2, end - at - 2)));
        lines.resize(lines.size() - up);
        lines.back().clear();
      } else if (text[end] == 'm') {
        lines.back() += text.substr(at, end + 1 - at);
      }
      at = end;
    }
    std::string all;
    if (lines.back().empty()) lines.pop_back();
    for (const auto& line : lines) all += line + "\n";
    return all;
  }

 private:
  void take(std::string_view text) {
    const std::lock_guard lock{mutex_};
    written_ += text;
    changed_.notify_all();
  }
  void close() {
    if (inner_ >= 0) {
      ::close(inner_);
      reader_.join();
      ::close(outer_);
    }
    inner_ = -1;
  }
  int outer_ = -1;
  int inner_ = -1;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string written_;
  std::thread reader_;
};

/// Variables of this process while it lives, and where it stands.
class Surroundings {
 public:
  explicit Surroundings(const std::filesystem::path& here) : here_{std::filesystem::current_path()} { std::filesystem::current_path(here); }
  ~Surroundings() {
    for (const auto& [name, value] : before_) value ? ::setenv(name.c_str(), value->c_str(), 1) : ::unsetenv(name.c_str());
    std::filesystem::current_path(here_);
  }
  Surroundings(const Surroundings&) = delete;
  Surroundings& operator=(const Surroundings&) = delete;

  /// "" takes it away.
  void set(const std::string& name, const std::string& value) {
    const char* old = std::getenv(name.c_str());
    before_.insert(before_.begin(), {name, old == nullptr ? std::nullopt : std::optional<std::string>{old}});
    value.empty() ? ::unsetenv(name.c_str()) : ::setenv(name.c_str(), value.c_str(), 1);
  }

 private:
  std::filesystem::path here_;
  std::vector<std::pair<std::string, std::optional<std::string>>> before_;
};

/// What is on a terminal of that size after `catena WORDS`.
inline std::string screen_of(const std::vector<std::string>& words, unsigned short columns, const catena::Clock& clock) {
  std::vector<const char*> argv{"catena"};
  for (const auto& word : words) argv.push_back(word.c_str());
  Terminal terminal{columns, 40};
  catena::cli::Console console{{terminal.descriptor(), terminal.descriptor(), &clock}};
  static_cast<void>(catena::cli::run_command_line(static_cast<int>(argv.size()), argv.data(), console));
  REQUIRE(console.out().finish());
  return terminal.screen();
}

}  // namespace cli_test
