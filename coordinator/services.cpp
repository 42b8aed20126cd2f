#include "coordinator/services.hpp"

#include <algorithm>

namespace catena::coordinator {

GrantId first_grant_after(const Services& services, storage::Durability durability) {
  constexpr unsigned kGrantsOfEpochBits = 32;  // an epoch has four thousand million of them
  return durability == storage::Durability::sync ? 0 : services.kv->epoch() << kGrantsOfEpochBits;
}

actors::Commit spilled(std::shared_ptr<storage::Batch> batch, storage::Durability durability) {
  return {std::move(batch), std::max(durability, storage::Durability::async), 0};
}

}  // namespace catena::coordinator
