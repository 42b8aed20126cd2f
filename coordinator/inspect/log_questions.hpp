#pragma once
// What may be asked about what attempts printed. A part of questions.hpp.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "actors/log_messages.hpp"
#include "base/codec.hpp"
#include "base/ids.hpp"
#include "base/time.hpp"

namespace catena::coordinator {

/// A part of what one attempt printed to one of its streams.
struct LogRow {
  std::uint64_t number = 0;  // they grow as they come
  std::string step = {};
  Visit visit = 0;
  std::optional<ItemIndex> item = {};  // of a fan-out
  Attempt attempt = 1;
  actors::LogStream stream = actors::LogStream::standard_error;
  std::uint64_t offset = 0;  // of the text in the stream: what lies between it and the text before was cut
  UnixMillis at = 0;         // when it came to the store, by the coordinator's clock
  std::string text = {};     // bytes as they came, but for secrets
};
struct LogPage {
  static constexpr std::string_view kKind = "log_page";
  std::vector<LogRow> rows = {};
  std::uint64_t next = 1;     // what comes later begins there
  bool more = false;          // there is more already
  std::uint64_t dropped = 0;  // bytes that are gone because the chain printed too much
};
/// Bytes of segments that are passed over for one page.
inline constexpr std::uint64_t kLogBytesLookedAt = 8UL << 20U;
/// What the attempts of a chain printed, in the order in which it came; whoever follows asks again for `next`. Error: usage, for a step that the
/// chain does not have.
struct ReadLogs {
  using Answer = LogPage;
  static constexpr std::string_view kKind = "read_logs";
  ChainId chain = {};
  std::string step = {};                         // empty: all
  std::optional<ItemIndex> item = {};            // of that step; nothing: all
  Attempt attempt = 0;                           // 0: all
  std::optional<actors::LogStream> stream = {};  // nothing: both
  std::uint64_t first = 1;                       // number
};

template <class V>
void fields(V& v, LogRow& x) {
  v("number", x.number), v("step", x.step), v("visit", x.visit), v("item", x.item), v("attempt", x.attempt), v("stream", x.stream),
      v("offset", x.offset), v("at", x.at), v("text", x.text);
}
template <class V>
void fields(V& v, LogPage& x) {
  v("rows", x.rows), v("next", x.next), v("more", x.more), v("dropped", x.dropped);
}
template <class V>
void fields(V& v, ReadLogs& x) {
  v("chain", x.chain), v("step", x.step), v("item", x.item), v("attempt", x.attempt), v("stream", x.stream), v("number", x.first);
}

}  // namespace catena::coordinator
