#include "worker/serve_child.hpp"

#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <optional>

#include "worker/polling.hpp"

namespace catena::worker {
namespace {

using SteadyClock = std::chrono::steady_clock;

bool wait_for_exit(int exit_fd, SteadyClock::time_point until) {
  for (;;) {
    std::array waited{poll_entry(exit_fd, POLLIN)};
    const auto left = until - SteadyClock::now();
    if (poll_for(waited, left) && waited[0].revents != 0) return true;
    if (left.count() <= 0) return false;
  }
}

}  // namespace

Heard ServeChild::ask(std::string_view line, const AskLimits& limits, const StopToken& stop, AttemptLog* log, AttemptVoice* voice) {
  heard_.clear();
  log_ = log;
  answer_bytes_ = 0;
  errors_.clear();
  std::optional<SteadyClock::time_point> due;
  if (limits.timeout.count() > 0) due = SteadyClock::now() + std::min(limits.timeout, kPollTimeoutMax);
  line.remove_prefix(process_.write_some(line));
  const int stop_fd = stop.poll_fd();
  for (;;) {
    enum : std::size_t { kExit, kOutput, kError, kInput, kStop, kCount };
    std::array<::pollfd, kCount> waited{poll_entry(process_.exit_fd(), POLLIN), poll_entry(process_.output_fd(), POLLIN),
                                        poll_entry(process_.error_fd(), POLLIN), poll_entry(line.empty() ? -1 : process_.input_fd(), POLLOUT),
                                        poll_entry(stop_fd, POLLIN)};
    std::optional<std::chrono::nanoseconds> left;
    if (due) left = *due - SteadyClock::now();
    left = sooner_for(voice, sooner_for(log_, left));
    if (stop_fd < 0) left = std::min<std::chrono::nanoseconds>(left.value_or(kStopCheck), kStopCheck);
    if (!poll_for(waited, left)) continue;  // interrupted: what poll says is void
    if (waited[kError].revents != 0) read_error();
    if (log_ != nullptr && log_->due() && SteadyClock::now() >= *log_->due()) log_->look(SteadyClock::now());
    // before the exit: an answer that it gave with its last breath counts
    if (waited[kOutput].revents != 0) {
      const auto got = read_output(limits.line_bytes_max, voice);
      if (got == Got::line) return Heard::answered;
      if (got == Got::garbage) return Heard::garbled;
      if (heard_.size() > limits.line_bytes_max) return Heard::line_too_large;
      if (got == Got::nothing) return Heard::died;  // it closed its stdout: there will be no answer
    } else if (waited[kExit].revents != 0) {
      return Heard::died;
    }
    if (waited[kInput].revents != 0) line.remove_prefix(process_.write_some(line));
    if (stop.stop_requested()) return Heard::stopped;
    if (due && SteadyClock::now() >= *due) return Heard::timed_out;
    if (voice == nullptr) continue;
    voice->look(SteadyClock::now());
    if (voice->silent(SteadyClock::now())) return Heard::silent;
  }
}

ServeChild::Got ServeChild::read_output(std::size_t line_bytes_max, AttemptVoice* voice) {
  const auto bytes = read(process_.output_fd());
  if (bytes.empty()) return Got::nothing;
  const auto from = heard_.size();
  heard_ += bytes;
  return find_answer(from, line_bytes_max, voice);
}

/// Looks for the end of a line from there on. Lines that are notifications are heard, and taken away.
ServeChild::Got ServeChild::find_answer(std::size_t from, std::size_t line_bytes_max, AttemptVoice* voice) {
  answer_bytes_ = 0;
  std::size_t begin = 0;
  auto got = Got::some;
  for (auto end = heard_.find('\n', from); end != std::string::npos; end = heard_.find('\n', begin)) {
    const auto line = std::string_view{heard_}.substr(begin, end - begin);
    if (voice == nullptr || !is_notification(line)) {
      answer_bytes_ = end - begin;
      got = answer_bytes_ <= line_bytes_max ? Got::line : Got::some;
      break;
    }
    begin = end + 1;
    if (voice->hear(line, SteadyClock::now())) continue;
    got = Got::garbage;
    break;
  }
  heard_.erase(0, begin);
  return got;
}

void ServeChild::read_error() {
  const auto bytes = read(process_.error_fd());
  if (bytes.empty()) process_.close_error();
  errors_.append(bytes);
  if (log_ != nullptr) log_->print_error(bytes, SteadyClock::now());
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
  std::array waited{poll_entry(process_.exit_fd(), POLLIN), poll_entry(process_.output_fd(), POLLIN)};
  return process_.output_fd() >= 0 && ::poll(waited.data(), waited.size(), 0) == 0;
}

ExitStatus ServeChild::end(Millis grace) {
  process_.close_input();
  process_.close_output();
  std::array exited{poll_entry(process_.exit_fd(), POLLIN)};
  if (::poll(exited.data(), 1, 0) <= 0) {
    process_.signal_group(SIGTERM);
    process_.signal_group(SIGCONT);  // a stopped process would not see it
    static_cast<void>(wait_for_exit(process_.exit_fd(), SteadyClock::now() + grace));
  }
  const auto status = process_.kill_group_and_reap();
  for (std::size_t total = 0; process_.error_fd() >= 0 && total < kPipeBytesMax;) {
    std::array waited{poll_entry(process_.error_fd(), POLLIN)};
    if (::poll(waited.data(), 1, 0) <= 0) break;
    read_error();
    total += buffer_.size();
  }
  return status;
}

std::string ServeChild::take_stderr() {
  log_ = nullptr;
  auto text = errors_.take();
  masks_.clean_end(text);
  return text;
}

void ServeChild::end_all(std::vector<std::unique_ptr<ServeChild>> children, Millis grace) {
  for (const auto& child : children) child->process_.close_input();
  const auto until = SteadyClock::now() + grace;
  for (const auto& child : children) static_cast<void>(wait_for_exit(child->process_.exit_fd(), until));
}

}  // namespace catena::worker
