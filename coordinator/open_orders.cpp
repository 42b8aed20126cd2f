#include "coordinator/open_orders.hpp"

#include <algorithm>
#include <set>

#include "base/error.hpp"

namespace catena::coordinator {

void OpenOrders::add(actors::WorkOrder order, Reporter reporter) {
  const OrderKey key{order.chain, order.grant};
  auto& entry = orders_[key];
  unclaimed_.erase(key);
  ++reporters_[reporter];
  if (entry.reporter != 0) release(entry.reporter);
  entry.reporter = reporter;
  entry.stopped = entry.wanted_back = false;  // who claims it says so again
  entry.left.clear();
  for (const auto& attempt : order.attempts) entry.left.insert(attempt.item);
  entry.order = std::move(order);
}

bool OpenOrders::stop(const OrderKey& key) {
  const auto entry = orders_.find(key);
  if (entry == orders_.end()) return false;
  entry->second.stopped = true;
  return true;
}

bool OpenOrders::give_back(const OrderKey& key) {
  const auto entry = orders_.find(key);
  if (entry == orders_.end()) return false;
  entry->second.wanted_back = true;
  return true;
}

void OpenOrders::tell(const OrderKey& key, const Tell& tell) const {
  const auto found = orders_.find(key);
  if (found == orders_.end() || found->second.reporter == 0) return;
  const auto& entry = found->second;
  const auto& whole = std::get<actors::WorkOrder>(entry.order);
  if (entry.left.size() == whole.attempts.size()) {
    tell(entry.order);
  } else {
    auto rest = whole;
    std::erase_if(rest.attempts, [&](const auto& attempt) { return !entry.left.contains(attempt.item); });
    tell(std::move(rest));
  }
  if (entry.stopped) tell(actors::StopOrder{key.chain, key.grant});
  if (entry.wanted_back) tell(actors::GiveBackOrder{key.chain, key.grant});
}

std::vector<OrderKey> OpenOrders::greet(const std::vector<actors::HeldOrder>& held, bool first, bool known_store, std::int64_t now,
                                        const Tell& to_worker) {
  std::set<OrderKey> there;
  for (const auto& order : held) {
    const OrderKey key{order.chain, order.grant};
    if (orders_.contains(key) || unclaimed_.contains(key)) {
      there.insert(key);
    } else if (first && known_store) {
      there.insert(key);
      unclaimed_.emplace(key, now);
    } else {
      // All that this incarnation was given went through here since its first greeting: this is settled.
      to_worker(actors::LetGo{key.chain, key.grant});
    }
  }
  std::erase_if(unclaimed_, [&](const auto& entry) { return !there.contains(entry.first) && !orders_.contains(entry.first); });
  return open();
}

OpenOrders::Returned OpenOrders::returned(const OrderKey& key) const {
  const auto found = orders_.find(key);
  if (found == orders_.end() || found->second.reporter == 0 || gone_.contains(key)) return std::nullopt;
  const auto& entry = found->second;
  actors::WorkReport report;
  report.chain = key.chain;
  report.grant = key.grant;
  report.incarnation = std::get<actors::WorkOrder>(entry.order).incarnation;
  const auto words = to_json_text(make_error(Code::given_back, "its worker left before it began"));
  entry.left.for_each([&](ItemIndex item) { report.results.push_back({item, false, words, 0}); });
  return std::pair{std::move(report), entry.reporter};
}

std::vector<OrderKey> OpenOrders::open() const {
  std::vector<OrderKey> keys;
  keys.reserve(orders_.size());
  for (const auto& [key, entry] : orders_) keys.push_back(key);
  return keys;
}

OpenOrders::Routed OpenOrders::route(actors::WorkReport& report) const {
  const OrderKey key{report.chain, report.grant};
  const auto found = orders_.find(key);
  if (found == orders_.end()) return {unclaimed_.contains(key) ? Routed::What::wait : Routed::What::forget, 0};
  const auto& entry = found->second;
  if (entry.reporter == 0) return {Routed::What::wait, 0};
  IndexSet seen;
  std::erase_if(report.results, [&](const auto& result) { return !entry.left.contains(result.item) || !seen.insert(result.item); });
  if (report.results.empty()) return {Routed::What::wait, 0};
  return {Routed::What::deliver, entry.reporter};
}

std::map<OpenOrders::Reporter, actors::AttemptNotes> OpenOrders::route(actors::AttemptNotes& said) const {
  std::map<Reporter, actors::AttemptNotes> routed;
  for (auto& note : said.notes) {
    const auto order = orders_.find({note.chain, note.grant});
    if (order == orders_.end() || order->second.reporter == 0 || !order->second.left.contains(note.item)) continue;
    routed[order->second.reporter].notes.push_back(std::move(note));
  }
  return routed;
}

bool OpenOrders::durable(const OrderKey& key, const IndexSet& items) {
  const auto found = orders_.find(key);
  if (found == orders_.end()) return false;
  auto& entry = found->second;
  entry.left.erase(items);
  if (!entry.left.empty()) return false;
  if (entry.reporter != 0) release(entry.reporter);
  unclaimed_.erase(key);
  orders_.erase(found);
  return true;
}

void OpenOrders::orphan(Reporter reporter, std::int64_t now) {
  if (reporter == 0 || reporters_.erase(reporter) == 0) return;
  for (auto& [key, entry] : orders_) {
    if (entry.reporter != reporter) continue;
    entry.reporter = 0;
    unclaimed_.insert_or_assign(key, now);
  }
}

std::vector<OrderKey> OpenOrders::let_go(std::int64_t now) {
  std::vector<OrderKey> keys;
  for (const auto& [key, since] : unclaimed_) {
    if (since + patience_ms_ <= now) keys.push_back(key);
  }
  for (const auto& key : keys) {
    unclaimed_.erase(key);
    orders_.erase(key);
    gone_.put(key);
  }
  return keys;
}

void OpenOrders::release(Reporter reporter) {
  const auto known = reporters_.find(reporter);
  if (known == reporters_.end() || --known->second > 0) return;
  reporters_.erase(known);
  released_.push_back(reporter);
}

}  // namespace catena::coordinator
