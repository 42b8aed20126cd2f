#include "coordinator/ticket_book.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace catena::coordinator {
namespace {

constexpr std::uint32_t kFirstOrderItems = 4;   // before anything is known of how long an item takes
constexpr std::uint32_t kFirstAtWorker = 64;    // before anything is known of how long it takes there
constexpr std::uint32_t kTicketsAskedMax = 64;  // of one visit, at a time
constexpr double kShortestItemUs = 1.0;
constexpr std::int64_t kTailTargets = 3;  // an order that is out for so many times what it was meant for may be stuck
constexpr std::size_t kOrdersLeft = 8;    // that the rest of a fan-out is cut into at least

void blend(double& mean, double newest) {
  constexpr double kWeight = 0.3;  // of the newest in the moving mean
  mean = mean == 0 ? newest : mean + kWeight * (newest - mean);
}

bool is_of(const TicketBook::Lent& lent, const WorkerId& worker, Incarnation incarnation) {
  return lent.ticket.worker == worker && lent.ticket.incarnation == incarnation;
}

/// Few rows in one piece of memory, ascending by key: a chain that waits has several such tables, most of them empty.
template <class Rows, class Key>
auto place_of(Rows& rows, const Key& key) {
  return std::ranges::lower_bound(
      rows, key, {}, [](const auto& row) -> const auto& { return row.first; });
}
template <class Rows, class Key>
bool is_at(const Rows& rows, typename Rows::const_iterator at, const Key& key) {
  return at != rows.end() && at->first == key;
}

}  // namespace

// ---- tickets --------------------------------------------------------------------------------------------------------

bool TicketBook::withdraw(const VisitId& visit) {
  const auto pace = paces_.find(visit);
  return pace != paces_.end() && std::exchange(pace->second.asked, 0) > 0;
}

std::uint32_t TicketBook::ask(const VisitId& visit, std::uint32_t orders) {
  const auto useful = std::min(orders, kTicketsAskedMax);
  auto& asked = paces_[visit].asked;
  if (useful == 0 || (asked > 0 && useful <= 2 * asked)) return 0;
  return asked = useful;
}

void TicketBook::add(const actors::Ticket& ticket, UnixMillis now) {
  auto& asked = paces_[ticket.visit].asked;
  if (asked > 0) --asked;
  add_unasked(ticket, now);
}

void TicketBook::claim(GrantId grant, const actors::Ticket& ticket, UnixMillis now) {
  lent_.insert_or_assign(grant, Lent{.ticket = ticket, .since = now, .claimed = true});
}

const actors::Ticket* TicketBook::send(GrantId grant, UnixMillis now) {
  const auto lent = lent_.find(grant);
  if (lent == lent_.end()) return nullptr;
  lent->second.sent = now;
  return &lent->second.ticket;
}

void TicketBook::spend(GrantId grant) {
  if (const auto lent = lent_.find(grant); lent != lent_.end()) lent->second.spent = true;
}

std::optional<actors::Ticket> TicketBook::finish(GrantId grant, UnixMillis now) {
  recalled_.erase(grant);
  const auto entry = lent_.extract(grant);
  if (entry.empty()) return std::nullopt;
  auto& lent = entry.mapped();
  if (lent.spent || now - lent.since > settings_.ticket_kept_ms) return std::move(lent.ticket);
  free_.push_back({.ticket = std::move(lent.ticket), .since = lent.since});
  return std::nullopt;
}

std::vector<actors::Ticket> TicketBook::return_free() {
  std::vector<actors::Ticket> tickets;
  for (auto& lent : free_) tickets.push_back(std::move(lent.ticket));
  free_.clear();
  return tickets;
}

std::vector<GrantId> TicketBook::unsent(const WorkerId& worker, Incarnation incarnation) const {
  std::vector<GrantId> grants;
  for (const auto& [id, lent] : lent_) {
    if (is_of(lent, worker, incarnation) && lent.sent == 0 && !lent.claimed) grants.push_back(id);
  }
  return grants;
}

void TicketBook::drop(const WorkerId& worker, Incarnation incarnation) {
  std::erase_if(lent_, [&](const auto& entry) { return is_of(entry.second, worker, incarnation); });
  std::erase_if(free_, [&](const Lent& lent) { return is_of(lent, worker, incarnation); });
}

void TicketBook::forget_ended(const Grants& grants) {
  recalled_.erase_where([&](GrantId id) { return !grants.contains(id); });
}

// ---- the size of an order -------------------------------------------------------------------------------------------

void TicketBook::learn(const VisitId& visit, const WorkerId& worker, std::int64_t items, std::int64_t took_us, std::uint64_t item_bytes) {
  auto& pace = paces_[visit];
  if (item_bytes > 0) blend(pace.bytes_per_item, static_cast<double>(item_bytes));
  if (items == 0) return;
  const auto took = std::max(kShortestItemUs, static_cast<double>(took_us) / static_cast<double>(items));
  blend(pace.us_per_item, took);
  auto there = place_of(pace.at, worker);
  if (!is_at(pace.at, there, worker)) there = pace.at.insert(there, {worker, 0});
  blend(there->second, took);
}

std::uint32_t TicketBook::order_items(const VisitId& visit, std::size_t left, const WorkerId* worker) const {
  const auto fitting = [&](double us) {
    return std::clamp(static_cast<double>(settings_.order_target_us) / us, 1.0, static_cast<double>(settings_.order_items_max));
  };
  double items = kFirstOrderItems;
  if (const auto known = paces_.find(visit); known != paces_.end()) {
    const auto& pace = known->second;
    if (pace.us_per_item > 0) items = fitting(pace.us_per_item);
    if (worker != nullptr && pace.us_per_item > 0) {
      const auto there = place_of(pace.at, *worker);
      items = is_at(pace.at, there, *worker) ? fitting(there->second) : std::min<double>(items, kFirstAtWorker);
    }
    if (pace.bytes_per_item > 0) items = std::min(items, std::max(1.0, static_cast<double>(settings_.order_bytes_max) / pace.bytes_per_item));
  }
  const auto share = static_cast<std::uint32_t>(left / std::max(kOrdersLeft, lent_.size()));
  return std::clamp(share, 1U, static_cast<std::uint32_t>(items));
}

// ---- the tail of a fan-out ------------------------------------------------------------------------------------------

std::int64_t TicketBook::tail_age_ms() const { return std::max<std::int64_t>(kTailTargets * settings_.order_target_us / 1000, 1); }

bool TicketBook::watch(const VisitId& visit, UnixMillis due) {
  const auto at = place_of(watched_, visit);
  if (is_at(watched_, at, visit)) return false;
  watched_.insert(at, {visit, due});
  if (timer_at_ != 0 && timer_at_ <= due) return false;
  timer_at_ = due;
  return true;
}

void TicketBook::unwatch(const VisitId& visit) {
  const auto at = place_of(watched_, visit);
  if (is_at(watched_, at, visit)) watched_.erase(at);
}

std::vector<VisitId> TicketBook::looks_due(UnixMillis due) {
  std::vector<VisitId> looks;
  if (due != timer_at_) return looks;
  timer_at_ = 0;
  std::erase_if(watched_, [&](const auto& watched) {
    if (watched.second > due) return false;
    looks.push_back(watched.first);
    return true;
  });
  return looks;
}

std::optional<UnixMillis> TicketBook::next_look() {
  if (watched_.empty()) return std::nullopt;
  const auto first = std::ranges::min_element(watched_, {}, [](const auto& watched) { return watched.second; })->second;
  if (timer_at_ != 0 && timer_at_ <= first) return std::nullopt;
  return timer_at_ = first;
}

bool TicketBook::recallable(GrantId id, const engine::Grant& grant, const VisitId& visit) const {
  if (grant.visit != visit || recalled_.contains(id)) return false;
  const auto lent = lent_.find(id);
  return lent != lent_.end() && lent->second.sent != 0;
}

/// How long the rest of an order may take, as far as can be told.
double TicketBook::left_us(const VisitId& visit, const engine::Grant& grant) const {
  const auto known = paces_.find(visit);
  const auto items = static_cast<double>(grant.open.size());
  if (known == paces_.end()) return items;
  const auto& at = known->second.at;
  const auto there = place_of(at, grant.worker);
  // Who has said nothing at all is the slowest.
  return is_at(at, there, grant.worker) ? items * there->second : std::numeric_limits<double>::max();
}

TicketBook::Tail TicketBook::look(const VisitId& visit, const Grants& grants, UnixMillis now) {
  std::optional<std::pair<double, WorkerId>> worst;
  Tail tail;
  for (const auto& [id, grant] : grants) {
    if (!recallable(id, grant, visit)) continue;
    const auto young_for = lent_.at(id).sent + tail_age_ms() - now;
    if (young_for > 0) {
      tail.again_ms = tail.again_ms == 0 ? young_for : std::min(tail.again_ms, young_for);
    } else if (const auto left = left_us(visit, grant); !worst || left > worst->first) {
      worst.emplace(left, grant.worker);
    }
  }
  if (worst) {
    const auto at = place_of(helping_, visit);
    if (is_at(helping_, at, visit))
      at->second = worst->second;
    else
      helping_.insert(at, {visit, worst->second});
    tail.worst = std::move(worst->second);
  }
  return tail;
}

std::optional<WorkerId> TicketBook::helped(const VisitId& visit) {
  const auto at = place_of(helping_, visit);
  if (!is_at(helping_, at, visit)) return std::nullopt;
  auto worker = std::move(at->second);
  helping_.erase(at);
  return worker;
}

std::vector<GrantId> TicketBook::recall(const VisitId& visit, const WorkerId& worker, const Grants& grants, std::uint32_t slots, UnixMillis now) {
  std::vector<GrantId> recalled;
  std::uint32_t expected = 0;
  for (auto at = grants.rbegin(); at != grants.rend() && expected < slots; ++at) {  // the newest have begun the least
    const auto& [id, grant] = *at;
    if (grant.worker != worker || !recallable(id, grant, visit) || lent_.at(id).sent + tail_age_ms() > now) continue;
    recalled_.insert(id);
    recalled.push_back(id);
    expected += std::max(grant.open.size() - 1, 1U);
  }
  return recalled;
}

}  // namespace catena::coordinator
