#include "api/caller_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace catena::api {
namespace {

constexpr std::int64_t kSecondUs = 1'000'000;
/// Of all who are not told apart.
constexpr const char* kOthers = "";

std::int64_t seconds_up(std::int64_t us) { return (std::max<std::int64_t>(us, 0) + kSecondUs - 1) / kSecondUs; }

}  // namespace

Headers limit_headers(const OwnUse& use) {
  std::string policy;
  std::string left;
  const auto& bounds = use.bounds;
  if (bounds.requests_per_second != 0) {
    const auto burst = bounds.burst_or_second();
    policy = fmt::format("\"requests\";q={};w={}", burst, (burst + bounds.requests_per_second - 1) / bounds.requests_per_second);
    left = fmt::format("\"requests\";r={};t={}", use.remaining, use.full_after_s);
  }
  if (bounds.open_requests != 0) {
    const auto* const comma = policy.empty() ? "" : ", ";
    policy += fmt::format("{}\"open\";q={};qu=\"concurrent-requests\"", comma, bounds.open_requests);
    left += fmt::format("{}\"open\";r={}", comma, bounds.open_requests - std::min(use.open, bounds.open_requests));
  }
  if (policy.empty()) return {};
  return {{"RateLimit-Policy", std::move(policy)}, {"RateLimit", std::move(left)}};
}

// A burst that is not whole becomes so by one request each 1/rate of a second: one time says all of it.
CallerLimits::Admission CallerLimits::admit(const std::string& caller, UnixMillis now, const storage::TokenRate& own) {
  const std::lock_guard lock{changing_};
  const std::int64_t now_us = now * 1'000;
  const auto found = entry_of(caller, now_us, own);
  auto& entry = found->second;
  Admission admission;
  auto& bounds = admission.use.bounds;
  bounds = bounds_;
  if (own.per_second != 0) {
    bounds.requests_per_second = own.per_second;
    bounds.burst = own.burst;
  }
  bool may = true;
  if (bounds.open_requests != 0 && entry.open >= bounds.open_requests) {
    may = false;
    admission.retry_after_s = 1;
  }
  if (bounds.requests_per_second != 0) {
    const auto each_us = std::max<std::int64_t>(kSecondUs / bounds.requests_per_second, 1);
    const auto whole_us = each_us * bounds.burst_or_second();
    auto missing_us = std::max<std::int64_t>(entry.full_at_us - now_us, 0);
    const auto over_us = missing_us + each_us - whole_us;
    if (over_us > 0) {
      may = false;
      admission.retry_after_s = std::max(admission.retry_after_s, seconds_up(over_us));
    }
    if (may) missing_us += each_us;
    entry.full_at_us = now_us + missing_us;
    admission.use.remaining = static_cast<std::uint32_t>(std::max<std::int64_t>((whole_us - missing_us) / each_us, 0));
    admission.use.full_after_s = seconds_up(missing_us);
  }
  if (may) {
    ++entry.open;
    admission.seat = std::make_shared<Seat>(shared_from_this(), found->first);
  }
  admission.use.open = entry.open;
  return admission;
}

std::size_t CallerLimits::size() const {
  const std::lock_guard lock{changing_};
  return entries_.size();
}

void CallerLimits::leave(const std::string& caller) {
  const std::lock_guard lock{changing_};
  const auto found = entries_.find(caller);
  if (found != entries_.end() && found->second.open > 0) --found->second.open;
}

/// Who has nothing open and a whole burst is as one who never came. Those are looked for when there is no room, once a second at most.
CallerLimits::Entries::iterator CallerLimits::entry_of(const std::string& caller, std::int64_t now_us, const storage::TokenRate& own) {
  if (const auto known = entries_.find(caller); known != entries_.end()) return known;
  if (entries_.size() >= bounds_.callers && now_us >= swept_at_us_ + kSecondUs) {
    swept_at_us_ = now_us;
    std::erase_if(entries_, [&](const auto& each) { return each.second.open == 0 && each.second.full_at_us <= now_us; });
  }
  return entries_.try_emplace(own.per_second != 0 || entries_.size() < bounds_.callers ? caller : kOthers).first;
}

}  // namespace catena::api
