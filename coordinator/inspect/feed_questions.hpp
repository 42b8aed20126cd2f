#pragma once
// What may be asked about the feed: what became of all chains, in the order in which it was written. A part of questions.hpp.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/codec.hpp"
#include "storage/feed_store.hpp"

namespace catena::coordinator {

struct FeedRow {
  std::uint64_t number = 0;  // they grow, with gaps
  storage::Notice notice = {};
};
struct FeedPage {
  static constexpr std::string_view kKind = "feed_page";
  std::vector<FeedRow> rows = {};
  std::uint64_t next = 1;  // what comes later begins there
  bool more = false;       // there is more already
  bool lost = false;       // what came between is not kept any more: list the chains anew
};
/// Notices that are passed over for one page.
inline constexpr std::uint32_t kNoticesLookedAtMax = 100'000;
/// In their order; whoever follows asks again for `next`. Where no feed is kept there are none.
struct ReadFeed {
  using Answer = FeedPage;
  static constexpr std::string_view kKind = "read_feed";
  std::uint64_t first = 0;  // number; 0: the oldest that is kept
  bool from_now = false;    // no rows, only `next`
  std::uint32_t limit = 0;
  ChainId family = {};                          // only this chain and its descendants; empty: all
  std::vector<storage::NoticeKind> kinds = {};  // empty: all
  std::string name = {};                        // of the definition, with `*` and `?` as patterns have them; empty: any
  bool only_submitted = false;                  // no child chains
  std::string namespace_ = {};                  // only of chains of this namespace; empty: all
};

template <class V>
void fields(V& v, FeedRow& x) {
  v("number", x.number), v("notice", x.notice);
}
template <class V>
void fields(V& v, FeedPage& x) {
  v("rows", x.rows), v("next", x.next), v("more", x.more), v("lost", x.lost);
}
template <class V>
void fields(V& v, ReadFeed& x) {
  v("number", x.first), v("from_now", x.from_now), v("limit", x.limit), v("family", x.family), v("kinds", x.kinds), v("name", x.name),
      v("only_submitted", x.only_submitted), v("namespace", x.namespace_);
}

}  // namespace catena::coordinator
