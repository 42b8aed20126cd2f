#include "coordinator/step_actor.hpp"

#include <fmt/format.h>
#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "base/limits.hpp"
#include "coordinator/evaluation.hpp"
#include "coordinator/item_results.hpp"
#include "coordinator/order_files.hpp"
#include "coordinator/order_trace.hpp"
#include "coordinator/records.hpp"
#include "coordinator/sender.hpp"
#include "coordinator/step_notes.hpp"
#include "coordinator/surroundings.hpp"
#include "coordinator/values.hpp"
#include "lang/program/description.hpp"
#include "lang/program/endpoint.hpp"
#include "storage/chain_store.hpp"

namespace catena::coordinator {
namespace {

using StepSelf = caf::stateful_actor<StepState>*;

const lang::Step& step_of(const StepContext& context) { return context.program->steps[context.visit.step]; }

/// What came of a failed read is not to become an outcome: see watched_reads.hpp. True: the actor ends, and nothing more is to be said.
bool ends_unread(StepSelf self, const StepContext& context) {
  const auto& failed = context.reads.failed();
  if (failed) self->quit(unread(*failed));
  return failed.has_value();
}

// ---- from a grant to attempts ---------------------------------------------------------------------------------------

Result<lang::JsonText> arguments_of(StepState& state, const StepContext& context, ItemIndex item) {
  return state.arguments.of({context.reads, context.chain, step_of(context), context.visit, context.arguments}, item);
}

// ---- from results to a report ------------------------------------------------------------------------------------------

Sources sources_of(const StepContext& context) {
  const auto& services = *context.services;
  return {context.reads, services.files, services.clock->now()};
}

/// Large values go to the journal ahead of the report that speaks of them.
Records::Spill spill_to_journal(StepSelf self, const StepContext& context) {
  return [self, &context](Records::Batch batch) { self->send(context.services->journal, spilled(std::move(batch), context.durability)); };
}

/// Collects what is said of a grant's items, with the records that belong to it.
class ReportBuilder {
 public:
  ReportBuilder(StepSelf self, const StepContext& context, GrantId grant, StepState::Order& order)
      : context_{context}, order_{order}, records_{spill_to_journal(self, context), context.services->holds} {
    report_.report.grant = grant;
    report_.report.incarnation = order.incarnation;
    report_.visit = context.visit;
  }

  /// Who hears when the report is durable; empty: nobody.
  void heard_from(caf::actor from, IndexSet items) {
    report_.from = std::move(from);
    report_.heard = std::move(items);
  }

  void expect(std::size_t items) {
    report_.report.items.reserve(items);
    if (step_of(context_).each) report_.ledger.reserve(items);
  }

  void fail_item(ItemIndex item, Error error) {
    order_.open.erase(item);
    report_failure(step_of(context_), item, std::move(error), report_);
  }

  void take(actors::AttemptResult& result) {
    report_.took_us += result.took_us;
    take_note(result, report_.notes);
    if (!result.ok) {
      auto error = error_from_json(Json::parse(result.text, nullptr, false));
      report_.given_back |= error.code == Code::given_back;
      return fail_item(result.item, std::move(error));
    }
    take_response(result.item, lang::JsonText{std::move(result.text)}, std::nullopt);  // checked by its executor, or where its link ended
  }

  /// A child chain's answer, which is stored already.
  void take(ItemIndex item, const engine::Payload& response) {
    auto text = read_payload(context_.reads, response);
    if (!text) return fail_item(item, std::move(text.error()));
    take_response(item, std::move(*text), response);
  }

  [[nodiscard]] bool empty() const { return report_.report.items.empty(); }
  [[nodiscard]] actors::StepReport finish() && {
    report_.blobs = records_.take();
    report_.item_bytes = order_.item_bytes;
    return std::move(report_);
  }

 private:
  /// Whoever gave it: shaped, checked against the declaration, and recorded.
  void take_response(ItemIndex item, lang::JsonText response, std::optional<engine::Payload> stored) {
    const auto& step = step_of(context_);
    auto answered = evaluate(std::move(response));
    if (!answered) return fail_item(item, std::move(answered.error()));
    const bool shaped = step.shape && !step.each;
    auto payload = stored && !shaped ? std::move(*stored) : records_.write(std::move(answered->response.text));
    order_.open.erase(item);
    report_response(step, item, std::move(payload), std::move(*answered), report_);
  }

  Result<Answered> evaluate(lang::JsonText response) {
    static const engine::ChainState kUnseen;  // of an order whose evaluations look at nothing but the response
    const auto& state = order_.state ? *order_.state : kUnseen;
    if (!sources_) sources_.emplace(sources_of(context_));
    ChainScope scope{*sources_, context_.chain, *context_.program, state};
    return evaluate_response(*context_.program, context_.visit.step, scope, std::move(response), records_);
  }

  const StepContext& context_;
  std::optional<Sources> sources_;  // the same time for all that one report brings
  StepState::Order& order_;
  Records records_;
  actors::StepReport report_;
};

void send_report(StepSelf self, const StepContext& context, ReportBuilder&& builder) {
  if (ends_unread(self, context) || builder.empty()) return;
  auto report = std::move(builder).finish();
  const auto order = self->state.orders.find(report.report.grant);
  if (order != self->state.orders.end() && order->second.open.empty()) self->state.orders.erase(order);
  self->send(context.coordinator, std::move(report));
}

IndexSet items_of(const actors::WorkReport& work) {
  IndexSet items;
  for (const auto& result : work.results) items.insert(result.item);
  return items;
}

/// Nobody waits for this report any more. It is answered all the same, once everything before it is durable.
void pass_on(StepSelf self, const StepContext& context, const actors::WorkReport& work, const caf::actor& from) {
  if (!from) return;
  actors::StepReport nothing;
  nothing.report.grant = work.grant;
  nothing.report.incarnation = work.incarnation;
  nothing.visit = context.visit;
  nothing.from = from;
  nothing.heard = items_of(work);
  self->send(context.coordinator, std::move(nothing));
}

// ---- carrying out ---------------------------------------------------------------------------------------------------

Attempt attempt_of(const actors::RunGrant& run, ItemIndex item) {
  const auto known = std::ranges::lower_bound(run.attempts, item, {}, &std::pair<ItemIndex, Attempt>::first);
  return known != run.attempts.end() && known->first == item ? known->second : 1;
}

void send_to_worker(StepSelf self, const StepContext& context, const actors::RunGrant& run, const lang::ToolCall& call) {
  const auto& step = step_of(context);
  actors::WorkOrder order;
  order.chain = context.chain.value;
  order.grant = run.grant;
  order.incarnation = run.incarnation;
  order.tool = call.name;
  order.kind = call.endpoint.kind;
  order.target = call.endpoint.target;
  order.args = lang::described_arguments(call.endpoint, step.arguments, step.responses);
  order.program = lang::pinned_content(*context.package, call.endpoint);
  order.bundle = places_in_bundle(*context.package, call.endpoint);
  order.timeout_ms = run.timeout.count();
  order.heartbeat_ms = step.heartbeat_timeout.count();
  order.age_ms = run.age_ms;
  order.step = step.id;
  order.visit = context.visit.visit;
  put_trace(context, run, order);
  order.file_arguments = file_names(step.arguments);
  order.file_responses = file_names(step.responses);
  order.attempts.reserve(run.items.size());
  const auto surrounded = put_surroundings(self->state, context, order);
  auto& kept = self->state.orders[run.grant];
  ReportBuilder refused{self, context, run.grant, kept};
  std::uint64_t bytes = 0;
  run.items.for_each([&](ItemIndex item) {
    if (!surrounded) return refused.fail_item(item, surrounded.error());
    // Of items that were sent before a restart none is left behind now: there is only less before each.
    if (bytes >= context.services->settings.order_bytes_max) return refused.fail_item(item, make_error(Code::given_back, "the order was full"));
    auto arguments = arguments_of(self->state, context, item);
    if (!arguments) return refused.fail_item(item, std::move(arguments.error()));
    auto resume_from = resume_point(context, run, item);
    if (!resume_from) return refused.fail_item(item, std::move(resume_from.error()));
    bytes += arguments->text.size() + resume_from->size();
    auto key = attempt_key(task_key(context.chain, step, context.visit, item), context.removals_before);
    order.attempts.push_back({std::move(key), item, attempt_of(run, item), std::move(arguments->text), std::move(*resume_from)});
  });
  if (ends_unread(self, context)) return;
  if (!order.attempts.empty()) {
    kept.item_bytes = bytes / order.attempts.size();
    self->send(run.node, std::move(order));
  }
  send_report(self, context, std::move(refused));
}

/// Why a child chain cannot be started at all.
std::optional<Error> no_child(const StepContext& context, actors::Berth berth) {
  if (context.depth + 1 > limits::kCompositeDepthMax) {
    return make_error(Code::depth_exceeded, fmt::format("composites nest deeper than {}", limits::kCompositeDepthMax));
  }
  if (berth != actors::Berth::refused) return std::nullopt;
  return make_error(Code::family_limit,
                    fmt::format("the submitted chain has {} live descendants (chains.family_max), and all of them wait to start another",
                                context.services->settings.family_max));
}

void give_berths_back(StepSelf self, const StepContext& context, actors::Berth berth, std::uint32_t unused) {
  if (berth != actors::Berth::refused && unused > 0) self->send(context.services->supervisor, actors::BerthsBack{context.chain, unused});
}

/// A timer that is out keeps what is left of an actor, and a step may end long before its timeout: none is out for long.
void wait_for_children(StepSelf self, const StepContext& context, const actors::ChildrenDue& due) {
  const Millis most{context.services->settings.timer_ms_max};
  auto wait = std::chrono::ceil<Millis>(due.at - self->clock().now());
  if (most.count() > 0) wait = std::min(wait, most);
  self->delayed_send(self, wait, due);
}

void start_children(StepSelf self, const StepContext& context, const actors::RunGrant& run, const lang::ProgramCall& call) {
  auto& order = self->state.orders[run.grant];
  const auto& step = step_of(context);
  const auto impossible = no_child(context, run.berth);
  ReportBuilder refused{self, context, run.grant, order};
  const auto trace = chain_trace(context.chain, run.trace);
  std::uint32_t unused = 0;
  run.items.for_each([&](ItemIndex item) {
    auto arguments = impossible ? Result<lang::JsonText>{fail(*impossible)} : arguments_of(self->state, context, item);
    if (!arguments) {
      ++unused;
      return refused.fail_item(item, std::move(arguments.error()));
    }
    actors::Submission child;
    child.chain = ChainId{task_key(context.chain, step, context.visit, item)};
    child.package = context.package;
    child.definition = call.definition;
    child.arguments = engine::inline_payload(std::move(arguments->text));
    child.context = context.context;
    child.labels = context.labels;
    child.trace = trace_of_child({context.chain, *context.package, step, context.visit, trace, run.trace.context}, item, attempt_of(run, item));
    child.directory = context.directory;
    child.durability = context.durability;
    child.parent = context.chain;
    child.depth = context.depth + 1;
    child.for_grant = run.grant;
    child.only_failed = context.only_failed;
    child.priority = run.priority;
    child.berth = run.berth;
    order.children.emplace(child.chain, item);
    self->send(context.services->supervisor, std::move(child));
  });
  if (ends_unread(self, context)) return;
  give_berths_back(self, context, run.berth, unused);
  if (run.timeout.count() > 0) wait_for_children(self, context, {run.grant, self->clock().now() + run.timeout, run.timeout});
  send_report(self, context, std::move(refused));
}

constexpr const char* kStopped = "the chain that started it stopped it";

/// The children of a grant that is to be stopped: those that this coordinator never started are not; those of an earlier one end where they
/// are, in memory or in the store.
void end_children(StepSelf self, const StepContext& context, const actors::RunGrant& run, bool now) {
  auto& order = self->state.orders[run.grant];
  order = {run.incarnation, nullptr, nullptr, {}, run.items, 0, true};
  ReportBuilder never{self, context, run.grant, order};
  run.items.for_each([&](ItemIndex item) {
    if (run.berth != actors::Berth::earlier) return never.fail_item(item, make_error(Code::cancelled, kStopped));
    const ChainId child{task_key(context.chain, step_of(context), context.visit, item)};
    order.children.emplace(child, item);
    self->send(context.services->supervisor, actors::CancelChild{child, context.chain, kStopped, now});
  });
  give_berths_back(self, context, run.berth, run.items.size());
  send_report(self, context, std::move(never));
}

/// The attempts of a grant took too long: their chains are cancelled, and count as failed now.
void time_out_children(StepSelf self, const StepContext& context, const actors::ChildrenDue& due) {
  const auto order = self->state.orders.find(due.grant);
  if (order == self->state.orders.end() || order->second.children.empty()) return;
  const auto children = std::exchange(order->second.children, {});
  ReportBuilder builder{self, context, due.grant, order->second};
  const auto message = fmt::format("'{}' took longer than its timeout of {}", tool_name(step_of(context)), to_string(due.time));
  for (const auto& [child, item] : children) {
    self->send(context.services->supervisor, actors::CancelChild{child, context.chain, message});
    self->send(context.services->supervisor, actors::StopAwaiting{child});
    builder.fail_item(item, make_error(Code::tool_timeout, message));
  }
  send_report(self, context, std::move(builder));
}

void look_at_children(StepSelf self, const StepContext& context, const actors::ChildrenDue& due) {
  if (due.at <= self->clock().now()) return time_out_children(self, context, due);
  const auto order = self->state.orders.find(due.grant);
  if (order != self->state.orders.end() && !order->second.children.empty()) wait_for_children(self, context, due);
}

/// A child chain ended, or could not begin.
void take_child(StepSelf self, const StepContext& context, const ChainId& child, const engine::Payload* response, const Error* error) {
  for (auto& [grant, order] : self->state.orders) {
    const auto found = order.children.find(child);
    if (found == order.children.end()) continue;
    ReportBuilder builder{self, context, grant, order};
    if (response != nullptr) {
      builder.take(found->second, *response);
    } else {
      builder.fail_item(found->second, child_error(step_of(context), child, *error));
    }
    order.children.erase(found);
    return send_report(self, context, std::move(builder));
  }
}

void stop_order(StepSelf self, const StepContext& context, const actors::StopGrant& stop) {
  const auto grant = stop.grant;
  const auto order = self->state.orders.find(grant);
  if (order == self->state.orders.end()) return;
  if (order->second.node) {
    self->send(order->second.node, actors::StopOrder{context.chain.value, grant});
    return;
  }
  if (std::exchange(order->second.ending, true) && !stop.now) return;
  for (const auto& [child, item] : order->second.children) {
    self->send(context.services->supervisor, actors::CancelChild{child, context.chain, kStopped, stop.now});
  }
}

// ---- evaluation -----------------------------------------------------------------------------------------------------

/// Evaluated once: functions that read the time or files would not give the same again.
actors::StepEvaluated evaluated(StepSelf self, StepContext& context, const engine::ChainState& state) {
  if (self->state.answer) return *self->state.answer;
  const ChainScope scope{sources_of(context), context.chain, *context.program, state};
  actors::StepEvaluated answer;
  Records records{[&](Records::Batch batch) { answer.ahead.push_back(std::move(batch)); }, context.services->holds};
  answer.evaluated = evaluate_step(*context.program, context.chain, context.visit, scope, records);
  answer.records = records.take();
  if (const auto* begin = std::get_if<engine::Begin>(&answer.evaluated.outcome)) context.arguments = begin->arguments;
  if (const auto* expand = std::get_if<engine::Expand>(&answer.evaluated.outcome)) context.arguments = expand->arguments;
  self->state.answer = answer;
  return answer;
}

}  // namespace

std::string attempt_key(std::string task_key, std::uint64_t removals_before) {
  return removals_before == 0 ? task_key : fmt::format("{}~{}", task_key, removals_before);
}

std::string visit_key(const ChainId& chain, const lang::Step& step, VisitId visit) {
  constexpr std::size_t kNumbersMax = 24;
  std::string key;
  key.reserve(chain.value.size() + step.id.size() + kNumbersMax);
  key.append(chain.value).append(1, '/').append(step.id);
  if (visit.visit > 1) key.append(1, '@').append(std::to_string(visit.visit));
  return key;
}

std::string task_key(const ChainId& chain, const lang::Step& step, VisitId visit, ItemIndex item) {
  auto key = visit_key(chain, step, visit);
  if (step.each) key.append(1, '/').append(std::to_string(item));
  return key;
}

caf::behavior step_actor(caf::stateful_actor<StepState>* self, StepContext born) {
  self->state.context = std::make_shared<StepContext>(std::move(born));
  auto* const context = self->state.context.get();  // a handler has a pointer: there are many, in each of many steps
  return {
      [=](const actors::EvaluateStep& evaluate) {
        auto answer = evaluated(self, *context, *evaluate.state);
        if (!ends_unread(self, *context)) self->send(context->coordinator, std::move(answer));
      },
      [=](const actors::ShapeStep& shape) {
        ChainScope scope{sources_of(*context), context->chain, *context->program, *shape.state};
        Records records{spill_to_journal(self, *context), context->services->holds};
        actors::StepShaped answer{evaluate_shape(*context->program, context->visit, scope, records), {}};
        answer.records = records.take();
        if (!ends_unread(self, *context)) self->send(context->coordinator, std::move(answer));
      },
      [=](const actors::RunGrant& run) {
        self->state.answer.reset();
        self->state.orders[run.grant] = {run.incarnation, run.node, run.state, {}, run.items, 0, false};
        const auto& call = step_of(*context).call;
        if (const auto* tool = std::get_if<lang::ToolCall>(&call)) return send_to_worker(self, *context, run, *tool);
        start_children(self, *context, run, std::get<lang::ProgramCall>(call));
      },
      [=](const actors::EndChildren& end) { end_children(self, *context, end.run, end.now); },
      [=](const actors::ChildrenDue& due) { look_at_children(self, *context, due); },
      [=](const actors::StopGrant& stop) { stop_order(self, *context, stop); },
      [=](const actors::RecallGrant& recall) {
        const auto order = self->state.orders.find(recall.grant);
        if (order != self->state.orders.end() && order->second.node)
          self->send(order->second.node, actors::GiveBackOrder{context->chain.value, recall.grant});
      },
      [=](actors::WorkReport& work) {
        const auto from = sender_of(*self);
        const auto order = self->state.orders.find(work.grant);
        if (order == self->state.orders.end() || order->second.incarnation != work.incarnation) return pass_on(self, *context, work, from);
        ReportBuilder builder{self, *context, work.grant, order->second};
        builder.heard_from(from, items_of(work));
        builder.expect(work.results.size());
        for (auto& result : work.results) builder.take(result);
        send_report(self, *context, std::move(builder));
      },
      [=](actors::AttemptNotes& said) {
        for (auto& notes : notes_of(self->state, said)) self->send(context->coordinator, std::move(notes));
      },
      [=](const actors::ChainEnded& ended) {
        const bool ok = ended.status == engine::ChainStatus::succeeded;
        const auto error = ended.error.value_or(make_error(Code::child_failed, "the chain failed"));
        take_child(self, *context, ended.chain, ok ? &ended.response : nullptr, &error);
      },
      [=](const actors::Refused& refused) {
        if (refused.error.code == Code::storage_io) return self->quit(unread(refused.error));  // what is stored of the child is not known
        take_child(self, *context, refused.chain, nullptr, &refused.error);
      },
      [=](const actors::Accepted&) {},
  };
}

}  // namespace catena::coordinator
