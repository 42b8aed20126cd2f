#include "storage/owner_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <system_error>

#include "base/descriptor_io.hpp"

namespace catena::storage {
namespace {

constexpr std::size_t kCommandBytesMax = 200;

std::string own_command_line() {
  std::ifstream in{"/proc/self/cmdline", std::ios::binary};
  std::string text{std::istreambuf_iterator<char>{in}, {}};
  while (!text.empty() && text.back() == '\0') text.pop_back();
  // A newline in an argument would look like the end of the record.
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\0' || c == '\n'; }, ' ');
  return text.substr(0, kCommandBytesMax);
}

/// Killed, with some of its threads still on their way out of the kernel. See proc(5), /proc/PID/status.
bool dies(pid_t process) {
  constexpr std::uint64_t kKilled = 1UL << (SIGKILL - 1U);
  std::ifstream in{fmt::format("/proc/{}/status", process)};
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("State:")) {
      const auto state = line.find_first_not_of("\t ", sizeof "State:" - 1);
      if (state != std::string::npos && (line[state] == 'Z' || line[state] == 'X')) return true;
    }
    if ((line.starts_with("SigPnd:") || line.starts_with("ShdPnd:")) && (std::stoull(line.substr(sizeof "SigPnd:" - 1), nullptr, 16) & kKilled) != 0)
      return true;
  }
  return false;
}

bool alive(pid_t process) { return process > 0 && (::kill(process, 0) == 0 || errno == EPERM); }

}  // namespace

Result<void> write_owner(const std::filesystem::path& file) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  auto reason = descriptor < 0 ? errno : write_all(descriptor, fmt::format("{}\n{}\n", ::getpid(), own_command_line()));
  if (descriptor >= 0 && ::close(descriptor) != 0 && reason == 0) reason = errno;
  if (reason == 0) return {};
  return fail(Code::storage_io, fmt::format("cannot write '{}': {}; check the disk and the permissions of the data directory", file.string(),
                                            std::generic_category().message(reason)));
}

std::optional<std::string> living_owner(const std::filesystem::path& file) {
  std::ifstream in{file};
  pid_t process = 0;
  std::string command;
  in >> process;
  in.ignore();
  std::getline(in, command);
  // A file that an earlier owner left behind names a process that is gone: the present owner has not come to writing it yet.
  if (!alive(process)) return std::nullopt;
  return fmt::format("process {} ({})", process, command);
}

bool owner_is_ending(const std::filesystem::path& file) {
  std::ifstream in{file};
  pid_t process = 0;
  in >> process;
  return process > 0 && (!alive(process) || dies(process));
}

std::string describe_owner(const std::filesystem::path& file) { return living_owner(file).value_or("another process"); }

}  // namespace catena::storage
