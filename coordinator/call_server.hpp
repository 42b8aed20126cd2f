#pragma once
// Serves the calls of one client: reads what is asked, asks whoever knows, tells the answer. A connection of a client has one for as long as it
// lasts (client_session.hpp), a request over HTTP one of its own (api/call_asker.hpp). Part of the actor that made it.
#include <caf/fwd.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "actors/messages.hpp"
#include "base/result.hpp"
#include "coordinator/client_calls.hpp"
#include "coordinator/services.hpp"
#include "coordinator/worker_session.hpp"
#include "storage/audit_store.hpp"

namespace catena::coordinator {

/// Questions to others of this process that one client has open at a time: each has an actor of its own until it is answered.
inline constexpr std::size_t kAskedAtATime = 32;

struct CallServerOptions {
  std::shared_ptr<const Services> services;
  storage::Asker by;                         // for the audit log
  FileCaller files = {};                     // null: there is no file store
  bool detach = true;                        // what is read has a thread of its own; false: for tests in virtual time
  std::size_t calls = 1024;                  // that wait for their answers
  std::size_t program_bytes = 256UL << 20U;  // brought for submissions to come
};

class CallServer {
 public:
  /// `answer` is what encode_answer made. Called once for each call, on the actor.
  using Tell = std::function<void(std::uint64_t call, std::string answer)>;
  CallServer(caf::event_based_actor* self, CallServerOptions options, Tell tell);
  ~CallServer();
  CallServer(const CallServer&) = delete;
  CallServer& operator=(const CallServer&) = delete;

  /// One after the other, each with a number of its own. An Error is the answer to it.
  void serve(std::uint64_t call, Result<ClientAsk> asked);
  /// What the actor gets for it.
  void take_answer(actors::CallAnswered answered);
  void take_ended(const actors::ChainEnded& ended);
  void take_refused(const actors::Refused& refused);
  void take_progress(const actors::Progress& progress);
  /// Of calls whose answers are to come, those that somebody else was asked for; beyond kAskedAtATime further calls are to wait.
  [[nodiscard]] std::size_t asked() const;
  /// Nobody waits for answers any more.
  void leave();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace catena::coordinator
