#include "coordinator/inspect/describe_event.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <concepts>

#include "base/time.hpp"

namespace catena::coordinator {
namespace {

constexpr std::size_t kRunsShown = 4;

std::string how_many(std::uint32_t count, std::string_view noun) { return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s"); }

std::string reason_text(const std::optional<Error>& error) {
  return error ? fmt::format(": [{}] {}", name(error->code), error->message) : std::string{};
}

/// "item 3", "items 0-99, 120 and 3 more runs".
std::string item_runs_text(const IndexSet& items) {
  std::string text;
  std::size_t shown = 0;
  for (const auto& run : items.ranges()) {
    if (++shown > kRunsShown) break;
    if (!text.empty()) text += ", ";
    text += run.last - run.first == 1 ? fmt::format("{}", run.first) : fmt::format("{}-{}", run.first, run.last - 1);
  }
  if (items.ranges().size() > kRunsShown) text += fmt::format(" and {} more runs", items.ranges().size() - kRunsShown);
  return fmt::format("item{} {}", items.size() == 1 ? "" : "s", text);
}

/// "attempt failed", "attempts failed".
std::string_view ending(engine::Ended how, bool one) {
  switch (how) {
    case engine::Ended::failed: return one ? "attempt failed" : "attempts failed";
    case engine::Ended::lost: return one ? "attempt was lost with its worker" : "attempts were lost with their worker";
    case engine::Ended::cancelled: return one ? "attempt was cancelled" : "attempts were cancelled";
    case engine::Ended::postponed: return one ? "attempt asks to be made again later" : "attempts ask to be made again later";
  }
  return "ended";
}

std::string_view word(engine::Ended how) {
  switch (how) {
    case engine::Ended::failed: return "failed";
    case engine::Ended::lost: return "lost";
    case engine::Ended::cancelled: return "cancelled";
    case engine::Ended::postponed: return "postponed";
  }
  return "ended";
}

/// What each kind of event says. One overload a kind, so that a new kind does not compile before it is described.
class Describer {
 public:
  explicit Describer(const lang::Program* program) : program_{program} {}

  std::string operator()(const engine::ChainStarted& e) const {
    const auto parent = e.parent.empty() ? std::string{} : fmt::format(" for chain '{}'", e.parent.value);
    return fmt::format("chain started{} with {}, package {}", parent, how_many(e.steps, "step"), e.package.substr(0, 12));
  }
  std::string operator()(const engine::VisitEntered& e) const {
    return visit(e.visit) + (e.kept.empty() ? " entered" : " has the arguments that it had, and keeps its response");
  }
  std::string operator()(const engine::ItemsExpanded& e) const {
    const auto kept = e.kept.empty() ? std::string{} : fmt::format(", and keeps {} of the same arguments", how_many(e.kept.size(), "result"));
    return fmt::format("{} fans out over {}{}", visit(e.visit), how_many(e.width, "item"), kept);
  }
  std::string operator()(const engine::VisitSkipped& e) const { return visit(e.visit) + " skipped: its conditions do not hold"; }
  std::string operator()(const engine::Warned& e) const { return fmt::format("{} warns: {}", visit(e.visit), e.message); }
  std::string operator()(const engine::Granted& e) const {
    return fmt::format("{} {} to worker '{}' (grant {})", task(e.visit, e.items), one(e.visit, e.items) ? "goes" : "go", e.worker.value, e.grant);
  }
  std::string operator()(const engine::AttemptsEnded& e) const {
    const bool single = one(e.visit, e.items);
    const auto* doubt = !e.in_doubt ? "" : single ? " and is in doubt" : " and are in doubt";
    return fmt::format("{}: {}{}{}", task(e.visit, e.items), ending(e.how, single), doubt, reason_text(e.error));
  }
  std::string operator()(const engine::ItemsSettled& e) const {
    const auto by = e.grant == 0 ? fmt::format(" (resolved{})", person(e.by, e.reason)) : std::string{};
    if (!fans_out(e.visit)) return fmt::format("{} {}{}{}", visit(e.visit), e.bad.empty() ? "responded" : "failed", by, reason_text(e.error));
    auto text = visit(e.visit) + ":";
    if (!e.ok.empty()) text += fmt::format(" {} responded", item_runs_text(e.ok));
    if (!e.bad.empty()) text += fmt::format("{} {} failed", e.ok.empty() ? "" : ",", item_runs_text(e.bad));
    return text + by + reason_text(e.error);
  }
  std::string operator()(const engine::RetryArmed& e) const {
    if (e.after.empty()) return visit(e.visit) + " waits for nothing";
    const auto [first, last] = std::ranges::minmax(e.after);
    if (first == last)
      return fmt::format("{} {} tried again at {}", task(e.visit, e.items), one(e.visit, e.items) ? "is" : "are", iso8601(e.at + first));
    return fmt::format("{} are tried again from {} to {}", task(e.visit, e.items), iso8601(e.at + first), iso8601(e.at + last));
  }
  std::string operator()(const engine::RetryReleased& e) const { return task(e.visit, e.items) + " may be tried again now"; }
  std::string operator()(const engine::ItemsGiven& e) const {
    return fmt::format("{} {} a response given{}", task(e.visit, e.items), one(e.visit, e.items) ? "has" : "have", person(e.by, e.reason));
  }
  std::string operator()(const engine::DoubtCleared& e) const {
    return fmt::format("{} {} run again (resolved{})", task(e.visit, e.items), one(e.visit, e.items) ? "is" : "are", person(e.by, e.reason));
  }
  std::string operator()(const engine::VisitSettled& e) const {
    const auto given = e.given ? fmt::format(" (its response was given{})", person(e.by, e.reason)) : std::string{};
    return fmt::format("{} {}{}{}{}", visit(e.visit), engine::name(e.status), given, e.fails_chain ? ", which fails the chain" : "",
                       reason_text(e.error));
  }
  std::string operator()(const engine::StateWritten& e) const {
    std::string names;
    for (const auto& [variable, value] : e.variables) names += (names.empty() ? "" : ", ") + variable;
    return fmt::format("step {} sets {}", step_id(program_, e.step), names);
  }
  std::string operator()(const engine::Jumped& e) const {
    return fmt::format("after step {} goes on with step {}", step_id(program_, e.from), step_id(program_, e.to));
  }
  std::string operator()(const engine::PauseChanged& e) const {
    if (e.above) return e.paused ? "chain paused, as the one that started it is" : "the chain that started it goes on after its pause";
    return (e.paused ? "chain paused" : "chain goes on after its pause") + asked(e.by, e.reason);
  }
  std::string operator()(const engine::Amended& e) const {
    const auto what = e.only ? "step " + step_id(program_, *e.only) : std::string{"chain"};
    const auto deadline = e.deadline_at ? std::optional{Deadline{Millis{0}, *e.deadline_at}} : std::nullopt;
    return fmt::format("{} amended: {}{}", what, engine::words(e.terms, e.priority, deadline), asked(e.by, e.reason));
  }
  std::string operator()(const engine::SignalReceived& e) const {
    return fmt::format("signal {} '{}' came{}", e.number, e.name, asked(e.by, e.reason));
  }
  std::string operator()(const engine::SignalConsumed& e) const { return fmt::format("{} takes signal {}", visit(e.visit), e.number); }
  std::string operator()(const engine::ApprovalAsked& e) const {
    const auto until = e.until == 0 ? std::string{} : " until " + iso8601(e.until);
    return fmt::format("{} {} for approval{}", task(e.visit, e.items), one(e.visit, e.items) ? "waits" : "wait", until);
  }
  std::string operator()(const engine::ApprovalAnswered& e) const {
    const auto edited = e.arguments.empty() ? "" : " with other arguments";
    return fmt::format("{} {} {}{}{}", task(e.visit, e.items), one(e.visit, e.items) ? "is" : "are", e.approved ? "approved" : "rejected", edited,
                       asked(e.by, e.reason));
  }
  std::string operator()(const engine::CancelRequested& e) const {
    const auto why = asked(e.by, e.reason);
    return fmt::format("{} the chain{}", e.now ? "killing" : "cancelling", e.by.empty() ? why : " (asked for" + why + ")");
  }
  std::string operator()(const engine::RetryRequested& e) const {
    std::string names;
    for (const auto& reopened : e.steps) names += (names.empty() ? ": steps " : ", ") + step_id(program_, reopened.step);
    const auto who = asked(e.by, e.reason);
    return fmt::format("chain runs again{}{}{}", e.package.empty() ? "" : ", with definitions and programs as they are now", names,
                       who.empty() ? "" : " (asked for" + who + ")");
  }
  std::string operator()(const engine::ChainForked& e) const {
    std::string names;
    for (const auto& reopened : e.steps) names += (names.empty() ? ": steps " : ", ") + step_id(program_, reopened.step);
    const auto back = e.back_to ? fmt::format(", back to step {}", step_id(program_, *e.back_to)) : std::string{};
    const auto who = asked(e.by, e.reason);
    return fmt::format("chain forked from '{}'{}{}{}{}", e.source.value, back, e.other_arguments ? ", with other arguments" : "", names,
                       who.empty() ? "" : " (asked for" + who + ")");
  }
  std::string operator()(const engine::ChainFailing& e) const { return "chain cannot succeed any more" + reason_text(e.error); }
  std::string operator()(const engine::ChainFinished& e) const { return fmt::format("chain {}{}", engine::name(e.status), reason_text(e.error)); }
  std::string operator()(const engine::ChainQuarantined& e) const { return "chain quarantined" + reason_text(e.error); }

 private:
  static std::string asked(const std::string& by, const std::string& reason) {
    return fmt::format("{}{}", by.empty() ? "" : " by " + by, reason.empty() ? "" : ": " + reason);
  }
  /// Of what a person did in any case: an earlier version did not record who.
  static std::string person(const std::string& by, const std::string& reason) { return asked(by.empty() ? "a person" : by, reason); }
  std::string visit(const VisitId& id) const {
    const auto step = "step " + step_id(program_, id.step);
    return id.visit > 1 ? fmt::format("{} (visit {})", step, id.visit) : step;
  }
  bool fans_out(const VisitId& id) const {
    return program_ != nullptr && id.step < program_->steps.size() && program_->steps[id.step].each.has_value();
  }
  /// The subject is a step, or a single item of it.
  bool one(const VisitId& id, const IndexSet& items) const { return !fans_out(id) || items.size() == 1; }
  /// A plain step is its one item.
  std::string task(const VisitId& id, const IndexSet& items) const {
    return fans_out(id) ? fmt::format("{} {}", visit(id), item_runs_text(items)) : visit(id);
  }

  const lang::Program* program_;
};

// ---- as an object ---------------------------------------------------------------------------------------------------

Json items_json(const IndexSet& items) {
  Json runs = Json::array();
  for (const auto& run : items.ranges()) runs.push_back({run.first, run.last - 1});
  return runs;
}

Json value_json(const engine::Payload& payload) {
  if (payload.in_blob()) return {{"bytes", payload.bytes}};
  return Json::parse(payload.text, nullptr, false);
}

void put_value(Json& json, const char* member, const engine::Payload& payload) {
  if (!payload.empty()) json[member] = value_json(payload);
}

void put_error(Json& json, const Error& error) { json["error"] = catena::to_json(error); }
void put_error(Json& json, const std::optional<Error>& error) {
  if (error) put_error(json, *error);
}

void put_deadline(Json& json, UnixMillis at) {
  if (at != 0) json["deadline"] = iso8601(at);
}
/// One that was taken off is null.
void put_deadline(Json& json, const std::optional<UnixMillis>& at) {
  if (at) json["deadline"] = *at == 0 ? Json() : Json(iso8601(*at));
}

/// Puts in place of what the journal has what people call it. One rule a member, whichever event has it.
template <class Event>
void put_names(Json& json, const Event& e, const lang::Program* program) {
  if constexpr (requires { e.visit; }) {
    json["step"] = step_id(program, e.visit.step);
    json["visit"] = e.visit.visit;
  }
  if constexpr (requires { e.step; }) json["step"] = step_id(program, e.step);
  if constexpr (requires { e.from; }) json["from"] = step_id(program, e.from);
  if constexpr (requires { e.to; }) json["to"] = step_id(program, e.to);
  if constexpr (requires { e.entry; }) {
    if (e.entry) json["entry"] = step_id(program, *e.entry);
  }
  if constexpr (requires { e.items; }) json["items"] = items_json(e.items);
  if constexpr (requires {
                  e.ok;
                  e.bad;
                })
    json["ok"] = items_json(e.ok);
  if constexpr (requires { e.bad; }) json["failed"] = items_json(e.bad);
  json.erase("bad");
  if constexpr (requires { e.arguments; }) put_value(json, "arguments", e.arguments);
  if constexpr (requires { e.context; }) put_value(json, "context", e.context);
  if constexpr (requires { e.data; }) put_value(json, "data", e.data);
  if constexpr (requires { e.response; }) put_value(json, "response", e.response);
  if constexpr (requires { e.variables; }) {
    for (const auto& [variable, value] : e.variables) json["variables"][variable] = value_json(value);
  }
  if constexpr (requires { e.status; }) json["status"] = engine::name(e.status);
  if constexpr (requires { e.how; }) json["how"] = word(e.how);
  if constexpr (requires { e.error; }) put_error(json, e.error);
  if constexpr (requires { e.after; }) {
    json.erase("after");
    json["after_ms"] = e.after;
  }
  if constexpr (requires { e.deadline_at; }) {
    json.erase("deadline_at");
    put_deadline(json, e.deadline_at);
  }
  if constexpr (requires { e.until; }) {
    json.erase("until");
    if (e.until != 0) json["until"] = iso8601(e.until);
  }
  if constexpr (requires { e.only; }) {
    json.erase("only");
    if (e.only) json["step"] = step_id(program, *e.only);
  }
  if constexpr (std::same_as<Event, engine::RetryRequested>) {
    json["steps"] = Json::array();
    for (const auto& reopened : e.steps) json["steps"].push_back(step_id(program, reopened.step));
  }
  if constexpr (std::same_as<Event, engine::ChainForked>) {
    json["steps"] = Json::array();
    for (const auto& reopened : e.steps) json["steps"].push_back(step_id(program, reopened.step));
    json["cut"] = Json::array();
    e.cut.for_each([&](std::uint32_t step) { json["cut"].push_back(step_id(program, step)); });
    json.erase("back_to");
    if (e.back_to) json["back_to"] = step_id(program, *e.back_to);
  }
  json.erase("at");
  json["time"] = iso8601(e.at);
}

}  // namespace

std::string step_id(const lang::Program* program, StepIndex step) {
  return program != nullptr && step < program->steps.size() ? program->steps[step].id : fmt::format("#{}", step);
}

EventText describe(const engine::Event& event, const lang::Program* program) {
  return {std::visit([](const auto& e) { return e.at; }, event), std::visit(Describer{program}, event)};
}

EventFacts facts_of(const engine::Event& event) {
  EventFacts facts;
  facts.kind = engine::name(event);
  std::visit(
      [&](const auto& e) {
        facts.at = e.at;
        if constexpr (requires { e.visit; }) {
          facts.step = e.visit.step;
          facts.visit = e.visit.visit;
        }
        if constexpr (requires { e.step; }) facts.step = e.step;
        if constexpr (requires { e.only; }) facts.step = e.only;
        if constexpr (requires { e.from; }) facts.step = e.from;
        if constexpr (requires { e.items; }) facts.items = e.items;
        if constexpr (requires { e.width; }) facts.items = IndexSet::range(0, e.width);
        if constexpr (requires {
                        e.ok;
                        e.bad;
                      }) {
          facts.items = e.ok;
          facts.items.insert(e.bad);
          facts.failed = e.bad.size();
        }
        if constexpr (requires { e.worker; }) facts.worker = e.worker;
        if constexpr (requires { e.error; }) facts.error = e.error;
      },
      event);
  return facts;
}

Json describe_json(const engine::Event& event, const lang::Program* program) {
  auto json = engine::to_json(event);
  std::visit([&](const auto& e) { put_names(json, e, program); }, event);
  return json;
}

}  // namespace catena::coordinator
