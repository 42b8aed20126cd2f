#pragma once
// The feed: what became of chains, for whoever follows all of them, in the order in which it was written. Numbers grow and are not used
// again. It is no record of the chains: what is in their journals counts, and of the feed only the newest notices are kept.
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/codec.hpp"
#include "base/ids.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "storage/kv.hpp"

namespace catena::storage {

enum class NoticeKind : std::uint8_t { started, step_began, step_settled, paused, resumed, cancelling, retried, ended, quarantined };
[[nodiscard]] constexpr std::uint32_t count_of(NoticeKind) { return static_cast<std::uint32_t>(NoticeKind::quarantined) + 1; }
inline constexpr std::array kNoticeKindNames{std::string_view{"started"}, std::string_view{"step_began"}, std::string_view{"step_settled"},
                                             std::string_view{"paused"},  std::string_view{"resumed"},    std::string_view{"cancelling"},
                                             std::string_view{"retried"}, std::string_view{"ended"},      std::string_view{"quarantined"}};
[[nodiscard]] constexpr std::string_view name(NoticeKind kind) { return kNoticeKindNames[static_cast<std::size_t>(kind)]; }

struct Notice {
  NoticeKind kind = NoticeKind::started;
  ChainId chain = {};
  std::string definition = {};  // what the chain's definition calls itself
  std::string status = {};      // of the chain; of a step that settled, of the step
  std::string step = {};        // of the kinds that are about one
  std::uint32_t visit = 0;
  std::string code = {};  // of the error that it ended with; empty: none
  std::string message = {};
  UnixMillis at = 0;
  Sequence sequence = 0;        // of the chain's journal: that event, or one of the same turn
  std::string namespace_ = {};  // of the chain; empty: it has none

  friend bool operator==(const Notice&, const Notice&) = default;
};
template <class V>
void fields(V& v, Notice& x) {
  v("kind", x.kind), v("chain", x.chain), v("definition", x.definition), v("status", x.status), v("step", x.step), v("visit", x.visit),
      v("code", x.code), v("message", x.message), v("at", x.at), v("sequence", x.sequence), v("namespace", x.namespace_);
}

/// Numbered from that on. Many share a record, under the number of its last: a turn of a busy coordinator has notices of many chains.
void put_notices(Batch& batch, std::uint64_t first, const std::vector<Notice>& notices);
/// Those with first <= number < end go, but for those in one record with a later one.
void remove_notices(Batch& batch, std::uint64_t first, std::uint64_t end);

/// Notices from that number on, in order, until the visitor answers false. Errors: storage_corrupt where a record is damaged, and those of the store.
using NoticeVisitor = std::function<bool(std::uint64_t number, const Notice& notice)>;
[[nodiscard]] Result<void> scan_notices(const Kv& kv, std::uint64_t first, const NoticeVisitor& visitor);
/// Their numbers alone.
[[nodiscard]] Result<void> scan_notice_numbers(const Kv& kv, const std::function<bool(std::uint64_t number)>& visitor);
/// Of the oldest that is kept; 0: there is none.
[[nodiscard]] Result<std::uint64_t> first_notice(const Kv& kv);

}  // namespace catena::storage
