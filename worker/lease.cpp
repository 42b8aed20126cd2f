#include "worker/lease.hpp"

namespace catena::worker {

bool Lease::renew(std::int64_t sent_at_ms, std::int64_t length_ms) {
  if (sent_at_ms > clock_->now_ms() || length_ms <= 0) return false;
  const auto until = sent_at_ms + length_ms;
  auto had = until_.load(std::memory_order_acquire);
  while (until > had) {
    if (until_.compare_exchange_weak(had, until, std::memory_order_acq_rel)) return true;
  }
  return false;
}

void Lease::end() { until_.store(0, std::memory_order_release); }

}  // namespace catena::worker
