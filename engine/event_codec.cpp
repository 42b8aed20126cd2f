#include <fmt/format.h>

#include <array>

#include "base/packed_fields.hpp"
#include "base/packed_reader.hpp"
#include "engine/event.hpp"
#include "engine/fields.hpp"

namespace catena::engine {

Json pack(const Payload& payload) {
  if (!payload.in_blob()) return payload.text;
  return Json{{"blob", payload.blob}, {"bytes", payload.bytes}};
}

/// The same without the JSON.
void pack_bytes(BytePacker& packer, const Payload& payload) {
  if (!payload.in_blob()) return packer.text(payload.text);
  packer.map(2);
  packer.text("blob"), packer.text(payload.blob);
  packer.text("bytes"), packer.number(payload.bytes);
}

void unpack(const Json& json, Payload& payload) {
  if (json.is_string()) {
    payload = inline_payload(json.get<std::string>());
  } else if (json.is_object()) {
    unpack(json.value("blob", Json()), payload.blob);
    unpack(json.value("bytes", Json()), payload.bytes);
  }
}

/// The same without the JSON.
void unpack_bytes(const PackedValue& from, Payload& payload) {
  if (const auto text = from.text()) {
    payload = inline_payload(std::string{*text});
  } else {
    const PackedObject members{from};
    members("blob", payload.blob);
    members("bytes", payload.bytes);
  }
}

// One row an event: its members. (Not in the unnamed namespace: argument-dependent look-up has to find them.)
template <class V>
void fields(V& v, ChainStarted& e) {
  v("package", e.package);
  v("definition", e.definition);
  v("steps", e.steps);
  v("arguments", e.arguments);
  v("context", e.context);
  v("parent", e.parent);
  v("depth", e.depth);
  v("for_grant", e.for_grant);
  v("entry", e.entry);
  v("at", e.at);
  v("directory", e.directory);
  v("removals_before", e.removals_before);
  v("labels", e.labels);
  v("traceparent", e.trace.parent);
  v("tracestate", e.trace.state);
  v("trace_linked", e.trace.linked);
  v("deadline_at", e.deadline_at);
}
template <class V>
void fields(V& v, VisitEntered& e) {
  v("visit", e.visit);
  v("arguments", e.arguments);
  v("deadline_at", e.deadline_at);
  v("at", e.at);
  v("kept", e.kept);
}
template <class V>
void fields(V& v, ItemsExpanded& e) {
  v("visit", e.visit);
  v("width", e.width);
  v("arguments", e.arguments);
  v("deadline_at", e.deadline_at);
  v("at", e.at);
  v("kept", e.kept);
}
template <class V>
void fields(V& v, VisitSkipped& e) {
  v("visit", e.visit);
  v("at", e.at);
}
template <class V>
void fields(V& v, Warned& e) {
  v("visit", e.visit);
  v("message", e.message);
  v("at", e.at);
}
template <class V>
void fields(V& v, Granted& e) {
  v("grant", e.grant);
  v("visit", e.visit);
  v("worker", e.worker);
  v("incarnation", e.incarnation);
  v("items", e.items);
  v("at", e.at);
}
template <class V>
void fields(V& v, AttemptsEnded& e) {
  v("grant", e.grant);
  v("visit", e.visit);
  v("items", e.items);
  v("how", e.how);
  v("in_doubt", e.in_doubt);
  v("error", e.error);
  v("at", e.at);
}
template <class V>
void fields(V& v, ItemsSettled& e) {
  v("attempt", e.attempt);
  v("grant", e.grant);
  v("visit", e.visit);
  v("ok", e.ok);
  v("bad", e.bad);
  v("error", e.error);
  v("at", e.at);
  v("by", e.by);
  v("reason", e.reason);
}
template <class V>
void fields(V& v, RetryArmed& e) {
  v("visit", e.visit);
  v("items", e.items);
  v("after", e.after);
  v("at", e.at);
}
template <class V>
void fields(V& v, RetryReleased& e) {
  v("visit", e.visit);
  v("items", e.items);
  v("at", e.at);
}
template <class V>
void fields(V& v, DoubtCleared& e) {
  v("visit", e.visit);
  v("items", e.items);
  v("at", e.at);
  v("by", e.by);
  v("reason", e.reason);
}
template <class V>
void fields(V& v, VisitSettled& e) {
  v("visit", e.visit);
  v("status", e.status);
  v("response", e.response);
  v("error", e.error);
  v("fails_chain", e.fails_chain);
  v("at", e.at);
  v("given", e.given);
  v("by", e.by);
  v("reason", e.reason);
}
template <class V>
void fields(V& v, StateWritten& e) {
  v("step", e.step);
  v("variables", e.variables);
  v("at", e.at);
}
template <class V>
void fields(V& v, Jumped& e) {
  v("from", e.from);
  v("to", e.to);
  v("at", e.at);
}
template <class V>
void fields(V& v, PauseChanged& e) {
  v("paused", e.paused);
  v("at", e.at);
  v("reason", e.reason);
  v("by", e.by);
  v("above", e.above);
}
template <class V>
void fields(V& v, Amended& e) {
  v("only", e.only);
  v("terms", e.terms);
  v("priority", e.priority);
  v("reason", e.reason);
  v("by", e.by);
  v("at", e.at);
  v("deadline_at", e.deadline_at);
}
template <class V>
void fields(V& v, CancelRequested& e) {
  v("reason", e.reason);
  v("at", e.at);
  v("now", e.now);
  v("by", e.by);
}
template <class V>
void fields(V& v, Reopened& e) {
  v("step", e.step);
  v("deadline_at", e.deadline_at);
  v("enter", e.enter);
  v("items_stand", e.items_stand);
  v("anew", e.anew);
  v("keep", e.keep);
  v("items", e.items);
  v("failures_stand", e.failures_stand);
}
template <class V>
void fields(V& v, RetryRequested& e) {
  v("steps", e.steps);
  v("for_grant", e.for_grant);
  v("at", e.at);
  v("package", e.package);
  v("definition", e.definition);
  v("steps_total", e.steps_total);
  v("only_failed", e.only_failed);
  v("by", e.by);
  v("reason", e.reason);
}
template <class V>
void fields(V& v, ChainForked& e) {
  v("source", e.source), v("back_to", e.back_to), v("steps", e.steps), v("cut", e.cut), v("arguments", e.arguments),
      v("other_arguments", e.other_arguments), v("later_ms", e.later_ms), v("directory", e.directory), v("removals_before", e.removals_before),
      v("labels", e.labels), v("traceparent", e.trace.parent), v("tracestate", e.trace.state), v("trace_linked", e.trace.linked), v("by", e.by),
      v("reason", e.reason), v("at", e.at);
}
template <class V>
void fields(V& v, ChainFailing& e) {
  v("error", e.error);
  v("at", e.at);
}
template <class V>
void fields(V& v, ChainFinished& e) {
  v("status", e.status);
  v("response", e.response);
  v("error", e.error);
  v("at", e.at);
}
template <class V>
void fields(V& v, ChainQuarantined& e) {
  v("error", e.error);
  v("at", e.at);
}

template <class V>
void fields(V& v, ItemsGiven& e) {
  v("visit", e.visit);
  v("items", e.items);
  v("at", e.at);
  v("by", e.by);
  v("reason", e.reason);
}

template <class V>
void fields(V& v, SignalReceived& e) {
  v("number", e.number);
  v("name", e.name);
  v("data", e.data);
  v("key", e.key);
  v("by", e.by);
  v("reason", e.reason);
  v("at", e.at);
}
template <class V>
void fields(V& v, SignalConsumed& e) {
  v("visit", e.visit);
  v("number", e.number);
  bool unfit = !e.ok;  // what is false is not written
  v("unfit", unfit);
  e.ok = !unfit;
  v("at", e.at);
}

template <class V>
void fields(V& v, ApprovalAsked& e) {
  v("visit", e.visit);
  v("items", e.items);
  v("until", e.until);
  v("at", e.at);
}
template <class V>
void fields(V& v, ApprovalAnswered& e) {
  v("visit", e.visit);
  v("items", e.items);
  v("approved", e.approved);
  v("error", e.error);
  v("arguments", e.arguments);
  v("key", e.key);
  v("by", e.by);
  v("reason", e.reason);
  v("at", e.at);
}

namespace {

// In the order of the variant.
constexpr std::array<std::string_view, std::variant_size_v<Event>> kNames{
    "ChainStarted", "VisitEntered",    "ItemsExpanded",  "VisitSkipped",  "Warned",           "Granted",          "AttemptsEnded",
    "ItemsSettled", "RetryArmed",      "RetryReleased",  "DoubtCleared",  "VisitSettled",     "StateWritten",     "Jumped",
    "PauseChanged", "CancelRequested", "RetryRequested", "ChainFailing",  "ChainFinished",    "ChainQuarantined", "ItemsGiven",
    "Amended",      "SignalReceived",  "SignalConsumed", "ApprovalAsked", "ApprovalAnswered", "ChainForked"};
static_assert(!kNames.back().empty());

/// What an earlier version wrote in other members.
template <class E>
void read_former(const PackedObject&, E&) {}
void read_former(const PackedObject& members, RetryArmed& e) {
  if (members.find("item") == nullptr || members.find("due") == nullptr) return;
  ItemIndex item = 0;
  UnixMillis due = 0;
  members("item", item);
  members("due", due);
  e.items = IndexSet::one(item);
  e.after = {due - e.at};
}

template <std::size_t Row = 0>
Result<Event> event_of(std::string_view name, const PackedObject& members) {
  if constexpr (Row == kNames.size()) {
    return fail(Code::storage_corrupt, fmt::format("the journal has an event '{}' that this version does not know", name));
  } else {
    if (name != kNames[Row]) return event_of<Row + 1>(name, members);
    std::variant_alternative_t<Row, Event> event;
    fields(members, event);
    read_former(members, event);
    return Event{std::move(event)};
  }
}

Result<Event> event_from(const PackedValue& record) {
  const PackedObject members{record};
  const auto* name = members.find("event");
  if (name == nullptr || !name->text()) return fail(Code::storage_corrupt, "a journal record is no event");
  return event_of(*name->text(), members);
}

}  // namespace

std::span<const std::string_view> event_names() { return kNames; }
std::string_view name(const Event& event) { return kNames[event.index()]; }

Json to_json(const Event& event) {
  Packer packer;
  std::visit([&](const auto& e) { fields(packer, const_cast<std::remove_cvref_t<decltype(e)>&>(e)); }, event);
  packer.json["event"] = kNames[event.index()];
  return std::move(packer.json);
}

namespace {

/// What MessagePack makes of to_json().
void append_event(BytePacker& packer, const Event& event) {
  packer.object([&](BytePacker::Members& members) {
    std::visit([&](const auto& e) { fields(members, const_cast<std::remove_cvref_t<decltype(e)>&>(e)); }, event);
    members("event", kNames[event.index()]);
  });
}

}  // namespace

std::string encode(const Event& event) {
  std::string bytes;
  BytePacker packer{bytes};
  append_event(packer, event);
  return bytes;
}

std::string encode(std::span<const Event> events) {
  if (events.size() == 1) return encode(events.front());
  std::string bytes;
  BytePacker packer{bytes};
  packer.list(events.size());
  for (const auto& event : events) append_event(packer, event);
  return bytes;
}

namespace {

Result<PackedValue> record_of(std::string_view bytes) {
  const auto record = PackedValue::whole(bytes);
  if (!record) return fail(Code::storage_corrupt, "a journal record is damaged");
  return *record;
}

}  // namespace

Result<Event> decode_event(std::string_view bytes) { return record_of(bytes).and_then(event_from); }

Result<std::vector<Event>> decode_events(std::string_view bytes, std::uint32_t count) {
  const auto record = record_of(bytes);
  if (!record) return fail(record.error());
  std::vector<Event> events;
  std::optional<Error> refused;
  const auto add = [&](const PackedValue& one) {
    if (refused) return;
    auto event = event_from(one);
    if (!event) return void(refused = std::move(event).error());
    events.push_back(std::move(*event));
  };
  if (record->is_list())
    record->for_each(add);
  else
    add(*record);
  if (refused) return fail(std::move(*refused));
  if (events.size() != count) return fail(Code::storage_corrupt, fmt::format("a journal record of {} events has {}", count, events.size()));
  return events;
}

}  // namespace catena::engine
