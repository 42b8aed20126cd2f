#include "coordinator/chain_coordinator.hpp"

#include <fmt/format.h>
#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/overloads.hpp"
#include "coordinator/amending.hpp"
#include "coordinator/approval_index.hpp"
#include "coordinator/approving.hpp"
#include "coordinator/control_checks.hpp"
#include "coordinator/families.hpp"
#include "coordinator/feed.hpp"
#include "coordinator/measuring.hpp"
#include "coordinator/notifying.hpp"
#include "coordinator/signalling.hpp"
#include "coordinator/submission_checks.hpp"
#include "coordinator/substitution.hpp"
#include "engine/chain_time.hpp"
#include "storage/chain_store.hpp"

namespace catena::coordinator {
ChainShell::ChainShell(caf::event_based_actor* self, ChainContext context)
    : self_{self},
      services_{std::move(context.services)},
      chain_{std::move(context.chain)},
      package_{std::move(context.package)},
      prepared_{engine::prepare(package_->programs.at(context.definition), chain_)},
      state_{std::move(context.state)},
      lead_{context.lead ? *context.lead : engine::lead(state_.last_at, services_->clock->now())},
      checkpointed_{context.checkpointed},
      tickets_{services_->settings},
      priority_{state_.priority.value_or(context.listed ? context.listed->priority : context.priority)},
      durability_{context.listed ? context.listed->durability : context.durability},
      has_slept_{context.lead.has_value()},
      held_at_birth_{context.held},
      grants_after_{first_grant_after(*services_, durability_)} {
  if (auto& listed = context.listed) {
    indexed_ = std::move(listed->as);
    settled_listed_ = listed->settled;
    strikes_ = listed->strikes;
    set_webhooks(std::move(listed->webhooks));
  }
  needs_.reserve(prepared_.program->steps.size());
  for (const auto& step : prepared_.program->steps) {
    const auto* tool = std::get_if<lang::ToolCall>(&step.call);
    const auto content = tool != nullptr ? lang::pinned_content(*package_, tool->endpoint) : std::string{};
    needs_.push_back(std::make_shared<const engine::Need>(engine::need_of(step, content)));
  }
}

void ChainShell::start(const actors::Submission& submission, caf::actor asker) {
  priority_ = submission.priority;
  set_webhooks(submission.notify);
  begin_turn();
  const auto removals_before = services_->removals->of(*services_->kv);
  auto written = removals_before ? write_package(submission.programs) : fail(removals_before.error());
  if (!written) {  // nothing of the chain is there: its id is free again
    self_->send(asker, actors::Refused{chain_, std::move(written).error()});
    return self_->quit();
  }
  engine::Start start;
  start.package = package_->hash;
  start.definition = submission.definition;
  start.arguments = submission.arguments;
  start.context = submission.context;
  start.directory = submission.directory;
  start.removals_before = *removals_before;
  start.labels = submission.labels;
  start.trace = submission.trace;
  start.deadline_at = submission.deadline.of_begin(now());
  start.parent = submission.parent;
  start.depth = submission.depth;
  start.for_grant = submission.for_grant;
  if (!submission.arguments.in_blob()) {
    auto records = new_records();
    start.arguments = records.write(submission.arguments.text);
    records.append_to(*batch_);
  }
  if (const auto& block = prepared_.program->block; block && block->branches) start.entry = branch_of(submission.arguments);
  accepted_.push_back(std::move(asker));
  auto begins = at_now(std::move(start));
  if (submission.keyed) {
    auto keyed = *submission.keyed;
    keyed.started_at = begins.at;
    storage::put_submission(*batch_, submission.key, keyed);
  }
  if (held_at_birth_.value_or(false)) {  // nothing of it is evaluated before it goes on
    static_cast<void>(apply(begins, nullptr));
    static_cast<void>(apply(at_now(engine::Pause{.above = true}), nullptr));
    sort_effects(engine::outstanding(prepared_, state_));
  } else {
    next_.push_back(std::move(begins));
  }
  end_turn();
}

void ChainShell::resume(std::optional<FirstControl> first, bool was_due, bool noted) {
  if (auto loaded = noted ? notes_.load(*services_->kv, chain_, state_) : Result<void>{}; !loaded) {
    if (first) self_->send(first->asker, actors::Refused{chain_, loaded.error()});
    return self_->quit(unread(loaded.error()));
  }
  begin_turn();
  claim_or_lose_grants();
  if (first && first->control.package) {
    if (auto written = write_package(first->control.programs); !written) {  // it stays as it was
      self_->send(first->asker, actors::Refused{chain_, std::move(written).error()});
      return self_->quit();
    }
  }
  if (first) {
    if (auto pushed = push_control(first->control); !pushed) {
      self_->send(first->asker, actors::Refused{chain_, std::move(pushed).error()});
      return self_->quit();
    }
    accepted_.push_back(std::move(first->asker));
  }
  if (was_due) accepted_.push_back(services_->supervisor);
  // What the chain above said meanwhile may have died with the coordinator before this one.
  if (held_at_birth_ && *held_at_birth_) next_.push_back(at_now(engine::Pause{.above = true}));
  if (held_at_birth_ && !*held_at_birth_) next_.push_back(at_now(engine::Unpause{.above = true}));
  // What is outstanding afterwards covers the effects.
  while (!next_.empty()) static_cast<void>(apply(take_next(), nullptr));
  auto effects = engine::outstanding(prepared_, state_);
  std::erase_if(effects, [this](const engine::Effect& effect) {  // Claimed releases them
    const auto* run = std::get_if<engine::Run>(&effect);
    return run != nullptr && unclaimed_.contains(run->grant);
  });
  sort_effects(effects);
  // The summary of a chain that was set aside says so until somebody goes on with it.
  summary_due_ |= indexed_->status != name(state_.status);
  end_turn();
}

void ChainShell::take(engine::Input input) {
  begin_turn();
  next_.push_back(std::move(input));
  end_turn();
}

void ChainShell::on_evaluated(const actors::StepEvaluated& answer) {
  begin_turn();
  const auto before = state_.seq;
  decide(at_now(answer.evaluated), nullptr);
  if (state_.seq != before) {  // it was still wanted
    for (const auto& batch : answer.ahead) self_->send(services_->journal, spilled(batch, durability_));
    if (answer.records) batch_->append(*answer.records);
  }
  end_turn();
}

void ChainShell::on_shaped(const actors::StepShaped& answer) {
  begin_turn();
  if (answer.records) batch_->append(*answer.records);
  next_.push_back(at_now(answer.shaped));
  end_turn();
}

void ChainShell::on_report(const actors::StepReport& report) {
  begin_turn();
  learn(report);
  if (report.blobs) batch_->append(*report.blobs);
  write_notes(*batch_, report.report.grant, report.report.incarnation, report.notes);
  if (report.from) heard_.push_back({report.from, report.report.grant, report.heard});
  if (!report.report.items.empty()) decide(at_now(report.report), &report);
  if (std::holds_alternative<lang::ProgramCall>(step_of(report.visit).call)) children().changed = true;
  reuse_ticket_of(report.report.grant);
  end_turn();
}

void ChainShell::on_control(const actors::Control& control, caf::actor asker) {
  if (const auto fits = check_control(state_, control); !fits) return self_->send(asker, actors::Refused{chain_, fits.error()});
  if (engine::terminal(state_.status)) return self_->send(asker, actors::Refused{chain_, just_ending(chain_)});
  if (control.only_check) {
    if (auto fits = check_in_detail(control, *package_, {chain_, prepared_, state_, sources()}); !fits)
      return self_->send(asker, actors::Refused{chain_, std::move(fits).error()});
    return self_->send(asker, actors::Accepted{chain_});
  }
  begin_turn();
  if (auto pushed = push_control(control); !pushed) {
    self_->send(asker, actors::Refused{chain_, std::move(pushed).error()});
  } else {
    accepted_.push_back(std::move(asker));
  }
  end_turn();
}

Result<void> ChainShell::push_control(const actors::Control& control) {
  auto input = std::visit([this](const auto& what) { return at_now(what); }, control.what);
  if (auto in_time = check_in_time(state_, control, input.at); !in_time && !knows_approval(state_, *prepared_.program, control)) return in_time;
  if (auto* pause = std::get_if<engine::Pause>(&input.what)) pause->reason = control.reason;
  if (auto* unpause = std::get_if<engine::Unpause>(&input.what)) unpause->reason = control.reason;
  if (auto* retry = std::get_if<engine::Retry>(&input.what); retry != nullptr && !engine::terminal(state_.status)) {
    auto meant = retry_of(control, {chain_, state_, *package_, *services_->kv, input.at});
    if (!meant) return fail(std::move(meant).error());
    *retry = std::move(*meant);
  }
  if (auto* given = std::get_if<engine::Substitute>(&input.what)) {
    auto records = new_records();
    auto prepared = substitute_of(control, {chain_, prepared_, state_, sources()}, records);
    if (!prepared) return fail(std::move(prepared).error());
    *given = std::move(*prepared);
    records.append_to(*batch_);
  }
  if (auto* amend = std::get_if<engine::Amend>(&input.what)) {
    auto meant = amend_of(control, chain_, *prepared_.program, state_);
    if (!meant) return fail(std::move(meant).error());
    *amend = std::move(*meant);
  }
  if (auto* signal = std::get_if<engine::Signal>(&input.what)) {
    auto meant = signal_of(control, *package_, *prepared_.program, state_);
    if (!meant) return fail(std::move(meant).error());
    *signal = std::move(*meant);
  }
  if (auto* approval = std::get_if<engine::Approval>(&input.what)) {
    auto records = new_records();
    auto meant = approval_of(control, {chain_, prepared_, state_, sources()}, records);
    if (!meant) return fail(std::move(meant).error());
    *approval = std::move(*meant);
    records.append_to(*batch_);
  }
  if (auto* resolve = std::get_if<engine::Resolve>(&input.what)) {
    resolve->reason = control.reason;
    if (auto* response = std::get_if<engine::Payload>(&resolve->outcome); response != nullptr && !response->in_blob()) {
      auto records = new_records();
      *response = records.write(std::move(response->text));
      records.append_to(*batch_);
    }
  }
  next_.push_back(std::move(input));
  return {};
}

void ChainShell::begin_turn() {
  stay_awake();
  computed_ = 0;
  computed_below_ = 0;
  is_full_ = false;
  batch_ = std::make_shared<storage::Batch>();
}

/// One input: its events go to the batch, its effects where they belong.
void ChainShell::decide(const engine::Input& input, const actors::StepReport* report) { sort_effects(apply(input, report)); }

engine::Effects ChainShell::apply(const engine::Input& input, const actors::StepReport* report) {
  const auto status = state_.status;
  auto decision = engine::decide(prepared_, state_, input);
  const auto* retry = std::get_if<engine::Retry>(&input.what);
  const bool retried = retry != nullptr && std::ranges::any_of(decision.events, [](const engine::Event& event) {
                         return std::holds_alternative<engine::RetryRequested>(event);
                       });
  for (auto& event : decision.events) record(std::move(event));
  if (report != nullptr) {
    write_accepted(decision.accepted, *report);
  } else if (!decision.accepted.empty()) {
    write_said(input, decision.accepted);
  }
  if (retried) remove_results(*retry);
  summary_due_ |= status != state_.status;
  return std::move(decision.effects);
}

void ChainShell::record(engine::Event event) {
  count_event(*services_->metrics, event, state_, chain_);
  if (const auto* settled = std::get_if<engine::VisitSettled>(&event)) {
    settled_.push_back(settled->visit);
    forget_tail(settled->visit);
    if (children_) children_->rounds.erase(settled->visit);
  }
  if (const auto* expanded = std::get_if<engine::ItemsExpanded>(&event); expanded != nullptr && composes(expanded->visit))
    children().unreadable[expanded->visit] = last_commit_ + 1;
  if (const auto* opened = std::get_if<engine::RetryRequested>(&event)) dismiss_opened(*opened);
  if (const auto* answered = std::get_if<engine::ApprovalAnswered>(&event)) take_answer(*answered);
  notes_.follow(*batch_, chain_, event);
  list_approvals(*batch_, event, chain_, *prepared_.program, state_);
  const auto* amended = std::get_if<engine::Amended>(&event);
  summary_due_ |= amended != nullptr && amended->deadline_at;
  if (amended != nullptr && amended->priority) {
    ask_anew();
    if (prepared_.composes)
      amended_ = std::make_unique<engine::Amend>(engine::Amend{.priority = amended->priority, .reason = amended->reason, .by = amended->by});
  }
  events_.push_back(std::move(event));
}

/// What one turn decided is one record. The notices that it is worth are for whoever commits it.
std::vector<storage::Notice> ChainShell::write_events() {
  std::vector<storage::Notice> notices;
  if (events_.empty()) return notices;
  const auto events = std::exchange(events_, {});  // a chain that waits holds no memory for them
  storage::append_events(*batch_, chain_, state_.seq, static_cast<std::uint32_t>(events.size()), engine::encode(events));
  const bool fed = services_->settings.feed_keep != 0;
  if (!fed && !webhooks_ && services_->settings.webhooks.empty()) return notices;
  for (const auto& event : events) {
    auto notice = notice_of(event, state_, chain_, *prepared_.program);
    if (!notice) continue;
    if (webhooks_ || !services_->settings.webhooks.empty()) write_deliveries(*notice);
    if (fed) notices.push_back(std::move(*notice));
  }
  return notices;
}

/// In one batch with the event: there is none without the other.
void ChainShell::write_deliveries(const storage::Notice& notice) {
  static const std::vector<Webhook> kNone;
  const Notified of{chain_, webhooks_ ? webhooks_->own : kNone, services_->settings.webhooks, state_, *prepared_.program};
  for (auto& delivery : deliveries_of(notice, of)) {
    storage::put_delivery(*batch_, delivery.record);
    storage::put_delivery_body(*batch_, delivery.record.id, delivery.body);
    webhooks().deliveries.push_back(std::move(delivery.record.id));
  }
}

/// Most chains have none.
ChainShell::Webhooks& ChainShell::webhooks() {
  if (!webhooks_) webhooks_ = std::make_unique<Webhooks>();
  return *webhooks_;
}

void ChainShell::set_webhooks(std::vector<Webhook> own) {
  if (!own.empty()) webhooks().own = std::move(own);
}

/// That pauses are over follows from the time: nothing is lost when nobody wrote it down. So it is written with what comes of it.
bool ChainShell::can_wait() const {
  const bool nothing_else = batch_->empty() && after_durable_.empty() && accepted_.empty() && heard_.empty() && !summary_due_;
  return nothing_else && std::ranges::all_of(events_, [](const auto& event) { return std::holds_alternative<engine::RetryReleased>(event); });
}

/// Questions of the coordinator to itself are answered in this turn; what reaches outside waits for the disk.
void ChainShell::sort_effects(const engine::Effects& effects) {
  for (const auto& effect : effects) {
    const bool done =
        std::visit(Overloads{
                       [&](const engine::Demand& demand) {
                         demanding_.insert(demand.visit);
                         return true;
                       },
                       [&](const engine::Wake& due) {
                         wake(due.due);
                         return true;
                       },
                       [&](const engine::Evaluate& evaluate) { return evaluate_now(evaluate); },
                       [&](const engine::EvaluateOutputs&) {
                         if (outputs_read_store(*prepared_.program, state_)) return false;
                         evaluate_outputs();
                         return true;
                       },
                       [&](const engine::UseSignal& use) {
                         if (response_reads_store(*prepared_.program, state_, use.visit.step)) return false;
                         use_signal(use);
                         return true;
                       },
                       [](const OneOf<engine::Shape, engine::Run, engine::Stop, engine::Announce, engine::HoldChildren> auto&) { return false; },
                   },
                   effect);
    if (!done) after_durable_.push_back(effect);
  }
}

engine::Input ChainShell::take_next() {
  auto input = std::move(next_.front());
  next_.erase(next_.begin());
  if (next_.empty()) std::vector<engine::Input>{}.swap(next_);
  return input;
}

void ChainShell::end_turn() {
  do {
    while (!next_.empty()) decide(take_next(), nullptr);
    offer_tickets();
  } while (!next_.empty());
  ask_for_tickets();
  ask_for_berths();
  return_tickets();
  if (can_wait()) return dismiss_idle_steps();
  auto notices = write_events();
  if (children_) std::ranges::move(std::exchange(children_->notices, {}), std::back_inserter(notices));
  update_summary();
  checkpoint();
  dismiss_idle_steps();
  commit(std::move(notices));
  go_on_soon();
}

/// Once a turn, and not for items: a list shows status and settled steps.
void ChainShell::update_summary() {
  const auto settled = static_cast<std::uint32_t>(state_.steps.size()) - state_.unsettled;
  if (!std::exchange(summary_due_, false) && settled == settled_listed_) return;
  settled_listed_ = settled;
  auto summary = summary_of(chain_, prepared_.program->name, state_, durability_, priority_);
  if (webhooks_) note_webhooks(summary, webhooks_->own);
  if (indexed_ && indexed_->status == summary.status && strikes_) {
    note_strikes(summary, *strikes_);
  } else {
    strikes_.reset();
  }
  // Whoever waits for a short chain asks at once; for one that has slept nobody has asked for a while, and for one with a parent that one does.
  if (engine::terminal(state_.status) && services_->ended_states && !has_slept_ && state_.parent.empty())
    summary_at_end_ = std::make_unique<storage::ChainSummary>(summary);
  // The id was checked when the chain was submitted: the only refusal there is.
  if (storage::put_summary(*batch_, summary, indexed_))
    indexed_ = storage::IndexedAs{std::move(summary.status), summary.started_at, std::move(summary.name)};
}

void ChainShell::checkpoint() {
  if (!checkpoint_due(services_->settings, state_, checkpointed_)) return;
  storage::put_checkpoint(*batch_, chain_, engine::encode(state_));
  checkpointed_ = state_.seq;
}

void ChainShell::commit(std::vector<storage::Notice> notices) {
  if (batch_->empty() && after_durable_.empty() && accepted_.empty() && heard_.empty()) return;
  held_.push_back({++last_commit_, std::move(after_durable_), std::move(accepted_), std::move(heard_), {}, nullptr});
  if (webhooks_) held_.back().deliveries = std::exchange(webhooks_->deliveries, {});
  held_.back().amended = std::exchange(amended_, nullptr);
  after_durable_.clear();
  accepted_.clear();
  heard_.clear();
  const auto durability = batch_->empty() ? storage::Durability::none : durability_;
  self_->send(services_->journal, actors::Commit{std::move(batch_), durability, last_commit_, false, std::move(notices)});
}

caf::behavior chain_coordinator(caf::stateful_actor<ChainCoordinatorState>* self, ChainContext context) {
  const bool recovered = context.listed.has_value();
  auto first = std::move(context.first);
  const bool was_due = context.was_due;
  const bool noted = context.noted;
  const auto fork = std::exchange(context.fork, std::nullopt);
  self->state.shell = std::make_unique<ChainShell>(self, std::move(context));
  auto* shell = self->state.shell.get();
  self->set_down_handler([=](const caf::down_msg& down) {
    // A step actor that nobody dismissed died of a defect, with what it had to do: the supervisor rebuilds all of the chain.
    if (down.reason != caf::exit_reason::user_shutdown) self->quit(down.reason);
  });
  self->set_exit_handler([=](const caf::exit_msg& exit) {
    if (!exit.reason) return;
    shell->dismiss_steps();  // a step actor with a timer would live, and keep the process, until that is due
    self->quit(exit.reason);
  });
  if (recovered) shell->resume(std::move(first), was_due, noted);
  if (fork && !shell->begin_fork(*fork)) return {};
  return {
      [=](const actors::Submission& submission, const caf::actor& asker) { shell->start(submission, asker); },
      [=](const actors::Durable& durable) { shell->on_durable(durable.commit); },
      [=](const actors::StepEvaluated& answer) { shell->on_evaluated(answer); },
      [=](const actors::StepShaped& answer) { shell->on_shaped(answer); },
      [=](const actors::StepReport& report) { shell->on_report(report); },
      [=](const actors::StepNotes& said) { shell->on_notes(said); },
      [=](const actors::Ticket& ticket) { shell->on_ticket(ticket); },
      [=](const actors::Claimed& claimed) { shell->on_claimed(claimed); },
      [=](const actors::NodeGone& gone) { shell->on_node_gone(gone); },
      [=](const actors::Room& room) { shell->on_room(room); },
      [=](const actors::TailDue& due) { shell->on_tail_due(due.due); },
      [=](const actors::BerthsGiven& given) { shell->on_berths(given); },
      [=](const actors::BerthRefused& refused) { shell->on_refusal(refused.visit); },
      [=](const actors::Unplaceable& unplaceable) { shell->on_unplaceable(unplaceable); },
      [=](const actors::WakeUp& wake) { shell->on_wake(wake.due); },
      [=](const actors::Control& control, const caf::actor& asker) { shell->on_control(control, asker); },
      [=](const actors::AskProgress&, const caf::actor& asker) {
        shell->stay_awake();
        self->send(asker, shell->progress());
      },
      [=](const actors::AskExplain& ask, const caf::actor& asker) {
        shell->stay_awake();
        shell->explain(ask, asker);
      },
      [=](const actors::AskIdle&) {
        if (auto idle = shell->idle()) self->send(shell->supervisor(), std::move(*idle));
      },
      [=](const actors::FallAsleep&) {
        if (!shell->may_sleep()) return self->send(shell->supervisor(), actors::StaysAwake{shell->chain()});
        shell->dismiss_steps();
        self->quit();
      },
      [=](const actors::ChainForgotten&) { self->quit(); },
  };
}

}  // namespace catena::coordinator
