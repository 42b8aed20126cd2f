#include "worker/polling.hpp"

#include <signal.h>

#include <algorithm>

namespace catena::worker {

bool poll_for(std::span<::pollfd> waited, std::optional<std::chrono::nanoseconds> left) {
  ::timespec timeout{};
  if (left) {
    left = std::max(*left, std::chrono::nanoseconds{0});
    timeout = {.tv_sec = left->count() / 1'000'000'000, .tv_nsec = left->count() % 1'000'000'000};
  }
  return ::ppoll(waited.data(), waited.size(), left ? &timeout : nullptr, nullptr) >= 0;
}

}  // namespace catena::worker
