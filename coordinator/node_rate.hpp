#pragma once
// How many attempts a worker ends in a second. Pure: what its heartbeats count and when they came go in.
#include <cstdint>
#include <optional>

#include "base/time.hpp"

namespace catena::coordinator {

class NodeRate {
 public:
  /// A heartbeat that came at `at` says that so many attempts have ended since the worker started. actors::kFinishedUnknown: a link has just begun,
  /// and the worker has not said; the count begins anew with the next.
  void record(std::uint64_t finished, UnixMillis at);

  /// Thousandths of an attempt a second, in a moving mean; 0: not known yet.
  [[nodiscard]] std::uint64_t milli() const { return milli_; }

 private:
  struct Counted {
    std::uint64_t finished = 0;
    UnixMillis at = 0;
  };
  std::optional<Counted> last_;
  std::uint64_t milli_ = 0;
};

}  // namespace catena::coordinator
