#pragma once
// A process that a benchmark measures for as long as it likes.
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "bench/running.hpp"

namespace bench {

/// A process that ends with this one.
class Daemon {
 public:
  Daemon(const std::vector<std::string>& words, const fs::path& log) {
    std::vector<std::string> all{"/usr/bin/setpriv", "--pdeathsig", "KILL", "--"};
    all.insert(all.end(), words.begin(), words.end());
    std::vector<char*> argv;
    for (auto& word : all) argv.push_back(word.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    if (::posix_spawn(&pid_, all.front().c_str(), &actions, nullptr, argv.data(), environ) != 0) give_up("cannot start " + words.front());
    posix_spawn_file_actions_destroy(&actions);
  }
  ~Daemon() {
    ::kill(pid_, SIGKILL);
    int status = 0;
    ::waitpid(pid_, &status, 0);
  }
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;
  /// The most memory it ever had, in bytes.
  [[nodiscard]] std::uint64_t peak_rss() const {
    std::ifstream status{fmt::format("/proc/{}/status", pid_)};
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("VmHWM:")) return std::stoull(line.substr(6)) * 1024;
    }
    return 0;
  }
  /// Of all its threads, in user mode and in the kernel. It says what work costs where others share the machine.
  [[nodiscard]] double cpu_seconds() const {
    std::ifstream file{fmt::format("/proc/{}/stat", pid_)};
    const std::string text{std::istreambuf_iterator<char>{file}, {}};
    std::istringstream fields{text.substr(text.rfind(')') + 1)};  // the name may hold blanks
    std::string skipped;
    for (int field = 3; field < 14; ++field) fields >> skipped;
    std::uint64_t user = 0;
    std::uint64_t kernel = 0;
    fields >> user >> kernel;
    return static_cast<double>(user + kernel) / static_cast<double>(::sysconf(_SC_CLK_TCK));
  }

 private:
  pid_t pid_ = 0;
};

}  // namespace bench
