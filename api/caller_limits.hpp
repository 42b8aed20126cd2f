#pragma once
// How much one caller may ask for: requests a second, with a burst, and requests that are being answered at a time. Time is an argument.
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "api/message.hpp"
#include "base/time.hpp"
#include "coordinator/token_book.hpp"

namespace catena::api {

struct CallerBounds {
  std::uint32_t requests_per_second = 0;  // 0: any number
  std::uint32_t burst = 0;                // 0: as many as a second has
  std::uint32_t open_requests = 0;        // that are being answered, those that wait and streams included; 0: any number
  std::size_t callers = 10'000;           // that are told apart; further ones share what one may

  [[nodiscard]] bool any() const { return requests_per_second != 0 || open_requests != 0; }
  [[nodiscard]] std::uint32_t burst_or_second() const { return burst == 0 ? requests_per_second : burst; }
};

/// What a caller has of its own, the request that asks included.
struct OwnUse {
  CallerBounds bounds;
  std::uint32_t remaining = 0;    // requests that may come at once
  std::int64_t full_after_s = 0;  // until the burst is whole again
  std::uint32_t open = 0;
};
/// As the IETF draft of RateLimit fields has it: `RateLimit-Policy` and `RateLimit`.
[[nodiscard]] Headers limit_headers(const OwnUse& use);

class CallerLimits : public std::enable_shared_from_this<CallerLimits> {
 public:
  /// The place of a request among those that are open. Given back once, at its end at the latest.
  class Seat {
   public:
    Seat(std::shared_ptr<CallerLimits> limits, std::string caller) : limits_{std::move(limits)}, caller_{std::move(caller)} {}
    ~Seat() { give_back(); }
    Seat(const Seat&) = delete;
    Seat& operator=(const Seat&) = delete;
    void give_back() {
      if (!given_back_.exchange(true)) limits_->leave(caller_);
    }

   private:
    std::shared_ptr<CallerLimits> limits_;
    std::string caller_;
    std::atomic<bool> given_back_ = false;
  };
  struct Admission {
    std::shared_ptr<Seat> seat;  // null: refused
    OwnUse use;
    std::int64_t retry_after_s = 0;  // of one that is refused, 1 at least
  };

  explicit CallerLimits(CallerBounds bounds) : bounds_{bounds} {}
  /// Whether anything is limited of a caller with this rate of its own.
  [[nodiscard]] bool any_of(const storage::TokenRate& own) const { return bounds_.any() || own.per_second != 0; }
  /// To be owned by a shared pointer. A rate of its own takes the place of the general one; a caller that has one is always told apart: there are
  /// no more of those than tokens.
  [[nodiscard]] Admission admit(const std::string& caller, UnixMillis now, const storage::TokenRate& own = {});
  /// Callers that are told apart now.
  [[nodiscard]] std::size_t size() const;

 private:
  struct Entry {
    std::int64_t full_at_us = 0;  // when its burst is whole again
    std::uint32_t open = 0;
  };
  using Entries = std::map<std::string, Entry>;
  void leave(const std::string& caller);
  Entries::iterator entry_of(const std::string& caller, std::int64_t now_us, const storage::TokenRate& own);

  const CallerBounds bounds_;
  mutable std::mutex changing_;
  Entries entries_;
  std::int64_t swept_at_us_ = 0;
};

}  // namespace catena::api
