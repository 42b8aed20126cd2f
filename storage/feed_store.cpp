#include "storage/feed_store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "storage/bytes.hpp"
#include "storage/keys.hpp"
#include "storage/record.hpp"

namespace catena::storage {

namespace {

// Whoever wants one of them reads all.
constexpr std::size_t kNoticesTogetherMax = 64;
constexpr std::size_t kBytesTogetherMax = 16UL << 10U;
constexpr std::size_t kCountOfNoticesBytes = 4;

std::size_t bytes_of(const Notice& notice) { return notice.definition.size() + notice.step.size() + notice.message.size(); }

/// The payload is their count, so that numbers can be read alone, and behind it this.
struct Together {
  std::vector<Notice> notices;
  template <class V>
  friend void fields(V& v, Together& x) {
    v("notices", x.notices);
  }
};

void put_together(Batch& batch, std::uint64_t last, Together&& together) {
  std::string payload;
  append_be32(payload, static_cast<std::uint32_t>(together.notices.size()));
  payload += codec::to_bytes(together);
  put_record(batch, keys::notice(last), RecordKind::notices, payload);
}

tl::unexpected<Error> unreadable(std::string_view key) {
  return fail(Code::storage_corrupt,
              fmt::format("the notice stored at {} cannot be read; restore the data directory from a backup", keys::printable(key)));
}

/// Of one record.
Result<Together> read_together(std::string_view key, std::string_view value) {
  const auto payload = open_record(RecordKind::notices, value, key);
  if (!payload) {
    const auto alone = open_record(RecordKind::notice, value, key);
    if (!alone) return fail(payload.error());
    auto notice = codec::from_bytes<Notice>(*alone);
    if (!notice) return unreadable(key);
    return Together{{std::move(*notice)}};
  }
  if (payload->size() < kCountOfNoticesBytes) return unreadable(key);
  auto together = codec::from_bytes<Together>(payload->substr(kCountOfNoticesBytes));
  if (!together || together->notices.empty() || together->notices.size() != read_be32(*payload)) return unreadable(key);
  return std::move(*together);
}

/// How many a record has; a damaged one stands for one, until somebody reads it.
std::uint64_t count_in(std::string_view key, std::string_view value) {
  const auto payload = open_record(RecordKind::notices, value, key);
  if (!payload || payload->size() < kCountOfNoticesBytes) return 1;
  return std::clamp<std::uint64_t>(read_be32(*payload), 1, kNoticesTogetherMax);
}

}  // namespace

void put_notices(Batch& batch, std::uint64_t first, const std::vector<Notice>& notices) {
  Together together;
  std::size_t bytes = 0;
  for (std::size_t index = 0; index < notices.size(); ++index) {
    together.notices.push_back(notices[index]);
    bytes += bytes_of(notices[index]);
    const bool full = together.notices.size() == kNoticesTogetherMax || bytes > kBytesTogetherMax;
    if (!full && index + 1 < notices.size()) continue;
    put_together(batch, first + index, std::exchange(together, {}));
    bytes = 0;
  }
}

void remove_notices(Batch& batch, std::uint64_t first, std::uint64_t end) {
  const auto range = keys::notices(first, end);
  batch.remove_range(range.from, range.to);
}

Result<void> scan_notices(const Kv& kv, std::uint64_t first, const NoticeVisitor& visitor) {
  const auto range = keys::notices(first);
  Result<void> read;
  const auto scanned = kv.scan(range.from, range.to, [&](std::string_view key, std::string_view value) {
    const auto together = read_together(key, value);
    if (!together) {
      read = fail(together.error());
      return false;
    }
    auto number = keys::number_of_notice(key).value_or(0) + 1 - together->notices.size();
    for (const auto& notice : together->notices) {
      if (number >= first && !visitor(number, notice)) return false;
      ++number;
    }
    return true;
  });
  if (!scanned) return fail(scanned.error());
  return read;
}

Result<void> scan_notice_numbers(const Kv& kv, const std::function<bool(std::uint64_t number)>& visitor) {
  const auto range = keys::notices(0);
  return kv.scan(range.from, range.to, [&](std::string_view key, std::string_view value) {
    const auto last = keys::number_of_notice(key).value_or(0);
    for (auto number = last + 1 - std::min(count_in(key, value), last + 1); number <= last; ++number) {
      if (!visitor(number)) return false;
    }
    return true;
  });
}

Result<std::uint64_t> first_notice(const Kv& kv) {
  std::uint64_t first = 0;
  const auto scanned = scan_notice_numbers(kv, [&](std::uint64_t number) {
    first = number;
    return false;
  });
  if (!scanned) return fail(scanned.error());
  return first;
}

}  // namespace catena::storage
