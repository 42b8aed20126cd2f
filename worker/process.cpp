#include "worker/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstring>
#include <vector>

namespace catena::worker {
namespace {

struct Pipe {
  Fd reader;
  Fd writer;
};

/// Moves a descriptor above the three that a child's streams are put on: dup2 onto one of ours would lose it.
bool lift(Fd& fd) {
  if (fd.get() > STDERR_FILENO) return true;
  fd = Fd{::fcntl(fd.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1)};
  return fd.is_open();
}

bool open_pipe(Pipe& pipe) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  pipe.reader = Fd{ends[0]};
  pipe.writer = Fd{ends[1]};
  return lift(pipe.reader) && lift(pipe.writer);
}

class FileActions {
 public:
  FileActions() { ::posix_spawn_file_actions_init(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  ~FileActions() { ::posix_spawn_file_actions_destroy(&actions_); }

  [[nodiscard]] bool wire(int in, int out, int err) {
    return ::posix_spawn_file_actions_adddup2(&actions_, in, STDIN_FILENO) == 0 &&
           ::posix_spawn_file_actions_adddup2(&actions_, out, STDOUT_FILENO) == 0 &&
           ::posix_spawn_file_actions_adddup2(&actions_, err, STDERR_FILENO) == 0 &&
           ::posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1) == 0;
  }
  [[nodiscard]] bool start_in(const char* directory) { return ::posix_spawn_file_actions_addchdir_np(&actions_, directory) == 0; }
  [[nodiscard]] const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

/// An own group, no blocked signals, and at their default those that a parent may ignore: exec resets handlers, but not that. (All
/// signals would cost 64 system calls a process.)
class Attributes {
 public:
  Attributes() {
    ::posix_spawnattr_init(&attributes_);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    ::posix_spawnattr_setpgroup(&attributes_, 0);
    ::sigset_t signals;
    ::sigemptyset(&signals);
    ::posix_spawnattr_setsigmask(&attributes_, &signals);
    for (const int ignorable : {SIGPIPE, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGCHLD}) ::sigaddset(&signals, ignorable);
    ::posix_spawnattr_setsigdefault(&attributes_, &signals);
  }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  ~Attributes() { ::posix_spawnattr_destroy(&attributes_); }
  [[nodiscard]] const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

/// glibc 2.36 declares pidfd_open without C linkage.
Fd open_pidfd(pid_t pid) { return Fd{static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))}; }

std::string_view advice(int reason) {
  switch (reason) {
    case ENOENT: return "; check the path, and the interpreter on its #! line";
    case EACCES: return "; is it executable (chmod +x), and its file system not mounted noexec?";
    case ENOEXEC: return "; a script needs a #! line, a binary must be for this machine";
    case E2BIG: return "; its arguments and environment are too long: pass large values in the request on stdin";
    case EMFILE: return "; raise the limit of open files (ulimit -n) or use fewer slots";
    case EAGAIN: return "; raise the limit of processes (ulimit -u) or use fewer slots";
    default: return "";
  }
}

Error not_started(const std::string& program, int reason) {
  auto error = make_error(Code::tool_not_started,
                          fmt::format("program '{}' could not be started: {}{}", program, std::strerror(reason), advice(reason)));
  error.retryable = reason == EAGAIN || reason == ENOMEM || reason == EMFILE || reason == ENFILE || reason == ETXTBSY;
  error.details = Json{{"errno", reason}};
  return error;
}

/// argv points into the spec; posix_spawn does not write to it.
Result<std::vector<char*>> argument_vector(const ProcessSpec& spec) {
  std::vector<char*> argv;
  argv.reserve(spec.args.size() + 2);
  argv.push_back(const_cast<char*>(spec.program.c_str()));
  for (const auto& arg : spec.args) argv.push_back(const_cast<char*>(arg.c_str()));
  argv.push_back(nullptr);
  bool cut = has_nul(spec.program);
  for (const auto& arg : spec.args) cut = cut || has_nul(arg);
  if (cut) {
    return fail(Code::tool_not_started,
                fmt::format("program '{}' could not be started: it or an argument contains a NUL character", spec.program.c_str()));
  }
  return argv;
}

}  // namespace

bool has_nul(std::string_view text) { return text.find('\0') != std::string_view::npos; }

Result<ChildProcess> ChildProcess::start(const ProcessSpec& spec) {
  auto argv = argument_vector(spec);
  if (!argv) return fail(std::move(argv).error());
  Pipe in;
  Pipe out;
  Pipe err;
  if (!open_pipe(in) || !open_pipe(out) || !open_pipe(err)) return fail(not_started(spec.program, errno));
  ChildProcess child;
  const bool fits = spec.then == Input::ends && spec.input.size() <= kPipeBytesAlways;
  if (fits) {
    // the reader is still ours: no SIGPIPE
    if (!spec.input.empty() && ::write(in.writer.get(), spec.input.data(), spec.input.size()) < 0) {
      return fail(not_started(spec.program, errno));
    }
    in.writer.close();
  } else if (::fcntl(in.writer.get(), F_SETFL, O_WRONLY | O_NONBLOCK) != 0) {
    return fail(not_started(spec.program, errno));
  }

  FileActions actions;
  if (!actions.wire(in.reader.get(), out.writer.get(), err.writer.get())) return fail(not_started(spec.program, ENOMEM));
  if (spec.directory != nullptr && !actions.start_in(spec.directory)) return fail(not_started(spec.program, ENOMEM));
  const Attributes attributes;
  const int reason = ::posix_spawn(&child.pid_, spec.program.c_str(), actions.get(), attributes.get(), argv->data(), spec.environment);
  if (reason != 0) {
    child.pid_ = -1;  // unspecified after a failure
    return fail(not_started(spec.program, reason));
  }
  child.pidfd_ = open_pidfd(child.pid_);
  if (!child.pidfd_.is_open()) return fail(not_started(spec.program, errno));
  child.output_ = std::move(out.reader);
  child.error_ = std::move(err.reader);
  if (!fits) {
    child.unfed_ = spec.input;
    child.input_ = std::move(in.writer);
    child.input_reader_ = std::move(in.reader);
    if (spec.then == Input::ends) child.feed();
  }
  return child;
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_{std::exchange(other.pid_, -1)},
      pidfd_{std::move(other.pidfd_)},
      output_{std::move(other.output_)},
      error_{std::move(other.error_)},
      input_{std::move(other.input_)},
      input_reader_{std::move(other.input_reader_)},
      unfed_{other.unfed_} {}

ChildProcess::~ChildProcess() {
  if (pid_ > 0) static_cast<void>(kill_group_and_reap());
}

void ChildProcess::feed() {
  while (!unfed_.empty()) {
    const auto written = ::write(input_.get(), unfed_.data(), unfed_.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) return;
    if (written < 0) break;
    unfed_.remove_prefix(static_cast<std::size_t>(written));
  }
  input_.close();
  input_reader_.close();
}

std::size_t ChildProcess::write_some(std::string_view bytes) {
  for (;;) {
    const auto written = ::write(input_.get(), bytes.data(), bytes.size());
    if (written >= 0) return static_cast<std::size_t>(written);
    if (errno != EINTR) return 0;
  }
}

void ChildProcess::close_input() {
  unfed_ = {};
  input_.close();
  input_reader_.close();
}

void ChildProcess::signal_group(int signal) const { ::kill(-pid_, signal); }

ExitStatus ChildProcess::kill_group_and_reap() {
  // before reaping: afterwards the number may belong to a new group
  signal_group(SIGKILL);
  ::siginfo_t ended{};
  while (::waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED) != 0 && errno == EINTR) {
  }
  pid_ = -1;
  if (ended.si_code == CLD_EXITED) return {.code = ended.si_status, .signal = 0};
  return {.code = 0, .signal = ended.si_status};
}

}  // namespace catena::worker
