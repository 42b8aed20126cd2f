#pragma once
// The actor of one request that carries calls of the command line: has them served as those of a connection are, and answers the request when all
// have come to something, or when the wait for chains that have not ended is over.
#include <atomic>
#include <caf/actor.hpp>
#include <caf/behavior.hpp>
#include <caf/fwd.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "api/desk.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "coordinator/client_calls.hpp"
#include "coordinator/services.hpp"

namespace catena::api {

/// What a request asks: in its order calls that are allowed, or why one is not.
struct CallOrder {
  std::vector<Result<coordinator::ClientAsk>> calls;
  Millis wait{0};  // for those that wait for a chain
};

/// Bytes of the answers that requests hold until all of theirs are there.
struct AnswerRoom {
  std::size_t most = 0;
  std::atomic<std::size_t> held = 0;
  [[nodiscard]] bool is_full() const { return held.load() >= most; }
};

struct CallAskerOptions {
  std::shared_ptr<const coordinator::Services> services;
  AskingPtr asking;
  std::shared_ptr<CallOrder> order;
  std::size_t answer_bytes_max = 16UL << 20U;  // beyond, no further call is begun: it is to be sent again
  std::shared_ptr<AnswerRoom> room = {};       // of all such requests together
  std::string software = {};                   // version of catena
};

class CallAskerShell;
struct CallAskerState {
  std::shared_ptr<CallAskerShell> shell;
  static inline const char* name = "calls";
};

/// Sends CallsDone to the desk, and ends with it.
caf::behavior call_asker(caf::stateful_actor<CallAskerState>* self, const caf::actor& desk, CallAskerOptions options);

}  // namespace catena::api
