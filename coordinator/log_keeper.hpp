#pragma once
// Stores what attempts print. Gathers for a moment, writes one batch at a time, behind all commits of chains, and answers when it is there: whoever
// sends has no more on the way than it was given credit for.
#include <caf/actor.hpp>
#include <caf/fwd.hpp>
#include <memory>

#include "actors/messages.hpp"
#include "base/clock.hpp"
#include "coordinator/log_book.hpp"

namespace catena::coordinator {

struct LogKeeperOptions {
  const storage::Kv* kv = nullptr;  // outlives the actor
  const Clock* clock = nullptr;     // outlives the actor
  caf::actor journal;
  LogLimits limits;
};

struct LogKeeperState {
  std::unique_ptr<LogBook> book;
  std::vector<actors::LogsCame> gathered;
  std::uint64_t bytes = 0;              // of them
  std::vector<actors::LogsCame> going;  // those in the batch that is being written, without their pieces
  bool writing = false;
  bool waiting = false;  // for more to come
  bool ending = false;
  std::uint64_t commits = 0;
  static inline const char* name = "log_keeper";
};

/// Is sent LogsCame and EndLogs.
caf::behavior log_keeper(caf::stateful_actor<LogKeeperState>* self, const LogKeeperOptions& options);

}  // namespace catena::coordinator
