#pragma once
// Messages between a coordinator, its workers and its clients. They may travel between nodes: plain values, no floating point, arguments
// and results as JSON text. Vectors, because everything is batched. Greeting, Welcome, TurnedAway and Frame travel as they are; all else
// travels within frames (actors/link.hpp, actors/wire.hpp).
#include <caf/meta/type_name.hpp>
#include <caf/type_id.hpp>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace catena::actors {

/// What a node speaks: [kProtocolLeast, kProtocolMost]. Two nodes use the highest that both know.
inline constexpr std::uint32_t kProtocolLeast = 1;
inline constexpr std::uint32_t kProtocolMost = 1;

/// One attempt of one task.
struct Attempted {
  std::string key;  // idempotency key
  std::uint32_t item = 0;
  std::uint32_t attempt = 1;
  std::string arguments;
};

/// A grant as it goes to a worker: attempts of one visit, all of the same tool. The reports go to the sender.
struct WorkOrder {
  std::string chain;
  std::uint64_t grant = 0;
  std::uint64_t incarnation = 0;
  std::string tool;
  std::string kind;
  std::string target;
  std::vector<std::string> args;
  std::int64_t timeout_ms = 0;
  std::int64_t since_ms = 0;  // when the step began
  std::vector<std::string> file_arguments;
  std::vector<std::string> file_responses;
  std::string context;  // of the submission, a JSON object; empty: none
  std::vector<Attempted> attempts;
  std::string program;  // SHA-256 of the program that the chain pinned; empty: `target` is run as it is
};

/// Stop what is left of a grant; every attempt of it is reported all the same.
struct StopOrder {
  std::string chain;
  std::uint64_t grant = 0;
};

/// Drop what has not begun of a grant: those attempts are reported with the error code given_back, the others go on.
struct GiveBackOrder {
  std::string chain;
  std::uint64_t grant = 0;
};

struct AttemptResult {
  std::uint32_t item = 0;
  bool ok = false;
  std::string text;  // the response, or the error, as JSON
  std::int64_t took_us = 0;
};

struct WorkReport {
  std::uint64_t grant = 0;
  std::uint64_t incarnation = 0;
  std::vector<AttemptResult> results;
  std::string chain;
};

/// A worker offers itself to a dispatcher. The sender takes the orders.
struct Hello {
  std::string worker;
  std::uint64_t incarnation = 0;
  std::uint32_t slots = 0;
  std::vector<std::string> labels;        // "k=v" or a word; "*": meets every need
  std::vector<std::string> kinds;         // of endpoints; "*": any
  std::vector<std::string> capabilities;  // of remote: endpoints
  std::vector<std::string> programs;      // hashes of those it has already
  bool adopts = false;                    // orders may be sent to it again: it knows what it was asked before
  std::vector<std::string> tool_roots = {};  // folders whose programs it need not fetch; for people
};

// ---- between nodes: the greeting -------------------------------------------------------------------------------------

/// An order that a worker still holds: results of it that are not durable yet, or attempts that run.
struct HeldOrder {
  std::string chain;
  std::uint64_t grant = 0;
};

/// The first message on a connection, from a worker or a client to the coordinator's front; its sender is who frames go to.
struct Greeting {
  std::uint32_t version_least = kProtocolLeast;
  std::uint32_t version_most = kProtocolMost;
  std::string role;              // worker, client
  std::string pass;              // what the gate answered this connection; empty: there is no gate
  std::uint64_t link = 0;        // number of the link, chosen by the greeter
  std::string name;              // of the worker
  std::uint64_t incarnation = 0;
  std::uint32_t slots = 0;
  std::vector<std::string> labels;        // k=v, sorted
  std::vector<std::string> kinds;         // of endpoints that it runs
  std::vector<std::string> capabilities;  // that it announces for remote:
  std::vector<std::string> tool_roots;    // folders whose programs it need not fetch; for people
  std::string software;                   // version of catena, for people
  std::string store;                      // identity of the store that it last worked for; empty: none
  std::vector<HeldOrder> held;
  std::string home;  // a place that one process at a time can hold: who had it before has ended; empty: none
};

/// The link stands. Its sender is who frames go to.
struct Welcome {
  std::uint32_t version = kProtocolMost;
  std::uint64_t link = 0;
  std::uint64_t epoch = 0;       // of the coordinator: raised with each start
  std::string store;             // identity of its store: what was held for another means nothing here
  std::string software;
  std::int64_t lease_ms = 0;
  std::int64_t heartbeat_ms = 0;
};

/// Why there is no link. `code`: version, not_admitted, role, name_invalid, node_taken, lease_running, stale_incarnation, stopping.
struct TurnedAway {
  std::uint64_t link = 0;
  std::string code;
  std::string words;
};

/// A piece of the stream of messages, see actors/link.hpp.
struct Frame {
  std::uint64_t link = 0;
  std::uint64_t number = 0;  // from 1; 0: nothing but an acknowledgement
  std::uint64_t acked = 0;   // the last number received from the other side
  bool ends = true;          // the message is complete with this piece
  std::string bytes;
};

// ---- between nodes: within frames ------------------------------------------------------------------------------------

/// Worker to coordinator, every heartbeat.
struct Heartbeat {
  std::int64_t at_ms = 0;       // the worker's clock since it booted
  std::uint32_t running = 0;
  std::uint32_t queued = 0;
  std::uint64_t finished = 0;   // attempts since the worker started
  bool draining = false;
};
/// The coordinator has heard all that was sent up to then: the lease is renewed from `at_ms` on.
struct HeartbeatAck {
  std::int64_t at_ms = 0;
};
/// Every item of the order is durable: the worker forgets it.
struct OrderDone {
  std::string chain;
  std::uint64_t grant = 0;
};
/// Nobody wants the order any more: the worker stops what runs of it, and forgets it.
struct LetGo {
  std::string chain;
  std::uint64_t grant = 0;
};
/// The worker is to finish and leave.
struct DrainOrder {
  bool begin = true;
};
/// The worker leaves; all it held is settled. The coordinator answers with the same: it has heard.
struct Goodbye {
  std::string reason;
};
/// A program that a worker lacks.
struct Fetch {
  std::string hash;  // SHA-256, hexadecimal
};
struct Content {
  std::string hash;
  bool found = false;
  std::string bytes;  // found: the content; else why not
};
/// The coordinator's file store, used by a worker's tools.
struct FileCall {
  std::uint64_t id = 0;
  std::string what;
  std::string body;     // JSON
  std::string content;  // of a file that is put
};
struct FileAnswer {
  std::uint64_t id = 0;
  bool ok = false;
  std::string body;  // JSON: the answer, or the error
  std::string content;
};
/// What a client asks.
struct ClientCall {
  std::uint64_t id = 0;
  std::string what;
  std::string body;
  std::string content;
};
/// One of the answers to a call; the last has `more` false.
struct ClientAnswer {
  std::uint64_t id = 0;
  bool ok = false;
  bool more = false;
  std::string body;
  std::string content;
};

/// Everything that travels within frames. New ones go to the end: the position is what is written.
using NodeMessage = std::variant<WorkOrder, StopOrder, GiveBackOrder, WorkReport, Heartbeat, HeartbeatAck, OrderDone, LetGo, DrainOrder, Goodbye, Fetch,
                                 Content, FileCall, FileAnswer, ClientCall, ClientAnswer>;

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, Attempted& x) {
  return f(caf::meta::type_name("Attempted"), x.key, x.item, x.attempt, x.arguments);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, WorkOrder& x) {
  return f(caf::meta::type_name("WorkOrder"), x.chain, x.grant, x.incarnation, x.tool, x.kind, x.target, x.args, x.timeout_ms, x.since_ms,
           x.file_arguments, x.file_responses, x.context, x.attempts, x.program);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, StopOrder& x) {
  return f(caf::meta::type_name("StopOrder"), x.chain, x.grant);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, GiveBackOrder& x) {
  return f(caf::meta::type_name("GiveBackOrder"), x.chain, x.grant);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, AttemptResult& x) {
  return f(caf::meta::type_name("AttemptResult"), x.item, x.ok, x.text, x.took_us);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, WorkReport& x) {
  return f(caf::meta::type_name("WorkReport"), x.grant, x.incarnation, x.results, x.chain);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, Hello& x) {
  return f(caf::meta::type_name("Hello"), x.worker, x.incarnation, x.slots, x.labels, x.kinds, x.capabilities, x.programs, x.adopts, x.tool_roots);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, HeldOrder& x) {
  return f(caf::meta::type_name("HeldOrder"), x.chain, x.grant);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, Greeting& x) {
  return f(caf::meta::type_name("Greeting"), x.version_least, x.version_most, x.role, x.pass, x.link, x.name, x.incarnation, x.slots, x.labels, x.kinds, x.capabilities, x.tool_roots, x.software, x.store, x.held, x.home);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, Welcome& x) {
  return f(caf::meta::type_name("Welcome"), x.version, x.link, x.epoch, x.store, x.software, x.lease_ms, x.heartbeat_ms);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, TurnedAway& x) {
  return f(caf::meta::type_name("TurnedAway"), x.link, x.code, x.words);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, Frame& x) {
  return f(caf::meta::type_name("Frame"), x.link, x.number, x.acked, x.ends, x.bytes);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, Heartbeat& x) {
  return f(caf::meta::type_name("Heartbeat"), x.at_ms, x.running, x.queued, x.finished, x.draining);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, HeartbeatAck& x) {
  return f(caf::meta::type_name("HeartbeatAck"), x.at_ms);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, OrderDone& x) {
  return f(caf::meta::type_name("OrderDone"), x.chain, x.grant);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, LetGo& x) {
  return f(caf::meta::type_name("LetGo"), x.chain, x.grant);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, DrainOrder& x) {
  return f(caf::meta::type_name("DrainOrder"), x.begin);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, Goodbye& x) {
  return f(caf::meta::type_name("Goodbye"), x.reason);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, Fetch& x) {
  return f(caf::meta::type_name("Fetch"), x.hash);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, Content& x) {
  return f(caf::meta::type_name("Content"), x.hash, x.found, x.bytes);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, FileCall& x) {
  return f(caf::meta::type_name("FileCall"), x.id, x.what, x.body, x.content);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, FileAnswer& x) {
  return f(caf::meta::type_name("FileAnswer"), x.id, x.ok, x.body, x.content);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, ClientCall& x) {
  return f(caf::meta::type_name("ClientCall"), x.id, x.what, x.body, x.content);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, ClientAnswer& x) {
  return f(caf::meta::type_name("ClientAnswer"), x.id, x.ok, x.more, x.body, x.content);
}

}  // namespace catena::actors

CAF_BEGIN_TYPE_ID_BLOCK(catena_protocol, caf::first_custom_type_id)
  CAF_ADD_TYPE_ID(catena_protocol, (catena::actors::Attempted))
  CAF_ADD_TYPE_ID(catena_protocol, (catena::actors::WorkOrder))
  CAF_ADD_TYPE_ID(catena_protocol, (catena::actors::StopOrder))
  CAF_ADD_TYPE_ID(catena_protocol, (catena::actors::GiveBackOrder))
  CAF_ADD_TYPE_ID(catena_protocol, (catena::actors::DrainOrder))
  CAF_ADD_TYPE_ID(catena_protocol, (catena::actors::AttemptResult))
  CAF_ADD_TYPE_ID(catena_protocol, (catena::actors::WorkReport))
  CAF_ADD_TYPE_ID(catena_protocol, (catena::actors::Hello))
  CAF_ADD_TYPE_ID(catena_protocol, (catena::actors::HeldOrder))
  CAF_ADD_TYPE_ID(catena_protocol, (catena::actors::Greeting))
  CAF_ADD_TYPE_ID(catena_protocol, (catena::actors::Welcome))
  CAF_ADD_TYPE_ID(catena_protocol, (catena::actors::TurnedAway))
  CAF_ADD_TYPE_ID(catena_protocol, (catena::actors::Frame))
CAF_END_TYPE_ID_BLOCK(catena_protocol)
