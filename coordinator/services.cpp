#include "coordinator/services.hpp"

#include <algorithm>

namespace catena::coordinator {

actors::Commit spilled(std::shared_ptr<storage::Batch> batch, storage::Durability durability) {
  return {std::move(batch), std::max(durability, storage::Durability::async), 0};
}

}  // namespace catena::coordinator
