#pragma once
// What clients ask of a coordinator, and what it answers: structs as messages carry them, for both sides. What a client says is looked at
// before anybody acts on it.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "actors/file_calls.hpp"
#include "actors/messages.hpp"
#include "base/codec.hpp"
#include "base/result.hpp"
#include "coordinator/inspect/questions.hpp"
#include "coordinator/stored_definitions.hpp"
#include "coordinator/submit_calls.hpp"
#include "engine/fields.hpp"
#include "storage/kv.hpp"

namespace catena::engine {
[[nodiscard]] constexpr std::uint32_t count_of(NodeState) { return static_cast<std::uint32_t>(NodeState::draining) + 1; }
}  // namespace catena::engine

namespace catena::actors {
[[nodiscard]] constexpr std::uint32_t count_of(NodeVerb) { return static_cast<std::uint32_t>(NodeVerb::drain) + 1; }

template <class V>
void fields(V& v, NodeInfo& x) {
  v("id", x.id);
  v("incarnation", x.incarnation);
  v("address", x.address);
  v("labels", x.labels);
  v("kinds", x.kinds);
  v("capabilities", x.capabilities);
  v("tool_roots", x.tool_roots);
  v("slots", x.slots);
  v("used", x.used);
  v("running", x.running);
  v("queued", x.queued);
  v("rate_milli", x.rate_milli);
  v("heartbeat_age_ms", x.heartbeat_age_ms);
  v("version", x.version);
  v("state", x.state);
  v("lost_ms", x.lost_ms);
}
template <class V>
void fields(V& v, VisitProgress& x) {
  v("step", x.step);
  v("done", x.done);
  v("total", x.total);
}
template <class V>
void fields(V& v, Progress& x) {
  v("chain", x.chain);
  v("status", x.status);
  v("steps_settled", x.steps_settled);
  v("steps_total", x.steps_total);
  v("items_settled", x.items_settled);
  v("items_total", x.items_total);
  v("steps", x.running);
  v("unplaceable", x.unplaceable);
}
template <class V>
void fields(V& v, QueueGroup& x) {
  v("reason", x.reason);
  v("chains", x.chains);
  v("orders", x.orders);
  v("some", x.some);
}
template <class V>
void fields(V& v, ChainEnded& x) {
  v("chain", x.chain);
  v("status", x.status);
  v("response", x.response);
  v("error", x.error);
}
}  // namespace catena::actors

namespace catena::coordinator {

/// Bytes of one call as it is encoded: a file or a program with room to spare. A coordinator breaks the link of a client that sends more.
inline constexpr std::size_t kCallBytesMax = 80UL << 20U;
inline constexpr std::size_t kRemovedAtOnce = 256;

// ---- calls: one struct each, with its members ---------------------------------------------------------------------------

struct ReplayDeliveryCall {
  static constexpr std::string_view kKind = "replay_delivery";
  std::string id;
};
/// Answered as a submission is. Its arguments are in the wish.
struct ForkCall {
  static constexpr std::string_view kKind = "fork";
  ChainId chain;   // the new one
  ChainId source;  // that it shares its history with
  actors::ForkWish wish = {};
  std::string traceparent = {};
  std::string tracestate = {};
  std::string reason = {};
};
struct ResumeCall {
  static constexpr std::string_view kKind = "resume";
  ChainId chain;
  std::string reason = {};
};
/// Answered with TokenTold.
struct CreateTokenCall {
  static constexpr std::string_view kKind = "create_token";
  std::string name;
  storage::TokenRole role = storage::TokenRole::viewer;
  std::int64_t lasts_ms = 0;  // 0: it does not expire
  storage::TokenRate rate = {};
  std::string namespace_ = {};
};
struct RevokeTokenCall {
  static constexpr std::string_view kKind = "revoke_token";
  std::string id;
};
/// Answered with DefinitionTold.
struct PutDefinitionCall {
  static constexpr std::string_view kKind = "put_definition";
  std::string name;
  std::string text;
  std::optional<std::string> expected = {};  // see ExpectedVersion
  bool only_check = false;
};
struct RemoveDefinitionCall {
  static constexpr std::string_view kKind = "remove_definition";
  std::string name;
  std::optional<std::string> expected = {};
  std::string reason = {};
};
/// Answered when they are gone.
struct RemoveCall {
  static constexpr std::string_view kKind = "remove";
  std::vector<ChainId> chains;  // at most kRemovedAtOnce
  UnixMillis ended_before = 0;  // see actors::RemoveChains
  std::string reason = {};
};
enum class ControlVerb : std::uint8_t { cancel, pause, unpause, retry, resolve, skip, amend, signal, approve, reject };
[[nodiscard]] constexpr std::uint32_t count_of(ControlVerb) { return static_cast<std::uint32_t>(ControlVerb::reject) + 1; }
struct ControlCall {
  static constexpr std::string_view kKind = "order";
  ChainId chain;
  ControlVerb verb = ControlVerb::cancel;
  std::string reason;
  // Of resolve a visit and an item, with a response, or an error, or neither; of skip a response and `items`, of approve arguments and `items`.
  VisitId visit;
  ItemIndex item = 0;                   // of a client that knows no sets
  std::optional<std::string> response;  // JSON
  std::optional<Error> error;
  IndexSet items = {};
  std::string manifest = {};               // of retry: of the package that it takes up; empty: none
  std::vector<std::string> programs = {};  // hashes that ProgramCall brought before
  actors::RepairWish wish = {};            // of retry
  std::string step = {};                   // of skip, amend, approve and reject
  bool now = false;                        // of cancel
  engine::Terms terms = {};                // of amend
  std::optional<std::int32_t> priority = {};
  std::optional<std::string> deadline = {};  // as people say it, or "none"
  std::string signal = {};                   // its name; its data are `response`
  std::string signal_key = {};               // see engine::Signal and engine::Approval
};
/// Answered when the chain has ended.
struct AwaitCall {
  static constexpr std::string_view kKind = "await";
  ChainId chain;
};
struct ProgressCall {
  static constexpr std::string_view kKind = "progress";
  ChainId chain;
};
/// What the records do not tell, see actors::AskExplain.
struct ExplainCall {
  static constexpr std::string_view kKind = "explain";
  ChainId chain;
  std::string step = {};  // empty: all of it
};
/// What waits in the whole cluster, and why.
struct QueueCall {
  static constexpr std::string_view kKind = "queue";
};
struct NodesCall {
  static constexpr std::string_view kKind = "nodes";
};
struct NodeControlCall {
  static constexpr std::string_view kKind = "node_order";
  WorkerId worker;
  actors::NodeVerb verb = actors::NodeVerb::cordon;
  std::string reason = {};
};
struct FileStoreCall {
  static constexpr std::string_view kKind = "file";
  actors::FileAsk ask;
};
/// Answered at once: the link is alive.
struct PingCall {
  static constexpr std::string_view kKind = "ping";
};

template <class V>
void fields(V& v, CreateTokenCall& x) {
  v("name", x.name);
  v("role", x.role);
  v("lasts_ms", x.lasts_ms);
  v("rate", x.rate);
  v("namespace", x.namespace_);
}
template <class V>
void fields(V& v, RevokeTokenCall& x) {
  v("id", x.id);
}
template <class V>
void fields(V& v, PutDefinitionCall& x) {
  v("name", x.name);
  v("text", x.text);
  v("expected", x.expected);
  v("only_check", x.only_check);
}
template <class V>
void fields(V& v, RemoveDefinitionCall& x) {
  v("name", x.name);
  v("expected", x.expected);
  v("reason", x.reason);
}
template <class V>
void fields(V& v, ReplayDeliveryCall& x) {
  v("id", x.id);
}
template <class V>
void fields(V& v, ForkCall& x) {
  v("chain", x.chain), v("source", x.source), v("wish", x.wish), v("traceparent", x.traceparent), v("tracestate", x.tracestate),
      v("reason", x.reason);
}
template <class V>
void fields(V& v, ResumeCall& x) {
  v("chain", x.chain);
  v("reason", x.reason);
}
template <class V>
void fields(V& v, RemoveCall& x) {
  v("chains", x.chains);
  v("ended_before", x.ended_before);
  v("reason", x.reason);
}
template <class V>
void fields(V& v, ControlCall& x) {
  v("chain", x.chain), v("verb", x.verb), v("reason", x.reason), v("visit", x.visit), v("item", x.item), v("response", x.response),
      v("error", x.error), v("items", x.items), v("manifest", x.manifest), v("programs", x.programs), v("wish", x.wish), v("step", x.step),
      v("now", x.now), v("terms", x.terms), v("priority", x.priority), v("deadline", x.deadline), v("signal", x.signal),
      v("signal_key", x.signal_key);
}
template <class V>
void fields(V& v, AwaitCall& x) {
  v("chain", x.chain);
}
template <class V>
void fields(V& v, ProgressCall& x) {
  v("chain", x.chain);
}
template <class V>
void fields(V& v, ExplainCall& x) {
  v("chain", x.chain);
  v("step", x.step);
}
template <class V>
void fields(V&, QueueCall&) {}
template <class V>
void fields(V&, NodesCall&) {}
template <class V>
void fields(V& v, NodeControlCall& x) {
  v("worker", x.worker);
  v("verb", x.verb);
  v("reason", x.reason);
}
template <class V>
void fields(V& v, FileStoreCall& x) {
  v("ask", x.ask);
}
template <class V>
void fields(V&, PingCall&) {}

/// The alternatives of one variant behind those of another.
template <class First, class Second>
struct Joined;
template <class... First, class... Second>
struct Joined<std::variant<First...>, std::variant<Second...>> {
  using Variant = std::variant<First..., Second...>;
};

/// Calls, and all questions.
using ClientAsk =
    Joined<std::variant<codec::Unknown, ProgramCall, SubmitCall, SubmitOnceCall, CreateTokenCall, RevokeTokenCall, ReplayDeliveryCall, ResumeCall,
                        ControlCall, AwaitCall, ProgressCall, ExplainCall, NodesCall, NodeControlCall, FileStoreCall, PingCall, RemoveCall,
                        PutDefinitionCall, RemoveDefinitionCall, QueueCall, PutScheduleCall, OrderScheduleCall, ForkCall>,
           Question>::Variant;

[[nodiscard]] ControlCall control_call(const actors::Control& control);
[[nodiscard]] actors::Control control_of(const ControlCall& call);

/// The whole message, as the link carries it. Error: file_too_large, where it would have more than `bytes_max`.
[[nodiscard]] Result<std::string> encode_call(std::uint64_t id, const ClientAsk& ask, std::size_t bytes_max = kCallBytesMax);
/// The call that is in the body, looked at. Errors: argument_type, where it is not what it says to be; feature_unavailable, where nobody
/// knows it.
[[nodiscard]] Result<ClientAsk> read_call(std::string_view body);

// ---- answers: one struct each -------------------------------------------------------------------------------------------

struct Failed {
  static constexpr std::string_view kKind = "failed";
  Error error;
};
struct Done {
  static constexpr std::string_view kKind = "done";
};
struct SubmissionTold {
  static constexpr std::string_view kKind = "submitted";
  ChainId chain;       // that was submitted with this key, now or before
  bool again = false;  // before
};
struct TokenTold {
  static constexpr std::string_view kKind = "token";
  std::string text;  // the token itself
  std::string id;
  UnixMillis expires_at = 0;  // 0: never
  std::string namespace_ = {};
};
struct Ended {
  static constexpr std::string_view kKind = "ended";
  actors::ChainEnded chain;
};
struct ProgressTold {
  static constexpr std::string_view kKind = "progress";
  std::optional<actors::Progress> progress;  // none: the chain does not run
};
struct WordsTold {
  static constexpr std::string_view kKind = "words";
  std::vector<std::string> words;  // the same, for a client that knows no reasons
  std::vector<engine::Reason> reasons = {};
};
struct QueueTold {
  static constexpr std::string_view kKind = "queue";
  std::vector<actors::QueueGroup> groups;
};
struct NodesTold {
  static constexpr std::string_view kKind = "nodes";
  std::vector<actors::NodeInfo> nodes;
};
struct FileTold {
  static constexpr std::string_view kKind = "file";
  actors::FileReply reply;
};

struct DefinitionTold {
  static constexpr std::string_view kKind = "definition";
  DefinitionPut put;
};

/// A chain that stays, and why.
struct Unremoved {
  ChainId chain;
  Error error;
};
struct RemovalTold {
  static constexpr std::string_view kKind = "removed";
  std::vector<ChainId> chains;
  std::vector<Unremoved> refused;
};

template <class V>
void fields(V& v, DefinitionPut& x) {
  v("version", x.version);
  v("package", x.package);
  v("problems", x.problems);
  v("warnings", x.warnings);
}
template <class V>
void fields(V& v, DefinitionTold& x) {
  v("put", x.put);
}
template <class V>
void fields(V& v, Unremoved& x) {
  v("chain", x.chain);
  v("error", x.error);
}
template <class V>
void fields(V& v, RemovalTold& x) {
  v("chains", x.chains);
  v("refused", x.refused);
}
template <class V>
void fields(V& v, Failed& x) {
  v("error", x.error);
}
template <class V>
void fields(V&, Done&) {}
template <class V>
void fields(V& v, TokenTold& x) {
  v("text", x.text);
  v("id", x.id);
  v("expires_at", x.expires_at);
  v("namespace", x.namespace_);
}
template <class V>
void fields(V& v, SubmissionTold& x) {
  v("chain", x.chain);
  v("again", x.again);
}
template <class V>
void fields(V& v, Ended& x) {
  v("chain", x.chain);
}
template <class V>
void fields(V& v, ProgressTold& x) {
  v("progress", x.progress);
}
template <class V>
void fields(V& v, WordsTold& x) {
  v("words", x.words);
  v("reasons", x.reasons);
}
template <class V>
void fields(V& v, QueueTold& x) {
  v("groups", x.groups);
}
template <class V>
void fields(V& v, NodesTold& x) {
  v("nodes", x.nodes);
}
template <class V>
void fields(V& v, FileTold& x) {
  v("reply", x.reply);
}

using ClientTold = Joined<std::variant<codec::Unknown, Failed, Done, SubmissionTold, TokenTold, Ended, ProgressTold, WordsTold, NodesTold, FileTold,
                                       RemovalTold, DefinitionTold, QueueTold, ScheduleDoneTold>,
                          Answer>::Variant;

/// The body of an answer.
[[nodiscard]] std::string encode_answer(const ClientTold& told);
/// Errors: what the other side says, and connection_failed where it says nothing that can be read.
[[nodiscard]] Result<ClientTold> read_answer(std::string_view body);
/// The answer that is wanted. Errors: those of read_answer.
template <class Told>
[[nodiscard]] Result<Told> read_answer_as(std::string_view body);

[[nodiscard]] Error unreadable_answer();

template <class Told>
Result<Told> read_answer_as(std::string_view body) {
  auto told = read_answer(body);
  if (!told) return fail(std::move(told).error());
  if (auto* wanted = std::get_if<Told>(&*told)) return std::move(*wanted);
  return fail(unreadable_answer());
}

}  // namespace catena::coordinator
