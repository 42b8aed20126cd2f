#include "worker/conversation.hpp"

#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>

#include "worker/tail.hpp"

namespace catena::worker {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kReadBytes = 64UL << 10U;
/// A pipe holds at most this much (pipe-max-size): all that a leader can have left behind in one.
constexpr std::size_t kPipeBytesMax = 1UL << 20U;
/// A timeout is cut to this: later points in time do not fit the clock.
constexpr Millis kTimeoutMax = std::chrono::hours{24 * 365};
/// How often the stop flag is looked at when no descriptor was left to wait for it.
constexpr Millis kStopCheck{100};

class Talk {
 public:
  Talk(ChildProcess child, const ConversationLimits& limits, const StopToken& stop)
      : child_{std::move(child)}, limits_{limits}, stop_{stop}, errors_{limits.stderr_bytes_kept} {
    if (limits_.timeout.count() > 0) due_ = Clock::now() + std::min(limits_.timeout, kTimeoutMax);
  }

  Conversation run() {
    while (!step()) {
    }
    // the group first: with its writers gone, what remains in the pipes is finite
    result_.status = child_.kill_group_and_reap();
    if (result_.ending == Ending::exited) drain();
    result_.stderr_tail = errors_.take();
    return std::move(result_);
  }

 private:
  /// Waits for something to happen and deals with it; true when the leader has ended or must be killed at once.
  bool step() {
    enum : std::size_t { kExit, kOutput, kError, kInput, kStop, kCount };
    const auto descriptor = [](int fd, short events) { return ::pollfd{.fd = fd, .events = events, .revents = 0}; };
    const bool ending = result_.ending != Ending::exited;
    std::array<::pollfd, kCount> waited{descriptor(child_.exit_fd(), POLLIN), descriptor(child_.output_fd(), POLLIN),
                                        descriptor(child_.error_fd(), POLLIN), descriptor(child_.input_fd(), POLLOUT),
                                        descriptor(ending ? -1 : stop_.poll_fd(), POLLIN)};
    if (!wait(waited)) return false;
    if (waited[kOutput].revents != 0) read_output();
    if (waited[kError].revents != 0) read_error();
    if (waited[kInput].revents != 0) child_.feed();
    if (result_.ending == Ending::output_too_large || waited[kExit].revents != 0) return true;
    return check_clock();
  }

  /// False when interrupted: what poll says about the descriptors is then void.
  template <std::size_t Count>
  bool wait(std::array<::pollfd, Count>& waited) {
    std::optional<std::chrono::nanoseconds> left;
    if (due_) left = std::max<std::chrono::nanoseconds>(*due_ - Clock::now(), std::chrono::nanoseconds{0});
    if (waited.back().fd < 0 && result_.ending == Ending::exited) left = std::min<std::chrono::nanoseconds>(left.value_or(kStopCheck), kStopCheck);
    ::timespec timeout{};
    if (left) timeout = {.tv_sec = left->count() / 1'000'000'000, .tv_nsec = left->count() % 1'000'000'000};
    return ::ppoll(waited.data(), waited.size(), left ? &timeout : nullptr, nullptr) >= 0;
  }

  /// Asks the group to end when it is time; true when it had its grace.
  bool check_clock() {
    if (result_.ending != Ending::exited) return Clock::now() >= *due_;
    if (stop_.stop_requested()) {
      result_.ending = Ending::stopped;
    } else if (due_ && Clock::now() >= *due_) {
      result_.ending = Ending::timed_out;
    } else {
      return false;
    }
    child_.signal_group(SIGTERM);
    child_.signal_group(SIGCONT);  // a stopped process would not see it
    due_ = Clock::now() + limits_.term_grace;
    return false;
  }

  /// Bytes read; 0 at the end.
  std::size_t read_output() {
    const auto bytes = read(child_.output_fd());
    if (bytes.empty()) child_.close_output();
    // once the attempt has failed its output is read only so that a tool that tidies up is not held up
    if (result_.ending != Ending::exited) return bytes.size();
    if (result_.output.size() + bytes.size() > limits_.output_bytes_max) {
      result_.ending = Ending::output_too_large;
      result_.output = {};
    } else {
      result_.output += bytes;
    }
    return bytes.size();
  }

  std::size_t read_error() {
    const auto bytes = read(child_.error_fd());
    if (bytes.empty()) child_.close_error();
    errors_.append(bytes);
    return bytes.size();
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
      ::pollfd waited{.fd = (child_.*fd)(), .events = POLLIN, .revents = 0};
      if (::poll(&waited, 1, 0) <= 0) return;
      total += read_some();
    }
  }

  ChildProcess child_;
  const ConversationLimits& limits_;
  const StopToken& stop_;
  Conversation result_;
  Tail errors_;
  std::optional<Clock::time_point> due_;  // of the timeout, then of the grace
  // not initialised: 64 KiB a process is worth not clearing
  std::array<char, kReadBytes> buffer_;
};

}  // namespace

Conversation converse(ChildProcess child, const ConversationLimits& limits, const StopToken& stop) {
  return Talk{std::move(child), limits, stop}.run();
}

}  // namespace catena::worker
