#pragma once
// What attempts have printed and nobody has taken yet: filled by slots, emptied by whoever sends it on. Bounded: where too much waits, the oldest
// goes, and is counted. What is kept at all is said here as well.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "actors/log_messages.hpp"

namespace catena::worker {

class LogBuffer {
 public:
  static constexpr std::size_t kBytesMax = 1UL << 20U;
  static constexpr std::uint64_t kAttemptMost = 64UL << 20U;

  explicit LogBuffer(actors::LogKeep keep = actors::LogKeep::none, std::uint64_t attempt_max = 0, std::size_t bytes_max = kBytesMax)
      : bytes_max_{bytes_max} {
    configure(keep, attempt_max);
  }

  /// For attempts that begin from now on.
  void configure(actors::LogKeep keep, std::uint64_t attempt_max) {
    keep_ = keep;
    attempt_max_ = std::min(attempt_max, kAttemptMost);
  }
  [[nodiscard]] actors::LogKeep keep() const { return keep_; }
  [[nodiscard]] std::uint64_t attempt_max() const { return attempt_max_; }

  /// Called, on the thread of a slot, when something begins to wait. To be set before slots run.
  void wake_with(std::function<void()> wake) { wake_ = std::move(wake); }
  void offer(actors::LogPiece piece);

  struct Taken {
    std::vector<actors::LogPiece> pieces;
    std::uint64_t bytes = 0;    // their cost
    std::uint64_t dropped = 0;  // bytes, since it was last asked and there was something
  };
  /// The oldest that together cost at most so much.
  [[nodiscard]] Taken take(std::uint64_t most);

 private:
  std::size_t bytes_max_;
  std::atomic<actors::LogKeep> keep_{actors::LogKeep::none};
  std::atomic<std::uint64_t> attempt_max_{0};
  std::function<void()> wake_;
  std::mutex mutex_;
  std::deque<actors::LogPiece> pieces_;
  std::size_t bytes_ = 0;
  std::uint64_t dropped_ = 0;
  bool told_ = false;  // that something waits
};

}  // namespace catena::worker
