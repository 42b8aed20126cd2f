#include "worker/serve_child.hpp"

#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <optional>

namespace catena::worker {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Millis kTimeoutMax = std::chrono::hours{24 * 365};
/// How often the stop flag is looked at when no descriptor was left to wait for it.
constexpr Millis kStopCheck{100};
/// All that a process can have left behind in a pipe.
constexpr std::size_t kPipeBytesMax = 1UL << 20U;

::pollfd descriptor(int fd, short events) { return {.fd = fd, .events = events, .revents = 0}; }

bool wait(std::span<::pollfd> waited, std::optional<std::chrono::nanoseconds> left) {
  ::timespec timeout{};
  if (left) {
    left = std::max(*left, std::chrono::nanoseconds{0});
    timeout = {.tv_sec = left->count() / 1'000'000'000, .tv_nsec = left->count() % 1'000'000'000};
  }
  return ::ppoll(waited.data(), waited.size(), left ? &timeout : nullptr, nullptr) >= 0;
}

bool ended_by(int exit_fd, Clock::time_point until) {
  for (;;) {
    std::array waited{descriptor(exit_fd, POLLIN)};
    const auto left = until - Clock::now();
    if (wait(waited, left) && waited[0].revents != 0) return true;
    if (left.count() <= 0) return false;
  }
}

}  // namespace

Heard ServeChild::ask(std::string_view line, const AskLimits& limits, const StopToken& stop) {
  heard_.clear();
  answer_bytes_ = 0;
  errors_.clear();
  std::optional<Clock::time_point> due;
  if (limits.timeout.count() > 0) due = Clock::now() + std::min(limits.timeout, kTimeoutMax);
  line.remove_prefix(process_.write_some(line));
  const int stop_fd = stop.poll_fd();
  for (;;) {
    enum : std::size_t { kExit, kOutput, kError, kInput, kStop, kCount };
    std::array<::pollfd, kCount> waited{descriptor(process_.exit_fd(), POLLIN), descriptor(process_.output_fd(), POLLIN),
                                        descriptor(process_.error_fd(), POLLIN),
                                        descriptor(line.empty() ? -1 : process_.input_fd(), POLLOUT), descriptor(stop_fd, POLLIN)};
    std::optional<std::chrono::nanoseconds> left;
    if (due) left = *due - Clock::now();
    if (stop_fd < 0) left = std::min<std::chrono::nanoseconds>(left.value_or(kStopCheck), kStopCheck);
    if (!wait(waited, left)) continue;  // interrupted: what poll says is void
    if (waited[kError].revents != 0) read_error();
    // before the exit: an answer that it gave with its last breath counts
    if (waited[kOutput].revents != 0) {
      const auto got = read_output(limits.line_bytes_max);
      if (got == Got::line) return Heard::answered;
      if (heard_.size() > limits.line_bytes_max) return Heard::line_too_large;
      if (got == Got::nothing) return Heard::died;  // it closed its stdout: there will be no answer
    } else if (waited[kExit].revents != 0) {
      return Heard::died;
    }
    if (waited[kInput].revents != 0) line.remove_prefix(process_.write_some(line));
    if (stop.stop_requested()) return Heard::stopped;
    if (due && Clock::now() >= *due) return Heard::timed_out;
  }
}

ServeChild::Got ServeChild::read_output(std::size_t line_bytes_max) {
  const auto bytes = read(process_.output_fd());
  if (bytes.empty()) return Got::nothing;
  const auto end = bytes.find('\n');
  answer_bytes_ = end == std::string_view::npos ? 0 : heard_.size() + end;
  heard_ += bytes;
  return end != std::string_view::npos && answer_bytes_ <= line_bytes_max ? Got::line : Got::some;
}

void ServeChild::read_error() {
  const auto bytes = read(process_.error_fd());
  if (bytes.empty()) process_.close_error();
  errors_.append(bytes);
}

/// Never blocks: called only when poll saw something, and nobody else reads.
std::string_view ServeChild::read(int fd) {
  for (;;) {
    const auto count = ::read(fd, buffer_.data(), buffer_.size());
    if (count >= 0) return {buffer_.data(), static_cast<std::size_t>(count)};
    if (errno != EINTR) return {};
  }
}

bool ServeChild::is_ready() const {
  // something behind the line that was asked for
  if (heard_.size() > answer_bytes_ + 1) return false;
  std::array waited{descriptor(process_.exit_fd(), POLLIN), descriptor(process_.output_fd(), POLLIN)};
  return process_.output_fd() >= 0 && ::poll(waited.data(), waited.size(), 0) == 0;
}

ExitStatus ServeChild::end(Millis grace) {
  process_.close_input();
  process_.close_output();
  std::array exited{descriptor(process_.exit_fd(), POLLIN)};
  if (::poll(exited.data(), 1, 0) <= 0) {
    process_.signal_group(SIGTERM);
    process_.signal_group(SIGCONT);  // a stopped process would not see it
    static_cast<void>(ended_by(process_.exit_fd(), Clock::now() + grace));
  }
  const auto status = process_.kill_group_and_reap();
  for (std::size_t total = 0; process_.error_fd() >= 0 && total < kPipeBytesMax;) {
    std::array waited{descriptor(process_.error_fd(), POLLIN)};
    if (::poll(waited.data(), 1, 0) <= 0) break;
    read_error();
    total += buffer_.size();
  }
  return status;
}

std::string ServeChild::take_stderr() { return errors_.take(); }

void ServeChild::end_all(std::vector<std::unique_ptr<ServeChild>> children, Millis grace) {
  for (const auto& child : children) child->process_.close_input();
  const auto until = Clock::now() + grace;
  for (const auto& child : children) static_cast<void>(ended_by(child->process_.exit_fd(), until));
}

}  // namespace catena::worker
