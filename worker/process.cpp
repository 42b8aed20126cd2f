#include "worker/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "worker/launch.hpp"

namespace catena::worker {
namespace {

struct Pipe {
  Fd reader;
  Fd writer;
};

/// Moves a descriptor above those that a child's streams are put on: dup2 onto one of ours would lose it.
bool lift(Fd& fd, int above) {
  if (fd.get() > above) return true;
  fd = Fd{::fcntl(fd.get(), F_DUPFD_CLOEXEC, above + 1)};
  return fd.is_open();
}

bool open_pipe(Pipe& pipe, int above = STDERR_FILENO) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  pipe.reader = Fd{ends[0]};
  pipe.writer = Fd{ends[1]};
  return lift(pipe.reader, above) && lift(pipe.writer, above);
}

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
  auto error =
      make_error(Code::tool_not_started, fmt::format("program '{}' could not be started: {}{}", program, std::strerror(reason), advice(reason)));
  error.retryable = reason == EAGAIN || reason == ENOMEM || reason == EMFILE || reason == ENFILE || reason == ETXTBSY;
  error.details = Json{{"errno", reason}};
  return error;
}

/// Why a child could not become the program.
Error not_launched(const ProcessSpec& spec, const Launched& launched) {
  auto error = not_started(spec.program, launched.reason);
  const auto says = [&](std::string words) { error.message = fmt::format("program '{}' could not be started: {}", spec.program, std::move(words)); };
  if (launched.failed_at == LaunchStep::user) {
    says(fmt::format("the user '{}' could not be taken on: {}", spec.user->name, std::strerror(launched.reason)));
  } else if (launched.failed_at == LaunchStep::directory) {
    says(fmt::format("the directory '{}' cannot be entered: {}", spec.directory, std::strerror(launched.reason)));
  } else if (launched.failed_at == LaunchStep::program && launched.reason == EACCES && spec.user != nullptr) {
    error.message += fmt::format(" It runs as user '{}' (worker.run_as), who must be able to enter every folder on its path.", spec.user->name);
  }
  return error;
}

/// argv points into the spec; execve does not write to it.
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
  Pipe notes;
  if (!open_pipe(in) || !open_pipe(out) || !open_pipe(err) || (spec.notes && !open_pipe(notes, kNotesFd)))
    return fail(not_started(spec.program, errno));
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

  if (spec.keeper != nullptr) {
    auto listing = spec.keeper->enlist();
    if (!listing) return fail(std::move(listing).error());
    child.listing_.emplace(std::move(*listing));
  }
  auto launched = launch({.program = spec.program.c_str(),
                          .argv = argv->data(),
                          .environment = spec.environment,
                          .input = in.reader.get(),
                          .output = out.writer.get(),
                          .error = err.writer.get(),
                          .notes = notes.writer.get(),
                          .directory = spec.directory,
                          .user = spec.user,
                          .group = child.listing_ ? &child.listing_->group() : nullptr});
  if (launched.pid < 0) return fail(not_launched(spec, launched));
  child.pid_ = launched.pid;
  child.pidfd_ = std::move(launched.pidfd);
  child.output_ = std::move(out.reader);
  child.error_ = std::move(err.reader);
  child.notes_ = std::move(notes.reader);
  if (!fits) {
    child.unfed_ = spec.input;
    child.input_ = std::move(in.writer);
    child.input_reader_ = std::move(in.reader);
    if (spec.then == Input::ends) child.feed();
  }
  return child;
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : listing_{std::move(other.listing_)},
      pid_{std::exchange(other.pid_, -1)},
      pidfd_{std::move(other.pidfd_)},
      output_{std::move(other.output_)},
      error_{std::move(other.error_)},
      notes_{std::move(other.notes_)},
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
  listing_.reset();
  ::siginfo_t ended{};
  while (::waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED) != 0 && errno == EINTR) {
  }
  pid_ = -1;
  if (ended.si_code == CLD_EXITED) return {.code = ended.si_status, .signal = 0};
  return {.code = 0, .signal = ended.si_status};
}

}  // namespace catena::worker
