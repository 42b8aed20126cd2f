#pragma once
// Messages between a coordinator, its workers and its clients. Between nodes they travel as MessagePack of named fields (actors/wire.hpp) in
// frames (link/link.hpp); within a process actors send them as they are, and CAF is told that they cannot be serialised. Arguments and
// results are JSON text. Vectors, because everything is batched.
#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/type_id.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "actors/file_calls.hpp"
#include "actors/line_messages.hpp"
#include "actors/log_messages.hpp"
#include "actors/note_messages.hpp"
#include "base/codec.hpp"

namespace catena::actors {

/// What a node speaks: [kProtocolLeast, kProtocolMost]. Two nodes use the highest that both know. Raised when messages change their meaning; a
/// member more needs no other number.
inline constexpr std::uint32_t kProtocolLeast = 2;
inline constexpr std::uint32_t kProtocolMost = 2;

/// One attempt of one task.
struct Attempted {
  std::string key;  // idempotency key
  std::uint32_t item = 0;
  std::uint32_t attempt = 1;
  std::string arguments;
  std::string resume_from = {};  // JSON: the newest checkpoint of the attempts before; empty: there is none
};

/// The program of an order (0), or its n-th argument, is a file of the bundle that the order names: where in it.
struct PlaceInBundle {
  std::uint32_t place = 0;
  std::string path;
};

/// Which time an order was taken by a worker that may get it more than once: its attempts carry it, so that what was forgotten meanwhile counts no
/// more. From 1, and growing. It never leaves the worker.
using Taking = Number<struct TakingTag>;

/// A grant as it goes to a worker: attempts of one visit, all of the same tool. The reports go to the sender.
struct WorkOrder {
  static constexpr std::string_view kKind = "work_order";
  std::string chain;
  GrantId grant = 0;
  Incarnation incarnation = 0;
  std::string tool;
  std::string kind;
  std::string target;
  std::vector<std::string> args;
  std::int64_t timeout_ms = 0;
  std::int64_t age_ms = 0;  // how long the step had been running when this was written: clocks of two machines are never compared
  std::vector<std::string> file_arguments;
  std::vector<std::string> file_responses;
  std::string context;  // of the submission, a JSON object; empty: none
  std::vector<Attempted> attempts;
  std::string program;  // SHA-256 of the program, or of its bundle, that the chain pinned; empty: `target` is run as it is
  std::string step = {};
  std::uint32_t visit = 0;
  std::uint64_t commit = 0;  // of the store: the grant is durable there
  std::string proof = {};    // that this worker was told so: see Welcome
  Taking taking = {};
  std::vector<PlaceInBundle> bundle = {};  // what is run lies in the bundle `program`; none: `program` is what is run
  std::string environment = {};            // of a process: {"NAME": "value" or {"secret": name}}; empty: nothing more than all have
  std::string directory = {};              // where a process starts, an absolute path; empty: where the worker runs
  bool work_directory = false;             // it starts in a fresh one of each attempt
  std::string trace = {};                  // that its attempts have spans in, 32 hexadecimal digits; empty: none
  std::uint32_t trace_flags = 0;
  std::uint32_t trace_part = 0;  // of the chain, see engine::ChainState
  std::string tracestate = {};
  std::int64_t heartbeat_ms = 0;  // an attempt that says nothing for so long is ended; 0: it need not say anything
};

/// Stop what is left of a grant; every attempt of it is reported all the same.
struct StopOrder {
  static constexpr std::string_view kKind = "stop_order";
  std::string chain;
  GrantId grant = 0;
};

/// Drop what has not begun of a grant: those attempts are reported with the error code given_back, the others go on.
struct GiveBackOrder {
  static constexpr std::string_view kKind = "give_back_order";
  std::string chain;
  GrantId grant = 0;
};

struct AttemptResult {
  std::uint32_t item = 0;
  bool ok = false;
  std::string text;  // the response, or the error, as JSON
  std::int64_t took_us = 0;
  std::string checkpoint = {};                     // JSON: the newest of an attempt that did not succeed; empty: none
  std::map<std::string, std::int64_t> usage = {};  // see AttemptNote
};

struct WorkReport {
  static constexpr std::string_view kKind = "work_report";
  GrantId grant = 0;
  Incarnation incarnation = 0;
  std::vector<AttemptResult> results;
  std::string chain;
  Taking taking = {};
};

/// A worker offers itself to a dispatcher. The sender takes the orders.
struct Hello {
  std::string worker;
  Incarnation incarnation = 0;
  std::uint32_t slots = 0;
  std::vector<std::string> labels;           // "k=v" or a word; "*": meets every need
  std::vector<std::string> kinds;            // of endpoints; "*": any
  std::vector<std::string> capabilities;     // of remote: endpoints
  bool adopts = false;                       // orders may be sent to it again: it knows what it was asked before
  std::vector<std::string> tool_roots = {};  // folders whose programs it need not fetch; for people
};

// ---- between nodes: the greeting -------------------------------------------------------------------------------------

/// An order that a worker still holds: results of it that are not durable yet, or attempts that run.
struct HeldOrder {
  std::string chain;
  GrantId grant = 0;
};

/// The first message on a line, from a worker or a client.
struct Greeting {
  static constexpr std::string_view kKind = "greeting";
  std::uint32_t version_least = kProtocolLeast;
  std::uint32_t version_most = kProtocolMost;
  std::string role;  // worker, client
  std::string name;  // of the worker
  Incarnation incarnation = 0;
  std::uint32_t slots = 0;
  std::vector<std::string> labels;        // k=v, sorted
  std::vector<std::string> kinds;         // of endpoints that it runs
  std::vector<std::string> capabilities;  // that it announces for remote:
  std::vector<std::string> tool_roots;    // folders whose programs it need not fetch; for people
  std::string software;                   // version of catena, for people
  std::string store;                      // identity of the store that it last worked for; empty: none
  std::string life;                       // of the coordinator that it was last linked to: see Welcome
  std::uint64_t commit = 0;               // the highest that it was told of in that life
  std::vector<HeldOrder> held;
  std::string home;        // a place that one process at a time can hold: who had it before has ended; empty: none
  std::string proof = {};  // that came with that commit
};

/// The answer to a greeting that was let in.
struct Welcome {
  static constexpr std::string_view kKind = "welcome";
  std::uint32_t version = kProtocolMost;
  std::uint64_t epoch = 0;   // of the coordinator: raised with each start
  std::string store;         // identity of its store: what was held for another means nothing here
  std::string life;          // of its store since this start: a copy of the store that is older does not know it
  std::uint64_t commit = 0;  // durable in the store
  std::string software;
  std::int64_t lease_ms = 0;
  std::int64_t heartbeat_ms = 0;
  std::string proof = {};             // that this worker was told of the commit in this life: it shows it in its next greeting
  LogKeep logs = LogKeep::none;       // what is kept of what attempts print
  std::uint64_t log_attempt_max = 0;  // bytes of each stream of an attempt
  std::uint64_t log_credit = 0;       // bytes that may be sent before the first LogCredit
};

/// The other answer; the line is over behind it. `code`: version, role, name_invalid, node_taken, lease_running, stale_incarnation, rewound,
/// stopping.
struct TurnedAway {
  static constexpr std::string_view kKind = "turned_away";
  std::string code;
  std::string words;
};

// ---- between nodes: within frames ------------------------------------------------------------------------------------

/// Worker to coordinator, every heartbeat.
struct Heartbeat {
  static constexpr std::string_view kKind = "heartbeat";
  std::int64_t at_ms = 0;  // the worker's clock since it booted
  std::uint32_t running = 0;
  std::uint32_t queued = 0;
  std::uint64_t finished = 0;  // attempts since the worker started
  bool draining = false;
};
/// The coordinator has heard all that was sent up to then: the lease is renewed from `at_ms` on.
struct HeartbeatAck {
  static constexpr std::string_view kKind = "heartbeat_ack";
  std::int64_t at_ms = 0;
  std::uint64_t commit = 0;  // durable in the store
  std::string proof = {};    // see Welcome
};
/// Every item of the order is durable: the worker forgets it.
struct OrderDone {
  static constexpr std::string_view kKind = "order_done";
  std::string chain;
  GrantId grant = 0;
};
/// Nobody wants the order any more: the worker stops what runs of it, and forgets it.
struct LetGo {
  static constexpr std::string_view kKind = "let_go";
  std::string chain;
  GrantId grant = 0;
};
/// The worker is to finish and leave.
struct DrainNode {
  static constexpr std::string_view kKind = "drain_order";
  bool begin = true;
};
/// The worker leaves; all it held is settled.
struct Goodbye {
  static constexpr std::string_view kKind = "goodbye";
  std::string reason;
};
/// The coordinator's answer to a Goodbye.
struct Farewell {
  static constexpr std::string_view kKind = "farewell";
};
/// A program that a worker lacks.
struct Fetch {
  static constexpr std::string_view kKind = "fetch";
  std::string hash;  // SHA-256, hexadecimal
};
struct Content {
  static constexpr std::string_view kKind = "content";
  std::string hash;
  bool found = false;
  std::string bytes;  // found: the content; else why not
};
/// The coordinator's file store, used by a worker's tools.
struct FileCall {
  static constexpr std::string_view kKind = "file_call";
  std::uint64_t id = 0;
  FileAsk ask;
};
struct FileAnswer {
  static constexpr std::string_view kKind = "file_answer";
  std::uint64_t id = 0;
  FileReply reply;
};
/// What a client asks, and the answer: see coordinator/client_calls.hpp for what is in them.
struct ClientCall {
  static constexpr std::string_view kKind = "client_call";
  std::uint64_t id = 0;
  std::string body;
};
struct ClientAnswer {
  static constexpr std::string_view kKind = "client_answer";
  std::uint64_t id = 0;
  std::string body;
};

/// Everything that travels between nodes: one row more makes a message.
using NodeMessage = std::variant<codec::Unknown, Greeting, Welcome, TurnedAway, WorkOrder, StopOrder, GiveBackOrder, WorkReport, Heartbeat,
                                 HeartbeatAck, OrderDone, LetGo, DrainNode, Goodbye, Farewell, Fetch, Content, FileCall, FileAnswer, ClientCall,
                                 ClientAnswer, LogPieces, LogCredit, AttemptNotes>;

// Members, each once.
template <class V>
void fields(V& v, Attempted& x) {
  v("key", x.key);
  v("item", x.item);
  v("attempt", x.attempt);
  v("arguments", x.arguments);
  v("resume_from", x.resume_from);
}
template <class V>
void fields(V& v, PlaceInBundle& x) {
  v("place", x.place);
  v("path", x.path);
}
template <class V>
void fields(V& v, WorkOrder& x) {
  v("chain", x.chain);
  v("grant", x.grant);
  v("incarnation", x.incarnation);
  v("tool", x.tool);
  v("kind", x.kind);
  v("target", x.target);
  v("args", x.args);
  v("timeout_ms", x.timeout_ms);
  v("age_ms", x.age_ms);
  v("file_arguments", x.file_arguments);
  v("file_responses", x.file_responses);
  v("context", x.context);
  v("attempts", x.attempts);
  v("program", x.program);
  v("step", x.step);
  v("visit", x.visit);
  v("commit", x.commit);
  v("proof", x.proof);
  v("bundle", x.bundle);
  v("environment", x.environment);
  v("directory", x.directory);
  v("work_directory", x.work_directory);
  v("trace", x.trace);
  v("trace_flags", x.trace_flags);
  v("trace_part", x.trace_part);
  v("tracestate", x.tracestate);
  v("heartbeat_ms", x.heartbeat_ms);
}
template <class V>
void fields(V& v, StopOrder& x) {
  v("chain", x.chain);
  v("grant", x.grant);
}
template <class V>
void fields(V& v, GiveBackOrder& x) {
  v("chain", x.chain);
  v("grant", x.grant);
}
template <class V>
void fields(V& v, AttemptResult& x) {
  v("item", x.item);
  v("ok", x.ok);
  v("text", x.text);
  v("took_us", x.took_us);
  v("checkpoint", x.checkpoint);
  v("usage", x.usage);
}
template <class V>
void fields(V& v, WorkReport& x) {
  v("chain", x.chain);
  v("grant", x.grant);
  v("incarnation", x.incarnation);
  v("results", x.results);
}
template <class V>
void fields(V& v, HeldOrder& x) {
  v("chain", x.chain);
  v("grant", x.grant);
}
template <class V>
void fields(V& v, Greeting& x) {
  v("version_least", x.version_least);
  v("version_most", x.version_most);
  v("role", x.role);
  v("name", x.name);
  v("incarnation", x.incarnation);
  v("slots", x.slots);
  v("labels", x.labels);
  v("kinds", x.kinds);
  v("capabilities", x.capabilities);
  v("tool_roots", x.tool_roots);
  v("software", x.software);
  v("store", x.store);
  v("life", x.life);
  v("commit", x.commit);
  v("held", x.held);
  v("home", x.home);
  v("proof", x.proof);
}
template <class V>
void fields(V& v, Welcome& x) {
  v("version", x.version);
  v("epoch", x.epoch);
  v("store", x.store);
  v("life", x.life);
  v("commit", x.commit);
  v("software", x.software);
  v("lease_ms", x.lease_ms);
  v("heartbeat_ms", x.heartbeat_ms);
  v("proof", x.proof);
  v("logs", x.logs);
  v("log_attempt_max", x.log_attempt_max);
  v("log_credit", x.log_credit);
}
template <class V>
void fields(V& v, TurnedAway& x) {
  v("code", x.code);
  v("words", x.words);
}
template <class V>
void fields(V& v, Heartbeat& x) {
  v("at_ms", x.at_ms);
  v("running", x.running);
  v("queued", x.queued);
  v("finished", x.finished);
  v("draining", x.draining);
}
template <class V>
void fields(V& v, HeartbeatAck& x) {
  v("at_ms", x.at_ms);
  v("commit", x.commit);
  v("proof", x.proof);
}
template <class V>
void fields(V& v, OrderDone& x) {
  v("chain", x.chain);
  v("grant", x.grant);
}
template <class V>
void fields(V& v, LetGo& x) {
  v("chain", x.chain);
  v("grant", x.grant);
}
template <class V>
void fields(V& v, DrainNode& x) {
  v("begin", x.begin);
}
template <class V>
void fields(V& v, Goodbye& x) {
  v("reason", x.reason);
}
template <class V>
void fields(V&, Farewell&) {}
template <class V>
void fields(V& v, Fetch& x) {
  v("hash", x.hash);
}
template <class V>
void fields(V& v, Content& x) {
  v("hash", x.hash);
  v("found", x.found);
  v("bytes", x.bytes);
}
template <class V>
void fields(V& v, FileCall& x) {
  v("id", x.id);
  v("ask", x.ask);
}
template <class V>
void fields(V& v, FileAnswer& x) {
  v("id", x.id);
  v("reply", x.reply);
}
template <class V>
void fields(V& v, ClientCall& x) {
  v("id", x.id);
  v("body", x.body);
}
template <class V>
void fields(V& v, ClientAnswer& x) {
  v("id", x.id);
  v("body", x.body);
}

}  // namespace catena::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(catena::actors::WorkOrder)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(catena::actors::StopOrder)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(catena::actors::GiveBackOrder)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(catena::actors::DrainNode)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(catena::actors::WorkReport)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(catena::actors::Hello)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(catena::actors::LineFrames)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(catena::actors::LineOver)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(catena::actors::AttemptNotes)

CAF_BEGIN_TYPE_ID_BLOCK(catena_protocol, caf::first_custom_type_id)
CAF_ADD_TYPE_ID(catena_protocol, (catena::actors::WorkOrder))
CAF_ADD_TYPE_ID(catena_protocol, (catena::actors::StopOrder))
CAF_ADD_TYPE_ID(catena_protocol, (catena::actors::GiveBackOrder))
CAF_ADD_TYPE_ID(catena_protocol, (catena::actors::DrainNode))
CAF_ADD_TYPE_ID(catena_protocol, (catena::actors::WorkReport))
CAF_ADD_TYPE_ID(catena_protocol, (catena::actors::Hello))
CAF_ADD_TYPE_ID(catena_protocol, (catena::actors::LineFrames))
CAF_ADD_TYPE_ID(catena_protocol, (catena::actors::LineOver))
CAF_ADD_TYPE_ID(catena_protocol, (catena::actors::AttemptNotes))
CAF_END_TYPE_ID_BLOCK(catena_protocol)
