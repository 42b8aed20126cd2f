#pragma once
// One incarnation of a worker, as the rest of the coordinator sees it: the node that orders are sent to, whether there is a link at the
// moment or not. Keeps each order until all of it is durable, sends it again over every new link, hands reports to whom they concern.
// Leaves, and with it the incarnation, when nothing was heard for a lease, when its next start proves that it has ended, or when the worker
// has said goodbye and nobody can have an order for it any more.
#include <caf/actor.hpp>
#include <caf/fwd.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "actors/messages.hpp"
#include "coordinator/log_book.hpp"
#include "coordinator/services.hpp"
#include "link/link.hpp"
#include "link/log.hpp"
#include "storage/lineage.hpp"

namespace catena::coordinator {

/// Answers a call on the file store; may block. Threads: those of the sessions' helpers, several at a time.
using FileCaller = std::function<actors::FileReply(actors::FileAsk ask)>;

/// What all sessions of a coordinator have in common.
struct SessionSettings {
  std::int64_t lease_ms = 5000;
  std::int64_t heartbeat_ms = 1000;
  std::string store;  // identity of the store
  storage::Lineage lineage{{}};
  std::string software;      // version of catena
  FileCaller files;          // null: workers have no file store here
  LogLimits logs = {};       // what workers are to send of what attempts print
  bool detach_files = true;  // calls on files, and questions, have threads of their own; false: for tests in virtual time
  link::LinkLimits link = {};
  link::LinkLog log = {};       // changes of state; called on the threads of actors
  std::string local_user = {};  // all who come are this user of this machine; empty: they come from anywhere
};

struct SessionContext {
  std::shared_ptr<const Services> services;
  std::shared_ptr<const SessionSettings> settings;
  caf::actor front;  // hears SessionLink, and SessionEnded before the session leaves
  std::uint32_t version = actors::kProtocolMost;
  actors::Greeted greeted;  // the first
};

class SessionShell;
struct SessionState {
  std::shared_ptr<SessionShell> shell;
  static inline const char* name = "session";
};

/// A dispatcher or step actor may send it WorkOrder, StopOrder, GiveBackOrder, DrainNode; the front Greeted and EndSession.
caf::behavior worker_session(caf::stateful_actor<SessionState>* self, SessionContext context);

}  // namespace catena::coordinator
