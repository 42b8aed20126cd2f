#pragma once
// Requests that wait for chains to end: pure. A waiting request is an entry here and nothing else, no thread and no actor.
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "api/message.hpp"
#include "base/ids.hpp"

namespace catena::api {

class WaitingRoom {
 public:
  WaitingRoom(std::size_t most, std::size_t bytes_most) : most_{most}, bytes_most_{bytes_most} {}

  enum class Entered : std::uint8_t { first, further, refused };
  /// `first`: nobody else waits for this chain. `refused`: there is no room; the reply is not taken. `due_ms`: of the clock that `expired` is asked
  /// with.
  [[nodiscard]] Entered enter(const ChainId& chain, Reply& reply, std::int64_t due_ms, std::size_t bytes = 0);
  /// All that wait for the chain, which leave.
  [[nodiscard]] std::vector<Reply> leave(const ChainId& chain);
  /// By chain those whose time is over, which leave. `last`: nobody waits for the chain any more.
  struct Expired {
    ChainId chain;
    std::vector<Reply> replies;
    bool last = false;
  };
  [[nodiscard]] std::vector<Expired> expired(std::int64_t now_ms);
  /// When the next one's time is over.
  [[nodiscard]] std::optional<std::int64_t> next_due_ms() const;
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::vector<Reply> leave_all();

 private:
  struct Guest {
    Reply reply;
    std::multimap<std::int64_t, ChainId>::iterator due;
    std::size_t bytes = 0;
  };
  void forget(const Guest& guest);

  std::size_t most_;
  std::size_t bytes_most_;
  std::size_t size_ = 0;
  std::size_t bytes_ = 0;
  std::map<ChainId, std::vector<Guest>> guests_;
  std::multimap<std::int64_t, ChainId> dues_;
};

}  // namespace catena::api
