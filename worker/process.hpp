#pragma once
// A child process with one owner: its own process group, pipes for stdin, stdout, stderr and its notes, and a pidfd that tells its end.
// The destructor kills the group and reaps the leader, so a process that outlives its attempt cannot be written. When catena itself is killed
// the keeper (keeper.hpp) does it.
#include <sys/types.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/fd.hpp"
#include "base/result.hpp"
#include "worker/keeper.hpp"
#include "worker/tool_user.hpp"

namespace catena::worker {

/// Small input is written before the child starts: a pipe always takes this much.
inline constexpr std::size_t kPipeBytesAlways = 4096;

/// Where a program writes what it has to say while it runs.
inline constexpr int kNotesFd = 3;

/// Whether stdin ends with the input, or stays open for write_some().
enum class Input { ends, stays_open };

struct ProcessSpec {
  const std::string& program;         // absolute, or relative to the working directory of catena
  std::span<const std::string> args;  // what follows the program in argv
  char* const* environment = nullptr;
  std::string_view input = {};  // stdin; what did not fit the pipe is left to feed(). None when it stays open
  Input then = Input::ends;
  const char* directory = nullptr;  // where it starts, and what a relative program is relative to then; null: the working directory of catena
  Keeper* keeper = nullptr;         // outlives the process; null: it outlives a catena that is killed
  const ToolUser* user = nullptr;   // null: the user of catena
  bool notes = false;               // its descriptor kNotesFd is a pipe to catena
};

/// How a leader ended: an exit code, or a signal.
struct ExitStatus {
  int code = 0;
  int signal = 0;  // 0: it exited by itself
};

/// Neither an argument nor a variable of a program can have such a character.
[[nodiscard]] bool has_nul(std::string_view text);

class ChildProcess {
 public:
  /// Errors: tool_not_started, retryable when the machine was short of something.
  [[nodiscard]] static Result<ChildProcess> start(const ProcessSpec& spec);

  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  ~ChildProcess();

  [[nodiscard]] int output_fd() const { return output_.get(); }
  [[nodiscard]] int error_fd() const { return error_.get(); }
  [[nodiscard]] int notes_fd() const { return notes_.get(); }
  [[nodiscard]] int exit_fd() const { return pidfd_.get(); }
  /// Where to wait until more input can be fed; -1 once all of it was.
  [[nodiscard]] int input_fd() const { return input_.get(); }
  void feed();

  /// Of a stdin that stays open: bytes that the pipe took, without waiting; 0 when it is full.
  [[nodiscard]] std::size_t write_some(std::string_view bytes);
  void close_input();

  void close_output() { output_.close(); }
  void close_error() { error_.close(); }
  void close_notes() { notes_.close(); }

  /// Sends a signal to every process of the group. The leader is not reaped yet, so the group's number cannot be another's.
  void signal_group(int signal) const;
  /// Waits for the leader, having killed what is left of its group.
  [[nodiscard]] ExitStatus kill_group_and_reap();

 private:
  ChildProcess() = default;

  std::optional<Keeper::Listing> listing_;
  pid_t pid_ = -1;
  Fd pidfd_;
  Fd output_;
  Fd error_;
  Fd notes_;
  Fd input_;
  Fd input_reader_;  // held so that a child that closes its stdin gives us no SIGPIPE
  std::string_view unfed_;
};

}  // namespace catena::worker
