#pragma once
// One connection of a client, as the coordinator sees it: reads its calls, asks whoever knows, answers over the link. What it may have
// under way is bounded; when the client goes away nothing of it is left. What the client submitted goes on: that is the supervisor's.
#include <caf/fwd.hpp>
#include <cstddef>
#include <memory>

#include "actors/messages.hpp"
#include "coordinator/client_calls.hpp"
#include "coordinator/services.hpp"
#include "coordinator/worker_session.hpp"

namespace catena::coordinator {

struct ClientLimits {
  std::size_t calls = 1024;                  // that wait for their answers
  std::size_t program_bytes = 256UL << 20U;  // brought for submissions to come
  std::size_t answers_bytes = 64UL << 20U;   // that wait for the window; and of calls that wait for them
  std::size_t message_bytes = kCallBytesMax;
};

struct ClientContext {
  std::shared_ptr<const Services> services;
  std::shared_ptr<const SessionSettings> settings;
  actors::Greeted greeted;
  ClientLimits limits = {};
};

class ClientShell;
struct ClientSessionState {
  std::shared_ptr<ClientShell> shell;
  static inline const char* name = "client";
};

/// Sends Welcome, leaves when the client does or says what no client would.
caf::behavior client_session(caf::stateful_actor<ClientSessionState>* self, ClientContext context);

}  // namespace catena::coordinator
