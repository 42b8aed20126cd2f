// The feed, a page at a time.
#include <fnmatch.h>

#include <algorithm>

#include "coordinator/inspect/inspector.hpp"

namespace catena::coordinator {
namespace {

constexpr std::size_t kNoticeCost = 64;  // bytes beside its texts

bool is_of_family(const ChainId& chain, const ChainId& family) {
  return chain == family || (chain.value.starts_with(family.value) && chain.value[family.value.size()] == '/');
}

bool is_wanted(const storage::Notice& notice, const ReadFeed& ask) {
  if (!ask.family.value.empty() && !is_of_family(notice.chain, ask.family)) return false;
  if (!ask.namespace_.empty() && notice.namespace_ != ask.namespace_) return false;
  if (!ask.kinds.empty() && std::ranges::find(ask.kinds, notice.kind) == ask.kinds.end()) return false;
  if (ask.only_submitted && notice.chain.value.find('/') != std::string::npos) return false;
  return ask.name.empty() || ::fnmatch(ask.name.c_str(), notice.definition.c_str(), 0) == 0;
}

std::size_t bytes_of(const storage::Notice& notice) {
  return kNoticeCost + notice.chain.value.size() + notice.definition.size() + notice.step.size() + notice.message.size() + notice.namespace_.size();
}

}  // namespace

Result<FeedPage> Inspector::answer(const ReadFeed& ask) {
  FeedPage page;
  if (ask.from_now) {
    const auto scanned = storage::scan_notice_numbers(kv_, [&](std::uint64_t number) {
      page.next = number + 1;
      return true;
    });
    if (!scanned) return fail(scanned.error());
    return page;
  }
  const auto oldest = storage::first_notice(kv_);
  if (!oldest) return fail(oldest.error());
  page.lost = ask.first != 0 && *oldest > ask.first;
  page.next = std::max({ask.first, *oldest, std::uint64_t{1}});
  const std::size_t most = ask.limit == 0 ? kPageRowsMax : std::min(ask.limit, kPageRowsMax);
  std::size_t bytes = 0;
  std::uint32_t looked_at = 0;
  const auto scanned = storage::scan_notices(kv_, page.next, [&](std::uint64_t number, const storage::Notice& notice) {
    if (page.rows.size() == most || bytes > kPageBytesMax || looked_at == kNoticesLookedAtMax) {
      page.more = true;
      return false;
    }
    ++looked_at;
    page.next = number + 1;
    if (!is_wanted(notice, ask)) return true;
    bytes += bytes_of(notice);
    page.rows.push_back({number, notice});
    return true;
  });
  if (!scanned) return fail(scanned.error());
  return page;
}

}  // namespace catena::coordinator
