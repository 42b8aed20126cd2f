#pragma once
// What becomes of chains, as notices for who follows all of them. Pure: which events are worth one, how notices are numbered, and which are
// no longer kept.
#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

#include "engine/event.hpp"
#include "engine/state.hpp"
#include "lang/program/program.hpp"
#include "storage/feed_store.hpp"

namespace catena::coordinator {

/// None for items and attempts, and for steps of child chains: their chain's history has them. `state`: as the turn of the event has left it.
[[nodiscard]] std::optional<storage::Notice> notice_of(const engine::Event& event, const engine::ChainState& state, const ChainId& chain,
                                                       const lang::Program& program);

/// Numbers grow over all starts. Each opening of the store has a range of its own: what a process wrote last may be lost with a power failure, and
/// somebody may have read it.
class FeedNumbers {
 public:
  /// `keep`: notices that are kept at least.
  explicit FeedNumbers(std::uint64_t keep) : keep_{keep} {}

  /// At the start, in order: one that is stored.
  void add_stored(std::uint64_t number);
  /// All that are stored are known. `epoch`: of the store, no two openings share one.
  void begin(std::uint64_t epoch) { next_ = std::max(next_, epoch << kRangeBits); }

  /// The number of the next notice.
  [[nodiscard]] std::uint64_t take();
  /// All before the next one are taken.
  [[nodiscard]] std::uint64_t end() const { return next_; }
  /// What is to be removed now: first <= number < end. Nothing most of the time.
  [[nodiscard]] std::optional<std::pair<std::uint64_t, std::uint64_t>> too_old();

 private:
  static constexpr unsigned kRangeBits = 32;      // so that JSON's whole numbers last for two million openings
  static constexpr std::uint64_t kStride = 1024;  // notices that go at once

  void note(std::uint64_t number);

  std::uint64_t keep_;
  std::uint64_t next_ = 1;
  std::uint64_t kept_ = 0;             // notices that are stored
  std::deque<std::uint64_t> strides_;  // numbers of the first of each stride, oldest first
};

}  // namespace catena::coordinator
