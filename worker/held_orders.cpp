#include "worker/held_orders.hpp"

#include <algorithm>
#include <functional>

namespace catena::worker {
namespace {

constexpr std::size_t kGoneMax = 4096;

std::uint64_t task_of(const actors::Attempted& attempt) { return std::hash<std::string>{}(attempt.key); }

}  // namespace

const HeldOrders::Item* HeldOrders::Order::find(std::uint32_t item) const {
  if (items.empty() || item < items.front().item || item > items.back().item) return nullptr;
  const auto guess = static_cast<std::size_t>(item - items.front().item);
  if (guess < items.size() && items[guess].item == item) return &items[guess];
  const auto found = std::ranges::lower_bound(items, item, {}, &Item::item);
  return found != items.end() && found->item == item ? &*found : nullptr;
}

void HeldOrders::Order::add(Item item) {
  const auto behind = items.empty() || items.back().item < item.item ? items.end() : std::ranges::lower_bound(items, item.item, {}, &Item::item);
  items.insert(behind, std::move(item));
}

HeldOrders::Taken HeldOrders::accept(actors::WorkOrder order) {
  Taken taken;
  if (order.attempts.empty()) return taken;
  if (holds_other_tasks(order)) {
    taken.foreign = true;
    return taken;
  }
  const auto [at, is_new] = orders_.try_emplace({order.chain, order.grant});
  auto& known = at->second;
  if (is_new) ++totals_.orders;
  known.items.reserve(known.items.size() + order.attempts.size());
  const auto taking = ++takings_;
  std::erase_if(order.attempts, [&](const actors::Attempted& attempt) {
    const auto* item = known.find(attempt.item);
    if (item == nullptr) {
      known.add({attempt.item, taking, task_of(attempt), 0, nullptr});
      return false;
    }
    if (item->report) taken.again.push_back(item->result());
    return true;
  });
  known.open += order.attempts.size();
  totals_.open += order.attempts.size();
  taken.fresh = std::move(order);
  taken.fresh.taking = taking;
  return taken;
}

bool HeldOrders::holds_other_tasks(const actors::WorkOrder& order) const {
  const auto known = orders_.find({order.chain, order.grant});
  if (known == orders_.end()) return false;
  return std::ranges::any_of(order.attempts, [&](const actors::Attempted& attempt) {
    const auto* item = known->second.find(attempt.item);
    return item != nullptr && item->task != task_of(attempt);
  });
}

std::shared_ptr<const actors::NodeMessage> HeldOrders::keep(actors::WorkReport report) {
  const auto found = orders_.find({report.chain, report.grant});
  if (found == orders_.end()) return nullptr;
  auto& order = found->second;
  const auto kept = std::make_shared<actors::NodeMessage>();
  std::uint32_t ended = 0;
  std::erase_if(report.results, [&](const actors::AttemptResult& result) {
    auto* const item = order.find(result.item);
    if (item == nullptr || item->taking != report.taking || item->report) return true;
    item->report = kept;
    item->at = ended++;
    order.bytes += result.text.size() + result.checkpoint.size();
    totals_.bytes += result.text.size() + result.checkpoint.size();
    return false;
  });
  order.open -= report.results.size();
  totals_.open -= report.results.size();
  totals_.results += report.results.size();
  if (report.results.empty()) return nullptr;
  *kept = std::move(report);
  return kept;
}

bool HeldOrders::forget(const std::string& chain, GrantId grant) {
  const auto found = orders_.find({chain, grant});
  if (found == orders_.end()) return false;
  const auto& order = found->second;
  const bool was_open = order.open > 0;
  --totals_.orders;
  totals_.open -= order.open;
  totals_.results -= order.items.size() - order.open;
  totals_.bytes -= order.bytes;
  orders_.erase(found);
  return was_open;
}

bool HeldOrders::let_go(const std::string& chain, GrantId grant) {
  const bool known = orders_.contains({chain, grant});
  const bool was_open = forget(chain, grant);
  if (known && gone_.insert({chain, grant}).second) gone_in_order_.emplace_back(chain, grant);
  if (gone_in_order_.size() > kGoneMax) {
    gone_.erase(gone_in_order_.front());
    gone_in_order_.pop_front();
  }
  return was_open;
}

void HeldOrders::clear() {
  orders_.clear();
  gone_.clear();
  gone_in_order_.clear();
  totals_ = {};
}

std::vector<actors::HeldOrder> HeldOrders::all() const {
  std::vector<actors::HeldOrder> held;
  held.reserve(orders_.size());
  for (const auto& [key, order] : orders_) held.push_back({key.first, key.second});
  return held;
}

std::vector<actors::HeldOrder> HeldOrders::open() const {
  std::vector<actors::HeldOrder> held;
  for (const auto& [key, order] : orders_) {
    if (order.open > 0) held.push_back({key.first, key.second});
  }
  return held;
}

actors::WorkReport ended_by(const actors::WorkOrder& order, const Error& error) {
  actors::WorkReport report;
  report.chain = order.chain;
  report.grant = order.grant;
  report.taking = order.taking;
  const auto text = to_json_text(error);
  for (const auto& attempt : order.attempts) report.results.push_back({attempt.item, false, text, 0});
  return report;
}

}  // namespace catena::worker
