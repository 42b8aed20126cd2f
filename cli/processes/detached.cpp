#include "cli/processes/detached.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/descriptor_io.hpp"
#include "base/fd.hpp"

namespace catena::cli {
namespace {

Fd& line_to_first() {
  static Fd line;
  return line;
}

ExitCode exit_code_of_process(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? static_cast<ExitCode>(WEXITSTATUS(status)) : ExitCode::failed;
}

Error cannot(std::string_view what) { return make_error(Code::internal, fmt::format("{}: {}", what, std::strerror(errno))); }

}  // namespace

std::optional<ExitCode> Detached::split(Console& console) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return console.error(cannot("no pipe to a process behind the terminal")), ExitCode::failed;
  Fd reads{ends[0]}, writes{ends[1]};
  const auto process = ::fork();
  if (process < 0) return console.error(cannot("no process behind the terminal")), ExitCode::failed;
  if (process == 0) {
    ::setsid();
    line_to_first() = std::move(writes);
    return std::nullopt;
  }
  writes.close();
  constexpr std::size_t kSaidMax = 64UL << 10U;
  std::string said;
  static_cast<void>(read_all(reads.get(), kSaidMax, said));
  if (said.empty()) return exit_code_of_process(process);  // it has told why
  console.out().write(said);
  return ExitCode::ok;
}

void Detached::say(const std::string& line) {
  static_cast<void>(write_all(line_to_first().get(), line + "\n"));  // perhaps nobody waits for it any more
  line_to_first().close();
  const Fd nowhere{::open("/dev/null", O_RDWR | O_CLOEXEC)};
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) static_cast<void>(::dup2(nowhere.get(), stream));
}

}  // namespace catena::cli
