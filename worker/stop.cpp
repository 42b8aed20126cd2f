#include "worker/stop.hpp"

#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <cstdint>

namespace catena::worker {

void StopSource::request_stop() {
  const std::scoped_lock lock{mutex_};
  stopped_.store(true, std::memory_order_release);
  if (event_.is_open()) {
    // fails only when the counter is full: then it is readable, which is all that is wanted
    [[maybe_unused]] const auto result = ::eventfd_write(event_.get(), 1);
  }
}

StopToken StopSource::token() { return StopToken{*this}; }

void StopSource::reset() {
  if (!stop_requested()) return;
  const std::scoped_lock lock{mutex_};
  stopped_.store(false, std::memory_order_release);
  if (event_.is_open()) {
    std::uint64_t count = 0;
    [[maybe_unused]] const auto result = ::eventfd_read(event_.get(), &count);
  }
}

int StopSource::poll_fd() {
  const std::scoped_lock lock{mutex_};
  if (!event_.is_open()) event_ = Fd{::eventfd(stop_requested() ? 1U : 0U, EFD_CLOEXEC | EFD_NONBLOCK)};
  return event_.get();
}

bool StopToken::wait_for(std::chrono::microseconds span) const {
  using Clock = std::chrono::steady_clock;
  // a wait of a year is cut to one: a point in time further away would not fit the clock
  const auto until = Clock::now() + std::min<std::chrono::microseconds>(span, std::chrono::hours{24 * 365});
  ::pollfd waited{.fd = poll_fd(), .events = POLLIN, .revents = 0};
  // without a descriptor the flag is looked at ten times a second
  const auto longest = waited.fd >= 0 || source_ == nullptr ? std::chrono::nanoseconds{std::chrono::hours{1}} : std::chrono::milliseconds{100};
  while (!stop_requested()) {
    const auto left = std::min<std::chrono::nanoseconds>(until - Clock::now(), longest);
    if (left.count() <= 0) return false;
    const ::timespec timeout{.tv_sec = left.count() / 1'000'000'000, .tv_nsec = left.count() % 1'000'000'000};
    ::ppoll(&waited, 1, &timeout, nullptr);
  }
  return true;
}

}  // namespace catena::worker
