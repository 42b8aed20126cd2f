#include "worker/program_waits.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace catena::worker {

bool ProgramWaits::add(actors::WorkOrder order) {
  const auto hash = order.program;
  orders_[hash].push_back(std::move(order));
  return asked_.insert(hash).second;
}

std::vector<std::string> ProgramWaits::begin_link() {
  asked_.clear();
  for (const auto& [hash, orders] : orders_) asked_.insert(hash);
  return {asked_.begin(), asked_.end()};
}

ProgramWaits::Come ProgramWaits::come(const std::string& hash) {
  auto waited = orders_.extract(hash);
  Come come{asked_.erase(hash) != 0, {}};
  if (!waited.empty()) come.orders = std::move(waited.mapped());
  return come;
}

std::vector<actors::WorkOrder> ProgramWaits::take(const std::string& chain, GrantId grant) {
  std::vector<actors::WorkOrder> taken;
  for (auto& [hash, orders] : orders_) {
    const auto rest =
        std::stable_partition(orders.begin(), orders.end(), [&](const auto& order) { return order.grant != grant || order.chain != chain; });
    std::move(rest, orders.end(), std::back_inserter(taken));
    orders.erase(rest, orders.end());
  }
  std::erase_if(orders_, [](const auto& entry) { return entry.second.empty(); });
  return taken;
}

}  // namespace catena::worker
