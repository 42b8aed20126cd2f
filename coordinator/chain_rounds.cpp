// What a chain coordinator does with child chains that end in their first turn: it runs them in a turn of its own. They need no berth, as none of
// them lives when the turn is over, and their records are in the batch that has their ends.
#include <fmt/format.h>

#include <algorithm>
#include <caf/event_based_actor.hpp>
#include <utility>

#include "coordinator/chain_coordinator.hpp"
#include "coordinator/computing.hpp"
#include "coordinator/evaluation.hpp"
#include "coordinator/item_results.hpp"
#include "coordinator/order_trace.hpp"
#include "coordinator/step_actor.hpp"
#include "storage/chain_removal.hpp"
#include "storage/chain_summary.hpp"

namespace catena::coordinator {
namespace {

/// Steps of child chains in one turn: what others of this process wait for, and what a crash makes run again.
constexpr std::uint16_t kComputedBelowMax = 256;

}  // namespace

/// A visit whose rounds run now.
struct ChainShell::RoundOf {
  VisitId visit;
  const lang::Step& step;
  Rounds& rounds;
  GrantId grant = 0;
  const WatchedReads& reads;
  std::uint64_t removals_before = 0;
  ChainTrace trace;
};

/// Null where its children have coordinators of their own. Those of a join that may end before all of them have ended do: which of them is the first
/// is not for this chain to say. So do those that have a timeout: one that came too late may live on, and is not to meet another of its name.
ChainShell::Rounds* ChainShell::rounds_of(const VisitId& visit) {
  if (const auto known = children().rounds.find(visit); known != children().rounds.end()) return known->second.get();
  const auto& step = step_of(visit);
  const auto& state = state_.steps[visit.step];
  const bool timed = step.timeout.count() > 0 || (state.terms && state.terms->timeout_ms.value_or(0) > 0);
  const bool fits =
      step.each ? step.each->join == lang::Join::all : !state.arguments.in_blob() && !response_reads_store(*prepared_.program, state_, visit.step);
  auto& rounds = children().rounds[visit];
  if (timed || !fits) return nullptr;
  const auto program = package_->programs.find(std::get<lang::ProgramCall>(step.call).definition);
  if (program == package_->programs.end()) return nullptr;
  auto shortly = short_program(services_->computing.get(), program->second);
  if (!shortly) return nullptr;
  rounds = std::make_unique<Rounds>();
  rounds->program = std::move(shortly);
  return rounds.get();
}

bool ChainShell::ends_in_turn(const VisitId& visit) const {
  if (!children_) return false;
  const auto known = children_->rounds.find(visit);
  return known != children_->rounds.end() && known->second;
}

/// False: children of this visit are to be started, each with a coordinator of its own.
bool ChainShell::run_rounds(const VisitId& visit) {
  auto* rounds = rounds_of(visit);
  if (rounds == nullptr) return false;
  if (children().unreadable.contains(visit)) {
    computes_later_ = true;
    return true;
  }
  if (!rounds->first_ones) {  // what was there before this visit was opened is durable
    const auto& step = step_of(visit);
    const auto before = step.each ? storage::has_summary_below(*services_->kv, ChainId{visit_key(chain_, step, visit)}) : true;
    rounds->first_ones = before && !*before;  // where that cannot be read, each of them is looked for
  }
  const WatchedReads reads{*services_->kv};
  while (const auto count = startable(visit)) {
    if (computed_below_ >= kComputedBelowMax) {
      computes_later_ = is_full_ = true;
      return true;
    }
    const auto left = static_cast<std::uint32_t>(kComputedBelowMax - computed_below_);
    const auto each = std::max<std::uint32_t>(static_cast<std::uint32_t>(rounds->program->needs.size()), 1);
    const bool ended = run_rounds(visit, *rounds, std::min(count, std::max(left / each, 1U)), reads);
    if (reads.failed()) {
      self_->quit(unread(*reads.failed()));
      return true;
    }
    if (!ended) {
      // One that settled its visit has taken the rounds with it.
      if (const auto known = children().rounds.find(visit); known != children().rounds.end()) known->second = nullptr;
      return false;
    }
    if (!ends_in_turn(visit)) return true;
  }
  return true;
}

/// Grants so many items and runs their chains. False: one of them does not end in its first turn; it and those behind it were given back.
bool ChainShell::run_rounds(const VisitId& visit, Rounds& rounds, std::uint32_t count, const WatchedReads& reads) {
  const auto removals = storage::load_removal_count(reads);
  if (!removals) return true;
  const auto last = state_.last_grant;
  auto granted = apply(at_now(engine::Offer{visit, kChainsWorker, kChainsIncarnation, count}), nullptr);
  const auto id = state_.last_grant;
  std::erase_if(granted, [id](const engine::Effect& effect) {
    const auto* run = std::get_if<engine::Run>(&effect);
    return run != nullptr && run->grant == id;
  });
  sort_effects(granted);
  if (id == last) return false;
  batch_->hold(services_->holds->hold(package_->hash));  // which the records of children name
  const RoundOf of{
      visit, step_of(visit), rounds, id, reads, *removals, chain_trace(chain_, state_.started_at, state_.trace.get(), state_.trace_part)};
  actors::StepReport report;
  report.visit = visit;
  report.report = {id, kChainsIncarnation, {}};
  bool all_ended = true;
  const auto items = state_.grants.at(id).open;
  items.for_each([&](ItemIndex item) {
    all_ended = all_ended && run_round(of, item, report);
    if (!all_ended) report_failure(of.step, item, make_error(Code::given_back, "its chain does not end in its first turn"), report);
  });
  if (reads.failed()) return true;  // nothing of it is used: the grant is open, and its children are begun when the chain is recovered
  decide(at_now(report.report), &report);
  return all_ended;
}

/// False: it does not end in its first turn, and nothing of it has happened. So it is with one that was tried before: what that left may be in this
/// turn, or in a commit that is under way, and is not in the store yet.
bool ChainShell::run_round(const RoundOf& of, ItemIndex item, actors::StepReport& report) {
  const auto& state = state_.steps[of.visit.step];
  if (state.tries.contains(item)) return false;
  const ChainId child{task_key(chain_, of.step, of.visit, item)};
  if (!of.rounds.first_ones.value_or(false)) {
    const auto met = storage::load_summary(of.reads, child);
    if (!met || *met) return false;
  }
  const auto* before = of.rounds.before && item > 0 ? &*of.rounds.before : nullptr;
  auto arguments = of.rounds.arguments.of({of.reads, chain_, of.step, of.visit, state.arguments}, item, before);
  if (!arguments) {
    of.rounds.before = lang::JsonText{};
    report_failure(of.step, item, std::move(arguments).error(), report);
    return true;
  }
  if (arguments->text.size() > limits::kInlineValueBytesMax) return false;
  engine::Start start;
  start.package = package_->hash;
  start.definition = std::get<lang::ProgramCall>(of.step.call).definition;
  start.arguments = engine::inline_payload(std::move(arguments->text));
  start.context = state_.context;
  start.directory = state_.directory;
  start.removals_before = of.removals_before;
  start.labels = state_.labels;
  start.trace = trace_of_child({chain_, *package_, of.step, of.visit, of.trace, state_.trace.get()}, item, 1);
  start.parent = chain_;
  start.depth = state_.depth + 1;
  start.for_grant = of.grant;
  if (const auto& block = of.rounds.program->prepared.program->block; block && block->branches) start.entry = branch_of(start.arguments);
  auto records = new_records();
  auto ended = run_short({*services_, *package_, *of.rounds.program, child, durability_, priority_, grants_after_}, std::move(start), records);
  if (!ended) return false;
  computed_below_ += std::max<std::uint16_t>(ended->computed, 1);
  std::ranges::move(ended->notices, std::back_inserter(children().notices));
  if (ended->status == engine::ChainStatus::succeeded) {
    if (of.step.each && std::holds_alternative<lang::SequenceResult>(prepared_.program->outputs))
      children().histories.add(of.visit, item, ended->events);
    ChainScope scope{{of.reads, services_->files, services_->clock->now()}, chain_, *prepared_.program, state_};
    auto answered = evaluate_response(*prepared_.program, of.visit.step, scope, lang::JsonText{ended->response.text}, records);
    if (answered) {
      of.rounds.before = answered->response;
      const bool shaped = of.step.shape && !of.step.each;
      auto payload = shaped ? records.write(answered->response.text) : std::move(ended->response);
      report_response(of.step, item, std::move(payload), std::move(*answered), report);
    } else {
      of.rounds.before = lang::JsonText{};
      report_failure(of.step, item, std::move(answered).error(), report);
    }
  } else {
    of.rounds.before = lang::JsonText{};
    const auto error = ended->error.value_or(make_error(Code::child_failed, "the chain failed"));
    report_failure(of.step, item, child_error(of.step, child, error), report);
  }
  records.append_to(*batch_);
  return true;
}

}  // namespace catena::coordinator
