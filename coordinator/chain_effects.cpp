// What a chain coordinator does with effects.
#include <algorithm>
#include <caf/actor_cast.hpp>
#include <caf/event_based_actor.hpp>
#include <chrono>
#include <utility>
#include <vector>

#include "actors/run_queue.hpp"
#include "base/overloads.hpp"
#include "coordinator/chain_coordinator.hpp"
#include "coordinator/ended_states.hpp"
#include "coordinator/evaluation.hpp"
#include "coordinator/step_actor.hpp"
#include "coordinator/watched_reads.hpp"
#include "engine/signals.hpp"
#include "lang/program/step_traits.hpp"

namespace catena::coordinator {
namespace {

constexpr std::size_t kDismissedTogether = 64;

}  // namespace

// ---- evaluation -----------------------------------------------------------------------------------------------------

/// False when the step's expressions read the store: then what they read has to be durable first, and a step actor does it.
bool ChainShell::evaluate_now(const engine::Evaluate& evaluate) {
  if (reads_store(*prepared_.program, state_, evaluate.visit.step)) return false;
  const ChainScope scope{sources(), chain_, *prepared_.program, state_};
  auto records = new_records();
  next_.push_back(at_now(evaluate_step(*prepared_.program, chain_, evaluate.visit, scope, records)));
  records.append_to(*batch_);
  return true;
}

Records ChainShell::new_records() {
  return Records{[this](Records::Batch batch) { self_->send(services_->journal, spilled(std::move(batch), durability_)); }, services_->holds};
}

void ChainShell::evaluate_outputs() {
  const WatchedReads reads{*services_->kv};
  auto records = new_records();
  const auto* rounds = children_ ? &children_->histories : nullptr;
  auto outputs = coordinator::evaluate_outputs(
      {*package_, *prepared_.program, chain_, state_, {reads, services_->files, services_->clock->now()}, rounds}, records);
  if (reads.failed()) return self_->quit(unread(*reads.failed()));
  next_.push_back(at_now(std::move(outputs)));
  records.append_to(*batch_);
}

/// What was sent becomes the step's response, with the state writes of a step in a sequence.
void ChainShell::use_signal(const engine::UseSignal& use) {
  const auto* kept = engine::kept_signal(state_, use.number);
  if (kept == nullptr) return;
  const WatchedReads reads{*services_->kv};
  auto records = new_records();
  ChainScope scope{{reads, services_->files, services_->clock->now()}, chain_, *prepared_.program, state_};
  auto answered = evaluate_response(*prepared_.program, use.visit.step, scope, lang::JsonText{kept->data.text}, records);
  if (reads.failed()) return self_->quit(unread(*reads.failed()));
  engine::SignalUsed used{use.visit, use.number, engine::Payload{}};
  if (answered) {
    used.outcome = records.write(std::move(answered->response.text));
    used.variables = std::move(answered->variables);
    used.warnings = std::move(answered->warnings);
  } else {
    used.outcome = std::move(answered).error();
  }
  next_.push_back(at_now(std::move(used)));
  records.append_to(*batch_);
}

void ChainShell::wake(UnixMillis due) {
  if (due <= now()) return next_.push_back(at_now(engine::TimerDue{}));
  dues_.insert(due);
  set_alarm();
}

/// One timer is out, for what is due first. Timers of actors stand still while the machine sleeps and the clock does not: it is looked at now and
/// then, however long the wait.
void ChainShell::set_alarm() {
  if (dues_.empty()) return;
  const auto at = now();
  const auto most = services_->settings.timer_ms_max;
  auto sleep = std::max<std::int64_t>(*dues_.begin() - at, 1);
  if (most > 0) sleep = std::min(sleep, most);
  if (alarm_ > at && alarm_ <= at + sleep) return;
  alarm_ = at + sleep;
  self_->delayed_send(self_, std::chrono::milliseconds{sleep}, actors::WakeUp{alarm_});
}

void ChainShell::on_wake(UnixMillis alarm) {
  if (alarm != alarm_) return;  // an earlier one took its place
  alarm_ = 0;
  begin_turn();
  if (const auto over = dues_.upper_bound(now()); over != dues_.begin()) {
    dues_.erase(dues_.begin(), over);
    next_.push_back(at_now(engine::TimerDue{}));
  }
  set_alarm();
  end_turn();
}

// ---- effects that are durable -----------------------------------------------------------------------------------------

void ChainShell::on_durable(actors::CommitNumber commit) {
  while (!held_.empty() && held_.front().commit <= commit) {
    const auto held = std::move(held_.front());
    held_.erase(held_.begin());
    if (held_.empty()) std::vector<Held>{}.swap(held_);
    for (const auto& asker : held.accepted) self_->send(asker, actors::Accepted{chain_});
    if (!held.deliveries.empty() && services_->webhooks) self_->send(services_->webhooks, actors::OutboxGrew{held.deliveries});
    if (held.amended) {
      self_->send(services_->supervisor, actors::HoldChildren{chain_, state_.status == engine::ChainStatus::paused, *held.amended});
    }
    for (const auto& effect : held.effects) release(effect);
    const actors::RunsLater nobody_waits;
    for (const auto& heard : held.heard) self_->send(heard.from, actors::ReportDurable{chain_, heard.grant, heard.items});
  }
  if (children_) std::erase_if(children_->unreadable, [commit](const auto& entry) { return entry.second <= commit; });
  go_on_computing();
}

void ChainShell::release(const engine::Effect& effect) {
  std::visit(Overloads{
                 [&](const engine::Evaluate& evaluate) {
                   self_->send(step_actor_of(evaluate.visit), actors::EvaluateStep{std::make_shared<const engine::ChainState>(state_)});
                 },
                 [&](const engine::EvaluateOutputs&) {
                   begin_turn();
                   evaluate_outputs();
                   end_turn();
                 },
                 [&](const engine::UseSignal& use) {
                   begin_turn();
                   use_signal(use);
                   end_turn();
                 },
                 [&](const engine::Shape& shape) {
                   self_->send(step_actor_of(shape.visit), actors::ShapeStep{std::make_shared<const engine::ChainState>(state_)});
                 },
                 [&](const engine::Run& started) { run(started.grant); }, [&](const engine::Stop& stopped) { stop(stopped); },
                 [&](const engine::Announce&) { announce(); },
                 [&](const engine::HoldChildren& hold) {
                   self_->send(services_->supervisor, actors::HoldChildren{chain_, hold.held, {}});
                 },
                 [](const OneOf<engine::Demand, engine::Wake> auto&) {},  // sort_effects() has dealt with them
             },
             effect);
}

void ChainShell::run(GrantId id) {
  const auto grant = state_.grants.find(id);
  if (grant == state_.grants.end() || unclaimed_.contains(id)) return;
  const auto& visit = grant->second.visit;
  actors::RunGrant order;
  order.grant = id;
  order.worker = grant->second.worker;
  order.incarnation = grant->second.incarnation;
  order.items = grant->second.open;
  if (const auto* ticket = tickets_.send(id, now())) order.node = ticket->node;
  const auto& tries = state_.steps[visit.step].tries;
  if (!tries.empty()) {
    order.items.for_each([&](ItemIndex item) {
      const auto known = tries.find(item);
      if (known != tries.end()) order.attempts.emplace_back(item, known->second.all() + 1);
    });
  }
  order.age_ms = now() - state_.steps[visit.step].entered_at;
  order.trace = {state_.trace.get(), state_.started_at, state_.trace_part};
  const auto& step = step_of(visit);
  const auto& terms = state_.steps[visit.step].terms;
  order.timeout = terms && terms->timeout_ms ? Millis{*terms->timeout_ms} : step.timeout;
  order.priority = priority_;
  order.resumes = notes_.resumable(visit, order.items);
  if (!step.each && (!step.writes.empty() || lang::shape_sees_chain(step))) order.state = std::make_shared<const engine::ChainState>(state_);
  if (std::holds_alternative<lang::ProgramCall>(step.call)) return run_children(std::move(order), grant->second);
  self_->send(step_actor_of(visit), std::move(order));
}

void ChainShell::stop(const engine::Stop& stopped) {
  const auto id = stopped.grant;
  const auto grant = state_.grants.find(id);
  if (grant != state_.grants.end() && !unclaimed_.contains(id)) self_->send(step_actor_of(grant->second.visit), actors::StopGrant{id, stopped.now});
}

void ChainShell::announce() {
  if (const auto summary = std::exchange(summary_at_end_, nullptr)) {
    if (const auto removals = services_->removals->of(*services_->kv))
      services_->ended_states->put(chain_, state_, *summary, checkpointed_, *removals);
  }
  self_->send(services_->supervisor, actors::ChainEnded{chain_, state_.status, state_.response, state_.error});
  dismiss_steps();
}

void ChainShell::dismiss_steps() {
  for (const auto& [visit, actor] : steps_) self_->send_exit(actor, caf::exit_reason::user_shutdown);
  steps_.clear();
}

caf::actor ChainShell::step_actor_of(const VisitId& visit) {
  auto& actor = steps_[visit];
  if (!actor) {
    StepContext context{services_};
    context.coordinator = caf::actor_cast<caf::actor>(self_);
    context.chain = chain_;
    context.depth = state_.depth;
    context.package = package_;
    context.program = prepared_.program;
    context.visit = visit;
    context.arguments = state_.steps[visit.step].arguments;
    context.context = state_.context;
    context.labels = state_.labels;
    context.directory = state_.directory;
    context.removals_before = state_.removals_before;
    context.durability = durability_;
    context.only_failed = state_.only_failed;
    actor = self_->spawn<caf::monitored>(step_actor, std::move(context));
  }
  return actor;
}

/// A step actor lives as long as its visit has something open. They leave in groups: each farewell wakes the scheduler's clock.
void ChainShell::dismiss_idle_steps() {
  if (settled_.size() < kDismissedTogether) return;
  for (const auto& visit : settled_) {
    tickets_.forget_pace(visit);
    const auto actor = steps_.find(visit);
    if (actor == steps_.end()) continue;
    const bool busy = std::ranges::any_of(state_.grants, [&](const auto& grant) { return grant.second.visit == visit; });
    const auto& now = state_.steps[visit.step];
    const bool opened = now.visit == visit.visit && now.status == engine::VisitStatus::running;  // again, by a retry
    if (busy || opened) continue;
    self_->send_exit(actor->second, caf::exit_reason::user_shutdown);
    steps_.erase(actor);
  }
  settled_.clear();
}

/// Whoever worked for a step before a retry opened it again knows what it had come to: another begins with what it is now.
void ChainShell::dismiss_opened(const engine::RetryRequested& retry) {
  if (children_) {
    children_->rounds.clear();
    children_->histories.clear();
    // what ended in a turn that is not durable yet is not seen in the store
    for (const auto& opened : retry.steps) children_->unreadable[{opened.step, state_.steps[opened.step].visit}] = last_commit_;
  }
  for (const auto& opened : retry.steps) {
    const bool busy = std::ranges::any_of(state_.grants, [&](const auto& grant) { return grant.second.visit.step == opened.step; });
    if (busy) continue;
    std::erase_if(steps_, [&](const auto& row) {
      if (row.first.step != opened.step) return false;
      self_->send_exit(row.second, caf::exit_reason::user_shutdown);
      return true;
    });
  }
}

}  // namespace catena::coordinator
