#pragma once
// Asking a running task to end. A token can be checked, or waited for with poll; the descriptor behind it is made on first use,
// so a task that never waits costs nothing. A source is reused from task to task and must outlive its tokens.
#include <atomic>
#include <chrono>
#include <mutex>

#include "base/fd.hpp"

namespace catena::worker {

class StopToken;

class StopSource {
 public:
  StopSource() = default;
  StopSource(const StopSource&) = delete;
  StopSource& operator=(const StopSource&) = delete;

  void request_stop();
  [[nodiscard]] bool stop_requested() const noexcept { return stopped_.load(std::memory_order_acquire); }
  [[nodiscard]] StopToken token();
  /// Ready for the next task. Not while a task still holds a token.
  void reset();

 private:
  friend class StopToken;
  [[nodiscard]] int poll_fd();

  std::atomic<bool> stopped_{false};
  std::mutex mutex_;
  Fd event_;
};

class StopToken {
 public:
  /// A token nobody can stop.
  StopToken() = default;

  [[nodiscard]] bool stop_requested() const noexcept { return source_ != nullptr && source_->stop_requested(); }
  /// Readable once a stop was requested. -1 when there is none to wait for (or no descriptor was left): check now and then.
  [[nodiscard]] int poll_fd() const { return source_ == nullptr ? -1 : source_->poll_fd(); }
  /// Waits that long or until stopped; true when a stop was requested.
  [[nodiscard]] bool wait_for(std::chrono::microseconds span) const;

 private:
  friend class StopSource;
  explicit StopToken(StopSource& source) : source_{&source} {}
  StopSource* source_ = nullptr;
};

}  // namespace catena::worker
