#pragma once
// The one actor of the interface. It hands requests to readers, which may read the store, asks the actors of the coordinator for what readers cannot
// do, and keeps those who wait for a chain to end.
#include <caf/actor.hpp>
#include <caf/actor_system.hpp>
#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/type_id.hpp>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "actors/messages.hpp"
#include "api/route.hpp"
#include "api/stream_room.hpp"
#include "api/stream_source.hpp"
#include "coordinator/services.hpp"

namespace catena::api {

struct DeskLimits {
  std::size_t waiting = 20'000;              // requests that wait for a chain to end
  std::size_t waiting_bytes = 256UL << 20U;  // of their bodies
  std::size_t requests = 4096;               // that readers have not served yet
  std::size_t request_bytes = 64UL << 20U;   // of their bodies
  std::size_t batches = 8;                   // whose lines are on their way
  std::size_t calls = 2000;                  // requests with calls of the command line that are on their way
  std::size_t call_bytes = 128UL << 20U;     // of their bodies
  std::size_t answer_bytes = 256UL << 20U;   // of the answers that they hold
  std::size_t work_bytes = 64UL << 20U;      // of their bodies
  StreamLimits streams = {};
  PieceLimits pieces = {};
};

struct DeskOptions {
  std::shared_ptr<const coordinator::Services> services;
  OpenShelf definitions;
  lang::Catalog catalog;
  std::size_t readers = 2;
  std::function<void(Metrics& metrics)> measure = {};  // what only the process knows of itself; null: nothing
  std::string version = {};
  DescribeProcess process = {};                                                      // from any thread; null: nobody knows
  DescribeStore store = {};                                                          // from any thread; null: nobody knows
  BackUpStore back_up = {};                                                          // on a thread of its own; null: none can be made
  TestDefinition test = {};                                                          // the same
  std::function<void(std::shared_ptr<const storage::AccessTokens>)> on_tokens = {};  // which there are, and whenever that changes; null: nobody asks
  DeskLimits limits = {};
};

/// A request on its way.
struct Asking {
  Asked asked;
  std::size_t bytes = 0;
  bool reads = false;  // see to_answer
  Reply reply;
  Begin begin = {};                    // in place of it
  std::function<bool()> allowed = {};  // whether whoever asked may still; null: whoever could ask may
};
using AskingPtr = std::shared_ptr<Asking>;

// ---- messages, which never leave the process ----------------------------------------------------------------------------

/// To the desk, and from it to a reader.
struct RequestCame {
  AskingPtr asking;
};
/// Of a reader: a request was served, or is an errand.
struct RequestRead {
  AskingPtr asking;
  std::shared_ptr<Errand> errand;        // null: it was answered, or is a stream
  std::shared_ptr<StreamSource> stream;  // null: it was answered, or is an errand
  std::shared_ptr<LongWork> work = {};   // null: it was answered, or is something else
};
/// To the actor of a lane, and back when it is done.
struct DoWork {
  AskingPtr asking;
  std::shared_ptr<LongWork> work;
};
struct WorkDone {
  AskingPtr asking;
  Lane lane = Lane::writes;
};
/// To a reader: tell these the chain as it is now.
struct TellChain {
  ChainId chain;
  std::shared_ptr<std::vector<Reply>> replies;
};
/// Of an asker: what became of an errand.
struct ErrandDone {
  AskingPtr asking;
  std::shared_ptr<Errand> errand;
  std::variant<std::monostate, Error, Json> outcome;
};
/// Of the actor of a batch, and from the desk to a reader: each line has come to something.
struct BatchDone {
  AskingPtr asking;
  std::shared_ptr<Batch> batch;
};
/// Of the actor of a request with calls: it is answered.
struct CallsDone {
  std::size_t bytes = 0;  // of its body
};
/// Of that actor, to itself: it begins, or its wait is over.
struct CallsDue {
  bool wait_is_over = false;
};
/// To itself: somebody's time is over.
struct WaitOver {
  std::int64_t timer_ms = 0;  // see DeskShell::set_timer
};

struct Stream;
/// To a reader, which has its source until it has read.
struct ReadStream {
  std::shared_ptr<Stream> stream;
};
struct StreamRead {
  std::shared_ptr<Stream> stream;
  std::shared_ptr<Piece> piece;
};
/// From a thread of the server: the client has taken a piece, or is gone.
struct StreamWritten {
  StreamId stream = 0;
  bool taken = false;
};
/// To itself: a stream is to be read, or its client is to have a heartbeat.
struct StreamsDue {
  std::int64_t timer_ms = 0;  // see StreamDesk::go_on
};

struct DeskState;
caf::behavior desk(caf::stateful_actor<DeskState>* self, DeskOptions options);

}  // namespace catena::api

CAF_BEGIN_TYPE_ID_BLOCK(catena_api, catena_local_last_type_id + 1)
CAF_ADD_TYPE_ID(catena_api, (catena::api::RequestCame))
CAF_ADD_TYPE_ID(catena_api, (catena::api::RequestRead))
CAF_ADD_TYPE_ID(catena_api, (catena::api::TellChain))
CAF_ADD_TYPE_ID(catena_api, (catena::api::ErrandDone))
CAF_ADD_TYPE_ID(catena_api, (catena::api::BatchDone))
CAF_ADD_TYPE_ID(catena_api, (catena::api::WaitOver))
CAF_ADD_TYPE_ID(catena_api, (catena::api::CallsDone))
CAF_ADD_TYPE_ID(catena_api, (catena::api::CallsDue))
CAF_ADD_TYPE_ID(catena_api, (catena::api::ReadStream))
CAF_ADD_TYPE_ID(catena_api, (catena::api::StreamRead))
CAF_ADD_TYPE_ID(catena_api, (catena::api::StreamWritten))
CAF_ADD_TYPE_ID(catena_api, (catena::api::StreamsDue))
CAF_ADD_TYPE_ID(catena_api, (catena::api::DoWork))
CAF_ADD_TYPE_ID(catena_api, (catena::api::WorkDone))
CAF_END_TYPE_ID_BLOCK(catena_api)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(catena::api::RequestCame)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(catena::api::RequestRead)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(catena::api::TellChain)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(catena::api::ErrandDone)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(catena::api::BatchDone)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(catena::api::WaitOver)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(catena::api::CallsDone)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(catena::api::CallsDue)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(catena::api::ReadStream)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(catena::api::StreamRead)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(catena::api::StreamWritten)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(catena::api::StreamsDue)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(catena::api::DoWork)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(catena::api::WorkDone)

namespace catena::api {

class DeskShell;
struct DeskState {
  std::shared_ptr<DeskShell> shell;
  static inline const char* name = "desk";
};

}  // namespace catena::api
