#pragma once
// What clients ask for that begins chains: now, or when a schedule is due. A part of client_calls.hpp.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "actors/messages.hpp"
#include "base/chain_labels.hpp"
#include "base/codec.hpp"
#include "base/webhooks.hpp"
#include "coordinator/file_service.hpp"
#include "engine/schedule/fields.hpp"
#include "storage/kv.hpp"

namespace catena::storage {
[[nodiscard]] constexpr std::uint32_t count_of(Durability) { return static_cast<std::uint32_t>(Durability::none) + 1; }
}  // namespace catena::storage

namespace catena::coordinator {

/// A program that a submission to come pins.
struct ProgramCall {
  static constexpr std::string_view kKind = "program";
  std::string hash;  // of the content: checked
  std::string content;
};
struct SubmitCall {
  static constexpr std::string_view kKind = "submit";
  ChainId chain;
  std::string manifest;  // of the package
  std::string arguments;
  std::string context;
  storage::Durability durability = storage::Durability::sync;
  std::int32_t priority = 0;
  std::vector<std::string> programs;  // hashes that ProgramCall brought before
  std::string directory = {};         // of the client, an absolute path; empty: it does not say
  ChainLabels labels = {};
  std::vector<Webhook> notify = {};
  std::string traceparent = {};
  std::string tracestate = {};
  std::string deadline = {};  // as people say it; empty: none
};
/// The same with a key. A call of its own, because a coordinator of an earlier version must refuse what it would do twice. Answered with
/// SubmissionTold.
struct SubmitOnceCall {
  static constexpr std::string_view kKind = "submit_once";
  SubmitCall submit;
  std::string submission_key;
  bool id_made = false;  // see actors::Submission
};

/// `submit` without the id of a chain that it would have: each run has its own. Answered with ScheduleDoneTold, as is the next.
struct PutScheduleCall {
  static constexpr std::string_view kKind = "put_schedule";
  std::string name = {};
  engine::SchedulePlan plan = {};
  SubmitCall submit = {};
  std::string definition = {};
  bool follow = false;
  ExpectedVersion expected = {};
  std::string namespace_ = {};
  bool only_check = false;
};
struct OrderScheduleCall {
  static constexpr std::string_view kKind = "order_schedule";
  std::string name = {};
  actors::ScheduleVerb verb = actors::ScheduleVerb::pause;
  UnixMillis from = 0;
  UnixMillis until = 0;
  ExpectedVersion expected = {};
  std::string reason = {};
  std::string namespace_ = {};
};
struct ScheduleDoneTold {
  static constexpr std::string_view kKind = "schedule_done";
  std::string version = {};  // see actors::ScheduleDone
  ChainId chain = {};
  std::uint64_t runs = 0;
};

template <class V>
void fields(V& v, ProgramCall& x) {
  v("hash", x.hash);
  v("content", x.content);
}
template <class V>
void fields(V& v, SubmitCall& x) {
  v("chain", x.chain), v("manifest", x.manifest), v("arguments", x.arguments), v("context", x.context), v("durability", x.durability),
      v("priority", x.priority), v("programs", x.programs), v("directory", x.directory), v("labels", x.labels), v("notify", x.notify),
      v("traceparent", x.traceparent), v("tracestate", x.tracestate), v("deadline", x.deadline);
}
template <class V>
void fields(V& v, PutScheduleCall& x) {
  v("name", x.name), v("plan", x.plan), v("submit", x.submit), v("definition", x.definition), v("follow", x.follow), v("expected", x.expected),
      v("namespace", x.namespace_), v("only_check", x.only_check);
}
template <class V>
void fields(V& v, OrderScheduleCall& x) {
  v("name", x.name), v("verb", x.verb), v("since", x.from), v("until", x.until), v("expected", x.expected), v("reason", x.reason),
      v("namespace", x.namespace_);
}
template <class V>
void fields(V& v, SubmitOnceCall& x) {
  v("submit", x.submit);
  v("submission_key", x.submission_key);
  v("id_made", x.id_made);
}
template <class V>
void fields(V& v, ScheduleDoneTold& x) {
  v("version", x.version), v("chain", x.chain), v("runs", x.runs);
}

}  // namespace catena::coordinator
