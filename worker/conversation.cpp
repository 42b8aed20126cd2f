#include "worker/conversation.hpp"

#include <signal.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>

#include "worker/polling.hpp"
#include "worker/tail.hpp"

namespace catena::worker {
namespace {

constexpr std::size_t kReadBytes = 64UL << 10U;
/// Of an output that is too large: its beginning says what it was.
constexpr std::size_t kLargeOutputKept = 64UL << 10U;

class Talk {
 public:
  Talk(ChildProcess child, const ConversationLimits& limits, const StopToken& stop, AttemptLog* log, AttemptVoice* voice)
      : child_{std::move(child)}, limits_{limits}, stop_{stop}, errors_{limits.stderr_bytes_kept}, log_{log}, voice_{voice} {
    if (limits_.timeout.count() > 0) due_ = SteadyClock::now() + std::min(limits_.timeout, kPollTimeoutMax);
  }

  Conversation run() {
    while (!step()) {
    }
    // the group first: with its writers gone, what remains in the pipes is finite
    result_.status = child_.kill_group_and_reap();
    if (voice_ != nullptr) drain_notes();
    if (result_.ending == ConversationEnding::exited) drain();
    result_.stderr_tail = errors_.take();
    return std::move(result_);
  }

 private:
  using SteadyClock = std::chrono::steady_clock;

  /// Waits for something to happen and deals with it; true when the leader has ended or must be killed at once.
  bool step() {
    enum : std::size_t { kExit, kOutput, kError, kInput, kNotes, kStop, kCount };
    const bool ending = result_.ending != ConversationEnding::exited;
    std::array<::pollfd, kCount> waited{poll_entry(child_.exit_fd(), POLLIN),  poll_entry(child_.output_fd(), POLLIN),
                                        poll_entry(child_.error_fd(), POLLIN), poll_entry(child_.input_fd(), POLLOUT),
                                        poll_entry(child_.notes_fd(), POLLIN), poll_entry(ending ? -1 : stop_.poll_fd(), POLLIN)};
    if (!wait(waited)) return false;
    if (log_ != nullptr && log_->due() && SteadyClock::now() >= *log_->due()) log_->look(SteadyClock::now());
    if (voice_ != nullptr) voice_->look(SteadyClock::now());
    if (waited[kNotes].revents != 0) read_notes();
    if (waited[kOutput].revents != 0) read_output();
    if (waited[kError].revents != 0) read_error();
    if (waited[kInput].revents != 0) child_.feed();
    if (must_go() || waited[kExit].revents != 0) return true;
    return check_clock();
  }

  /// False when interrupted: what poll says about the descriptors is then void.
  template <std::size_t Count>
  bool wait(std::array<::pollfd, Count>& waited) {
    std::optional<std::chrono::nanoseconds> left;
    if (due_) left = *due_ - SteadyClock::now();
    left = sooner_for(log_, left);
    if (result_.ending == ConversationEnding::exited) left = sooner_for(voice_, left);
    if (waited.back().fd < 0 && result_.ending == ConversationEnding::exited)
      left = std::min<std::chrono::nanoseconds>(left.value_or(kStopCheck), kStopCheck);
    return poll_for(waited, left);
  }

  /// Asks the group to end when it is time; true when it had its grace.
  bool check_clock() {
    if (result_.ending != ConversationEnding::exited) return SteadyClock::now() >= *due_;
    if (stop_.stop_requested()) {
      result_.ending = ConversationEnding::stopped;
    } else if (due_ && SteadyClock::now() >= *due_) {
      result_.ending = ConversationEnding::timed_out;
    } else if (voice_ != nullptr && voice_->silent(SteadyClock::now())) {
      result_.ending = ConversationEnding::silent;
    } else {
      return false;
    }
    child_.signal_group(SIGTERM);
    child_.signal_group(SIGCONT);  // a stopped process would not see it
    due_ = SteadyClock::now() + limits_.term_grace;
    return false;
  }

  /// Bytes read; 0 at the end.
  std::size_t read_output() {
    const auto bytes = read(child_.output_fd());
    if (bytes.empty()) child_.close_output();
    // once the attempt has failed its output is read only so that a tool that tidies up is not held up
    if (result_.ending != ConversationEnding::exited) return bytes.size();
    if (result_.output.size() + bytes.size() > limits_.output_bytes_max) {
      result_.ending = ConversationEnding::output_too_large;
      result_.output.resize(std::min<std::size_t>(result_.output.size(), kLargeOutputKept));
    } else {
      result_.output += bytes;
    }
    return bytes.size();
  }

  std::size_t read_error() {
    const auto bytes = read(child_.error_fd());
    if (bytes.empty()) child_.close_error();
    errors_.append(bytes);
    if (log_ != nullptr) log_->print_error(bytes, SteadyClock::now());
    return bytes.size();
  }

  std::size_t read_notes() {
    const auto bytes = read(child_.notes_fd());
    if (bytes.empty()) child_.close_notes();
    if (voice_ != nullptr && !voice_->read(bytes, SteadyClock::now()) && result_.ending == ConversationEnding::exited)
      result_.ending = ConversationEnding::garbled;
    return bytes.size();
  }

  [[nodiscard]] bool must_go() const {
    return result_.ending == ConversationEnding::output_too_large || result_.ending == ConversationEnding::garbled;
  }

  /// However it ended: the last checkpoint that it sent counts. A message that it was killed within does not.
  void drain_notes() {
    drain(&ChildProcess::notes_fd, [this] { return read_notes(); });
    const bool by_itself = result_.ending == ConversationEnding::exited && result_.status.signal == 0;
    if (by_itself && !voice_->end_of_lines(SteadyClock::now())) result_.ending = ConversationEnding::garbled;
  }

  /// Never blocks: called only when poll saw something, and nobody else reads.
  std::string_view read(int fd) {
    for (;;) {
      const auto count = ::read(fd, buffer_.data(), buffer_.size());
      if (count >= 0) return {buffer_.data(), static_cast<std::size_t>(count)};
      if (errno != EINTR) return {};
    }
  }

  /// Reads what the leader left in its pipes; bounded, because a process that left the group may write on.
  void drain() {
    drain(&ChildProcess::output_fd, [this] { return read_output(); });
    drain(&ChildProcess::error_fd, [this] { return read_error(); });
  }
  template <class Read>
  void drain(int (ChildProcess::*fd)() const, Read&& read_some) {
    std::size_t total = 0;
    while ((child_.*fd)() >= 0 && total < kPipeBytesMax) {
      auto waited = poll_entry((child_.*fd)(), POLLIN);
      if (::poll(&waited, 1, 0) <= 0) return;
      total += read_some();
    }
  }

  ChildProcess child_;
  const ConversationLimits& limits_;
  const StopToken& stop_;
  Conversation result_;
  Tail errors_;
  AttemptLog* log_;
  AttemptVoice* voice_;
  std::optional<SteadyClock::time_point> due_;  // of the timeout, then of the grace
  // not initialised: 64 KiB a process is worth not clearing
  std::array<char, kReadBytes> buffer_;
};

}  // namespace

Conversation converse(ChildProcess child, const ConversationLimits& limits, const StopToken& stop, AttemptLog* log, AttemptVoice* voice) {
  return Talk{std::move(child), limits, stop, log, voice}.run();
}

}  // namespace catena::worker
