#include "storage/owner_file.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <algorithm>
#include <fstream>
#include <iterator>

namespace catena::storage {
namespace {

constexpr std::size_t kCommandBytesMax = 200;

std::string own_command_line() {
  std::ifstream in{"/proc/self/cmdline", std::ios::binary};
  std::string text{std::istreambuf_iterator<char>{in}, {}};
  while (!text.empty() && text.back() == '\0') text.pop_back();
  // A newline in an argument would look like the end of the record.
  std::replace_if(text.begin(), text.end(), [](char c) { return c == '\0' || c == '\n'; }, ' ');
  return text.substr(0, kCommandBytesMax);
}

bool alive(pid_t process) { return process > 0 && (::kill(process, 0) == 0 || errno == EPERM); }

}  // namespace

Result<void> write_owner(const std::filesystem::path& file) {
  std::ofstream out{file, std::ios::trunc};
  out << ::getpid() << '\n' << own_command_line() << '\n';
  out.close();
  if (!out) return fail(Code::storage_io, fmt::format("cannot write '{}'; check the disk and the permissions of the data directory", file.string()));
  return {};
}

std::string describe_owner(const std::filesystem::path& file) {
  std::ifstream in{file};
  pid_t process = 0;
  std::string command;
  in >> process;
  in.ignore();
  std::getline(in, command);
  // A file that an earlier owner left behind names a process that is gone: the present owner has not come to writing it yet.
  if (!alive(process)) return "another process";
  return fmt::format("process {} ({})", process, command);
}

}  // namespace catena::storage
