#pragma once
// Real programs for tests: shell scripts in a directory of their own, and ways to wait for conditions instead of for time.
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "base/fd.hpp"
#include "base/hash.hpp"
#include "worker/executor.hpp"
#include "worker/slots.hpp"

namespace catena::worker::test {

class TempDir {
 public:
  TempDir() {
    std::string pattern = (std::filesystem::temp_directory_path() / "catena-worker-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error{"mkdtemp"};
    path_ = pattern;
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] std::string path(const std::string& name = {}) const { return name.empty() ? path_.string() : (path_ / name).string(); }
  std::string write(const std::string& name, std::string_view content) const {
    std::ofstream{path(name), std::ios::binary} << content;
    return path(name);
  }
  std::string script(std::string_view body, const std::string& name = "tool.sh") const {
    const auto file = write(name, "#!/bin/sh\n" + std::string{body} + "\n");
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return file;
  }

 private:
  std::filesystem::path path_;
};

/// A script tells through a fifo that it came this far.
class Signpost {
 public:
  explicit Signpost(const TempDir& directory) : path_{directory.path("signpost")} {
    if (::mkfifo(path_.c_str(), 0600) != 0) throw std::runtime_error{"mkfifo"};
    reader_ = Fd{::open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
  }
  [[nodiscard]] const std::string& path() const { return path_; }
  /// The line that was written; empty when nothing came in half a minute.
  [[nodiscard]] std::string wait() const {
    ::pollfd waited{.fd = reader_.get(), .events = POLLIN, .revents = 0};
    if (::poll(&waited, 1, 30'000) <= 0) return {};
    char line[256];
    const auto count = ::read(reader_.get(), line, sizeof line);
    return count > 0 ? std::string(line, static_cast<std::size_t>(count)) : std::string{};
  }

 private:
  std::string path_;
  Fd reader_;
};

/// True once the process has ended.
inline bool has_ended(pid_t pid) {
  const Fd process{static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))};
  if (!process.is_open()) return true;
  ::pollfd waited{.fd = process.get(), .events = POLLIN, .revents = 0};
  return ::poll(&waited, 1, 30'000) > 0;
}

inline std::string read_all(const std::string& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

/// A program of a tool, and the hash under which it travels.
inline const std::string kProgram = "#!/bin/sh\necho '{\"ran\": true}'\n";
inline const std::string kHash = sha256_hex(kProgram);

inline Task exec_task(std::string program, std::string arguments = "{}") {
  Task task;
  task.key = "chain/step/7";
  task.name = "probe";
  task.endpoint = {.kind = "exec", .target = std::move(program), .args = {}};
  task.arguments.text = std::move(arguments);
  return task;
}

inline Task builtin_task(std::string builtin, std::string arguments = "{}") {
  Task task;
  task.key = "chain/step";
  task.endpoint = {.kind = "builtin", .target = std::move(builtin), .args = {}};
  task.arguments.text = std::move(arguments);
  return task;
}

/// An order of a chain that has a trace.
inline std::shared_ptr<const TaskOrder> traced_order() {
  return std::make_shared<const TaskOrder>(TaskOrder{"c", GrantId{7}, "a", 1U, ChainTrace{"4bf92f3577b34da6a3ce929d0e0e4736", 1, 0, "a=1"}});
}

/// The one attempt of an order.
inline Job job_of(std::uint64_t id, const Task& task) {
  return {id, 0, std::make_shared<const Task>(task), {task.key, task.item, task.attempt, task.arguments.text, task.resume_from}};
}

}  // namespace catena::worker::test
