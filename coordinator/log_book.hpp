#pragma once
// Decides what is stored of what attempts print, and what goes for it. Pure, over a store that is read: whoever owns it writes the batch, and says
// when it is there. Of each stream of an attempt the beginning stays, up to half of its bound, and of the rest the end; of a chain the newest
// segments stay. So bounds hold whatever workers send.
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "actors/log_messages.hpp"
#include "base/ids.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "storage/kv.hpp"
#include "storage/log_store.hpp"

namespace catena::coordinator {

struct LogLimits {
  actors::LogKeep keep = actors::LogKeep::all;
  std::uint64_t attempt_max = 64UL << 10U;  // bytes of each stream of an attempt
  std::uint64_t chain_max = 64UL << 20U;    // bytes of all attempts of a chain, with what each segment costs beside its text
};

class LogBook {
 public:
  static constexpr std::size_t kStreamsKnown = 4096;

  LogBook(const storage::Kv& kv, const LogLimits& limits) : kv_{kv}, limits_{limits} {}

  /// Adds what storing the piece changes. A piece of a chain that does not exist changes nothing.
  [[nodiscard]] Result<void> add(storage::Batch& batch, const actors::LogPiece& piece, UnixMillis at);
  /// Behind the last piece of a batch.
  void finish(storage::Batch& batch);
  /// The last batch can be read: what is not used may be forgotten. Until then nothing is added.
  void settle();

 private:
  using StreamKey = std::tuple<std::string, std::string, std::uint32_t, std::uint32_t, std::uint32_t, actors::LogStream>;
  struct Chain {
    storage::LogTotals totals;
    UnixMillis started_at = 0;  // tells it from one that was removed and had the same id
  };
  struct Stored {
    std::uint64_t number = 0;
    std::uint64_t bytes = 0;
  };
  /// The end of a stream: segments behind its beginning.
  struct Ring {
    UnixMillis of = 0;  // when its chain started
    std::deque<Stored> segments;
    std::uint64_t bytes = 0;
    std::uint64_t used = 0;
  };
  [[nodiscard]] Result<Chain*> chain_of(storage::Batch& batch, const ChainId& chain);
  [[nodiscard]] Result<void> trim(storage::Batch& batch, const ChainId& chain, storage::LogTotals& totals) const;
  void add_to_end(storage::Batch& batch, const actors::LogPiece& piece, Chain& chain, std::uint64_t number);

  const storage::Kv& kv_;
  LogLimits limits_;
  std::uint64_t turn_ = 1;
  std::map<ChainId, std::optional<Chain>> chains_;  // of this batch; none: there is no such chain
  std::map<StreamKey, Ring> rings_;
};

}  // namespace catena::coordinator
