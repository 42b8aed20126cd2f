#pragma once
// What the thread of a dialer brings to the one thread that waits for it.
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "link/line.hpp"

namespace catena::client {

class Inbox {
 public:
  /// Of a dial; what comes of an earlier one is not told any more.
  void put_dialled(std::uint64_t dial, Result<link::LinePtr> line) {
    const std::lock_guard lock{mutex_};
    if (dial == dial_) dialled_ = std::move(line);
    changed_.notify_all();
  }
  std::uint64_t begin_dial() {
    const std::lock_guard lock{mutex_};
    dialled_.reset();
    return ++dial_;
  }
  void put_frames(const link::Line* line, std::vector<link::Frame> frames) {
    const std::lock_guard lock{mutex_};
    if (line != line_) return;
    for (auto& frame : frames) frames_.push_back(std::move(frame));
    changed_.notify_all();
  }
  void put_over(const link::Line* line) {
    const std::lock_guard lock{mutex_};
    if (line != line_) return;
    over_ = true;
    changed_.notify_all();
  }
  /// Whose frames are wanted from now on; null: nobody's.
  void listen_to(const link::Line* line) {
    const std::lock_guard lock{mutex_};
    line_ = line;
    over_ = false;
    frames_.clear();
  }
  std::optional<Result<link::LinePtr>> wait_dialled(std::chrono::milliseconds most) {
    std::unique_lock lock{mutex_};
    changed_.wait_for(lock, most, [&] { return dialled_.has_value(); });
    return std::exchange(dialled_, std::nullopt);
  }
  struct Come {
    std::vector<link::Frame> frames;
    bool over = false;
  };
  Come wait_frames(std::chrono::milliseconds most) {
    std::unique_lock lock{mutex_};
    changed_.wait_for(lock, most, [&] { return over_ || !frames_.empty(); });
    return {std::exchange(frames_, {}), over_};
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t dial_ = 0;
  std::optional<Result<link::LinePtr>> dialled_;
  const link::Line* line_ = nullptr;
  std::vector<link::Frame> frames_;
  bool over_ = false;
};

}  // namespace catena::client
