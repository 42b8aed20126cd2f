#pragma once
// The catena binary as a child process of a test: started, watched without polling the clock, killed.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern char** environ;

namespace system_test {

namespace fs = std::filesystem;

/// A folder of a test's own, gone when it ends.
class Folder {
 public:
  Folder() {
    auto pattern = (fs::temp_directory_path() / "catena-system-XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] fs::path operator/(const std::string& name) const { return path_ / name; }
  fs::path write(const std::string& name, const std::string& text, bool program = false) const {
    const auto file = path_ / name;
    std::ofstream{file} << text;
    if (program) fs::permissions(file, fs::perms::owner_all);
    return file;
  }

 private:
  fs::path path_;
};

inline std::string read_text(const fs::path& file) {
  std::ifstream in{file};
  return {std::istreambuf_iterator<char>{in}, {}};
}

inline std::vector<std::string> read_lines(const fs::path& file) {
  std::vector<std::string> lines;
  std::ifstream in{file};
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

class Process {
 public:
  /// Standard output and error go to files; `more` is added to the environment.
  Process(std::vector<std::string> words, const fs::path& out, const fs::path& error, const std::vector<std::string>& more = {}) {
    std::vector<char*> argv;
    for (auto& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    std::vector<std::string> variables = more;
    for (char** variable = environ; *variable != nullptr; ++variable) variables.emplace_back(*variable);
    std::vector<char*> envp;
    for (auto& variable : variables) envp.push_back(variable.data());
    envp.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_addopen(&actions, 2, error.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    REQUIRE(::posix_spawn(&pid_, words.front().c_str(), &actions, nullptr, argv.data(), envp.data()) == 0);
    posix_spawn_file_actions_destroy(&actions);
    pidfd_ = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
    REQUIRE(pidfd_ >= 0);
  }
  ~Process() {
    if (!reaped_) {
      ::kill(pid_, SIGKILL);
      static_cast<void>(wait());
    }
    ::close(pidfd_);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void kill(int signal) const { ::kill(pid_, signal); }
  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] int pidfd() const { return pidfd_; }
  [[nodiscard]] bool ended() const {
    pollfd watch{pidfd_, POLLIN, 0};
    return ::poll(&watch, 1, 0) == 1;
  }
  /// The exit code, or minus the signal.
  int wait() {
    if (!reaped_) {
      ::waitpid(pid_, &status_, 0);
      reaped_ = true;
    }
    return WIFEXITED(status_) ? WEXITSTATUS(status_) : -WTERMSIG(status_);
  }

 private:
  pid_t pid_ = 0;
  int pidfd_ = -1;
  int status_ = 0;
  bool reaped_ = false;
};

/// Waits until `condition` holds, looked at whenever something is written to `file`; false when the process ended first.
template <class Condition>
bool wait_for_writes(const fs::path& file, const Process& process, Condition condition) {
  const int events = ::inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  REQUIRE(events >= 0);
  REQUIRE(::inotify_add_watch(events, file.c_str(), IN_MODIFY) >= 0);
  bool held = condition();
  bool over = false;
  while (!held && !over) {
    std::array<pollfd, 2> watches{pollfd{events, POLLIN, 0}, pollfd{process.pidfd(), POLLIN, 0}};
    constexpr int kGiveUpMs = 60'000;
    REQUIRE(::poll(watches.data(), watches.size(), kGiveUpMs) > 0);
    std::array<char, 4096> buffer{};
    while (::read(events, buffer.data(), buffer.size()) > 0) {
    }
    held = condition();
    over = watches[1].revents != 0;
  }
  ::close(events);
  return held;
}

}  // namespace system_test
