#pragma once
// The calls of one worker on the file store that have no answer yet: a few at a time are under way, the rest waits in order, within bounds. Pure.
#include <array>
#include <cstddef>
#include <deque>
#include <optional>

#include "actors/protocol.hpp"

namespace catena::coordinator {

class FileQueue {
 public:
  static constexpr std::size_t kAtOnce = 4;
  struct Limits {
    std::size_t calls = 4096;          // a worker has one a slot
    std::size_t bytes = 512UL << 20U;  // of contents; a worker that keeps to its own bound has a fourth of it on its way (kFileBytesOnTheWay)
  };
  struct Start {
    std::size_t place = 0;  // below kAtOnce; free again with answered()
    actors::FileCall call;
  };

  explicit FileQueue(Limits limits) : limits_{limits} {}
  FileQueue() : FileQueue{Limits{}} {}

  /// False: this is more than a worker may ask at once; the call is not kept.
  [[nodiscard]] bool add(actors::FileCall call);
  /// The next call that may start. Empty: none waits, or as many as may are under way.
  [[nodiscard]] std::optional<Start> next();
  void answered(std::size_t place);
  /// The calls that have not started are forgotten: whoever made them makes them again.
  void drop_waiting();
  /// Calls without an answer, and the bytes of their contents.
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  Limits limits_;
  std::deque<actors::FileCall> waiting_;
  std::array<std::optional<std::size_t>, kAtOnce> under_way_;  // bytes of the content; none: the place is free
  std::size_t size_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace catena::coordinator
