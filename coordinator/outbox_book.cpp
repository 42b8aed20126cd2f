#include "coordinator/outbox_book.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/base64.hpp"
#include "base/hash.hpp"
#include "base/random.hpp"

namespace catena::coordinator {
namespace {

constexpr std::int64_t kSecond = 1000;
constexpr std::int64_t kMinute = 60 * kSecond;
constexpr std::array<std::int64_t, 8> kPauses{5 * kSecond,  30 * kSecond, 2 * kMinute,   10 * kMinute,
                                              30 * kMinute, 60 * kMinute, 120 * kMinute, 240 * kMinute};
constexpr std::string_view kSecretForm = "whsec_";

}  // namespace

std::optional<UnixMillis> next_try(std::uint32_t tries, UnixMillis since, UnixMillis now, std::optional<Millis> asked_for, std::uint64_t seed) {
  if (now - since >= kDeliveryTriesMax.count()) return std::nullopt;
  const auto pause = kPauses.at(std::min<std::size_t>(std::max(tries, 1U) - 1, kPauses.size() - 1));
  const auto shifted = pause * 4 / 5 + static_cast<std::int64_t>(mix(seed) % static_cast<std::uint64_t>(pause * 2 / 5 + 1));
  if (asked_for && now + asked_for->count() > since + kDeliveryTriesMax.count()) return std::nullopt;
  const auto at = now + std::max(shifted, asked_for.value_or(Millis{0}).count());
  // The last try is made when the time is over, not hours before.
  return std::min(at, std::max(since + kDeliveryTriesMax.count(), now + asked_for.value_or(Millis{0}).count()));
}

TryVerdict verdict_of(std::uint32_t status) {
  if (status >= 200 && status < 300) return TryVerdict::delivered;
  return status == 410 ? TryVerdict::never : TryVerdict::again;
}

std::string webhook_signature(std::string_view secret, std::string_view id, std::int64_t unix_seconds, std::string_view body) {
  auto key = std::string{secret};
  if (secret.starts_with(kSecretForm)) key = from_base64(secret.substr(kSecretForm.size())).value_or(key);
  return "v1," + to_base64(hmac_sha256(key, fmt::format("{}.{}.{}", id, unix_seconds, body)));
}

template <class Change>
void OutboxBook::change(Servers::iterator server, Change change) {
  auto& row = server->second;
  if (!row.waiting.empty()) open_.erase({row.waiting.begin()->first, server->first});
  change(row);
  if (row.waiting.empty() && row.under_way == 0) {
    servers_.erase(server);
  } else if (!row.waiting.empty() && row.under_way < limits_.of_server) {
    open_.emplace(row.waiting.begin()->first, server->first);
  }
}

void OutboxBook::add(const std::string& id, const std::string& server, UnixMillis due) {
  if (const auto known = deliveries_.find(id); known != deliveries_.end()) {
    auto& entry = known->second;
    if (entry.under_way) return;
    change(entry.server, [&](Server& row) {
      row.waiting.erase({entry.due, id});
      row.waiting.emplace(due, id);
    });
    entry.due = due;
    return;
  }
  const auto at = servers_.try_emplace(server).first;
  deliveries_.emplace(id, Entry{at, due, false});
  change(at, [&](Server& row) { row.waiting.emplace(due, id); });
}

std::optional<std::string> OutboxBook::take(UnixMillis now) {
  if (under_way_ >= limits_.at_once || open_.empty() || open_.begin()->first > now) return std::nullopt;
  // Of the servers that are due the one with the fewest tries under way, so that those that hang do not take each place that becomes free. No more
  // servers than there are places have any, so few are looked at.
  auto server = servers_.find(open_.begin()->second);
  for (auto at = open_.begin(); at != open_.end() && at->first <= now && server->second.under_way > 0; ++at) {
    const auto other = servers_.find(at->second);
    if (other->second.under_way < server->second.under_way) server = other;
  }
  const auto id = server->second.waiting.begin()->second;
  change(server, [&](Server& row) {
    row.waiting.erase(row.waiting.begin());
    ++row.under_way;
  });
  deliveries_.at(id).under_way = true;
  ++under_way_;
  return id;
}

void OutboxBook::settle(const std::string& id) {
  const auto known = deliveries_.find(id);
  if (known == deliveries_.end()) return;
  const auto entry = known->second;
  deliveries_.erase(known);
  if (entry.under_way) --under_way_;
  change(entry.server, [&](Server& row) {
    if (entry.under_way) {
      --row.under_way;
    } else {
      row.waiting.erase({entry.due, id});
    }
  });
}

void OutboxBook::again(const std::string& id, UnixMillis due) {
  const auto known = deliveries_.find(id);
  if (known == deliveries_.end() || !known->second.under_way) return;
  auto& entry = known->second;
  entry.under_way = false;
  entry.due = due;
  --under_way_;
  change(entry.server, [&](Server& row) {
    --row.under_way;
    row.waiting.emplace(due, id);
  });
}

std::optional<UnixMillis> OutboxBook::next_due() const {
  if (under_way_ >= limits_.at_once || open_.empty()) return std::nullopt;
  return open_.begin()->first;
}

bool OutboxBook::under_way(const std::string& id) const {
  const auto known = deliveries_.find(id);
  return known != deliveries_.end() && known->second.under_way;
}

std::string OutboxBook::oldest() const {
  const auto found = std::ranges::find_if(deliveries_, [](const auto& row) { return !row.second.under_way; });
  return found == deliveries_.end() ? std::string{} : found->first;
}

}  // namespace catena::coordinator
