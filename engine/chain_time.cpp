#include "engine/chain_time.hpp"

#include <algorithm>

namespace catena::engine {
namespace {

// What a damaged journal says must not overflow what is added to it.
constexpr Millis kLeadMax = std::chrono::hours{24 * 366 * 1000};

}  // namespace

Millis lead(UnixMillis last_at, UnixMillis now) {
  if (last_at <= now) return Millis{0};
  return std::min(Millis{last_at - now}, kLeadMax);
}

}  // namespace catena::engine
