#include "coordinator/housekeeper.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/failpoint.hpp"
#include "coordinator/rebuilding.hpp"
#include "coordinator/retention.hpp"
#include "coordinator/sender.hpp"

namespace catena::coordinator {
namespace {

using HousekeeperSelf = caf::stateful_actor<HousekeeperState>*;
using Order = HousekeeperState::Order;

// What one commit carries at most: others' commits are not held up for long.
constexpr std::size_t kChangesACommit = 2'000;
constexpr std::size_t kChainsACommit = 64;
constexpr std::size_t kDescendantsAtOnce = 512;
// What is read of the index before others get a turn.
constexpr std::size_t kIndexRowsAtOnce = 256;

// A step of a collection, and how long it rests after each.
constexpr std::size_t kContentsAtOnce = 256;
constexpr std::size_t kCandidatesMax = 200'000;
constexpr std::size_t kRecordsAtOnce = 1'000;
constexpr std::size_t kRecordBytesAtOnce = 1UL << 20U;
constexpr std::size_t kContentsSweptAtOnce = 64;
constexpr std::chrono::milliseconds kStepPause{5};
constexpr std::int64_t kRestPerWork = 20;

std::chrono::milliseconds pause_of(Millis span) { return std::chrono::milliseconds{span.count()}; }

void answer_order(HousekeeperSelf self, Order& order) {
  if (order.asker) self->send(order.asker, std::move(order.done));
}

// ---- removing -------------------------------------------------------------------------------------------------------

/// One step of the first removal. Errors of the store leave the batch as it was.
Result<storage::Removal> add_step(HousekeeperSelf self, storage::Batch& batch, HousekeeperState::Removal& removal) {
  const auto& kv = *self->state.services->kv;
  storage::Batch step;
  Result<storage::Removal> left = storage::Removal::over;
  if (removal.begun) {
    left = storage::continue_removal(kv, step, removal.chain, kDescendantsAtOnce);
  } else {
    const auto summary = storage::load_summary(kv, removal.chain);
    if (!summary) return fail(summary.error());
    if (*summary) left = storage::begin_removal(kv, step, **summary);
  }
  if (!left) return left;
  batch.append(step);
  removal.begun = true;
  return left;
}

void write_steps(HousekeeperSelf self) {
  auto& state = self->state;
  if (state.writing || state.removals.empty()) return;
  if (!state.removed) {
    const auto count = storage::load_removal_count(*state.services->kv);
    if (!count) return self->delayed_send(self, pause_of(reading_pause(++state.unread)), actors::KeepOn{});
    state.removed = *count;
  }
  auto batch = std::make_shared<storage::Batch>();
  auto durability = storage::Durability::async;
  for (std::size_t chains = 0; !state.removals.empty() && chains < kChainsACommit && batch->count() < kChangesACommit; ++chains) {
    auto& removal = state.removals.front();
    const bool first = !removal.begun;
    const auto left = add_step(self, *batch, removal);
    if (!left && left.error().code == Code::storage_io) {
      if (batch->empty()) return self->delayed_send(self, pause_of(reading_pause(++state.unread)), actors::KeepOn{});
      break;
    }
    state.unread = 0;
    if (first) ++*state.removed;
    if (removal.order) durability = std::min(durability, removal.order->durability);
    if (left && *left == storage::Removal::goes_on) break;  // what is added next reads what this has written
    if (!left && removal.order) removal.order->done.refused.push_back({removal.chain, left.error()});
    state.written.push_back(std::move(removal));
    state.removals.pop_front();
  }
  storage::put_removal_count(*batch, *state.removed);
  state.writing = true;
  CATENA_FAILPOINT("housekeeper.before_removal");
  self->send(state.services->journal, actors::Commit{std::move(batch), durability, ++state.last_commit});
}

void on_written(HousekeeperSelf self) {
  auto& state = self->state;
  CATENA_FAILPOINT("housekeeper.after_removal");
  state.writing = false;
  state.services->removals->set(*state.removed);
  actors::RemovalsOver over;
  for (const auto& removal : state.written) over.chains.push_back(removal.chain);
  // First, so that who hears that a chain is gone can use its id again.
  if (!over.chains.empty()) self->send(state.services->supervisor, std::move(over));
  for (auto& removal : std::exchange(state.written, {})) {
    const bool refused =
        removal.order && std::ranges::any_of(removal.order->done.refused, [&](const auto& one) { return one.chain == removal.chain; });
    if (!refused) state.services->metrics->add(Metric::chains_removed);
    if (!removal.order) continue;
    auto& order = *removal.order;
    if (!refused) order.done.removed.push_back(std::move(removal.chain));
    if (--order.open == 0) answer_order(self, order);
  }
  write_steps(self);
}

void take_order(HousekeeperSelf self, const actors::CarryOutRemovals& asked) {
  auto& state = self->state;
  const auto order = std::make_shared<Order>(Order{asked.asker, asked.durability, asked.chains.size(), {{}, asked.refused}});
  if (order->open == 0) return answer_order(self, *order);
  for (const auto& chain : asked.chains) state.removals.push_back({chain, order});
  write_steps(self);
}

/// What an earlier process had begun.
Result<void> take_over(HousekeeperState& state) {
  auto left = storage::list_left_removals(*state.services->kv);
  if (!left) return fail(std::move(left).error());
  for (auto& chain : *left) state.removals.push_back({std::move(chain), nullptr, true});
  return {};
}

// ---- retention ------------------------------------------------------------------------------------------------------

/// The next part of the index, of chains that began before those can have ended that are to stay.
Result<std::vector<storage::ChainSummary>> read_page(HousekeeperState& state, engine::ChainStatus status, UnixMillis by) {
  storage::SummaryFilter filter;
  filter.statuses = {std::string{engine::name(status)}};
  filter.count_max = kIndexRowsAtOnce;
  filter.after = state.place ? *state.place : storage::IndexPlace{by, {}};
  std::vector<storage::ChainSummary> page;
  const auto listed = storage::list_summaries(*state.services->kv, filter, [&](const storage::ChainSummary& summary) {
    page.push_back(summary);
    return true;
  });
  if (!listed) return fail(listed.error());
  if (page.size() < kIndexRowsAtOnce) {
    state.place.reset();
    ++state.looking_at;
  } else {
    state.place = storage::IndexPlace{page.back().started_at, page.back().id};
  }
  return page;
}

/// Looks until there is something to remove, a part of the index at a time.
void look_for_due(HousekeeperSelf self) {
  auto& state = self->state;
  const auto& retention = state.services->settings.retention;
  const auto every = look_every(retention);
  if (!every || !state.services->supervisor) return;
  while (state.looking_at < kStatusesThatEnd.size() && !kept_for(retention, kStatusesThatEnd[state.looking_at])) ++state.looking_at;
  if (state.looking_at == kStatusesThatEnd.size()) {
    state.looking_at = 0;
    return self->delayed_send(self, pause_of(*every), actors::RetentionDue{});
  }
  const auto status = kStatusesThatEnd[state.looking_at];
  const auto by = state.services->clock->now() - kept_for(retention, status)->count();
  const auto page = read_page(state, status, by);
  if (!page) return self->delayed_send(self, pause_of(*every), actors::RetentionDue{});
  auto due = ended_by(*page, status, by);
  if (due.empty()) return self->send(self, actors::RetentionDue{});
  self->send(state.services->supervisor, actors::RemoveChains{std::move(due), by + 1, storage::Durability::async});
}

// ---- collection -----------------------------------------------------------------------------------------------------

/// It begins when chains have gone since the last one, and once in a process: what a crash left.
void begin_collection(HousekeeperSelf self) {
  auto& state = self->state;
  const std::chrono::milliseconds every{state.services->settings.collect_every_ms};
  const auto removed = storage::load_removal_count(*state.services->kv);
  if (!removed || state.collected_when == *removed) return self->delayed_send(self, every, actors::CollectionDue{});
  state.collection.emplace();
  state.collection->removed_before = *removed;
  self->send(self, actors::CollectionDue{});
}

void end_pass(HousekeeperSelf self) {
  auto& state = self->state;
  auto& collection = *state.collection;
  if (!collection.listed_all) {
    collection.phase = HousekeeperState::Collection::Phase::lists;
    collection.candidates = std::make_shared<Candidates>();
    return self->send(self, actors::CollectionDue{});
  }
  // What went may have been the last that named something else: programs of a package.
  state.collected_when = collection.contents > 0 ? std::nullopt : std::optional{collection.removed_before};
  const auto rest = std::max<std::int64_t>(state.services->settings.collect_every_ms,
                                           static_cast<std::int64_t>(collection.steps) * kStepPause.count() * kRestPerWork);
  state.collection.reset();
  self->delayed_send(self, std::chrono::milliseconds{rest}, actors::CollectionDue{});
}

void collect(HousekeeperSelf self) {
  using Phase = HousekeeperState::Collection::Phase;
  auto& state = self->state;
  if (!state.collection) return begin_collection(self);
  auto& collection = *state.collection;
  const auto& kv = *state.services->kv;
  ++collection.steps;
  if (collection.phase == Phase::lists) {
    const auto listed = collection.walk.list(kv, *collection.candidates, kContentsAtOnce, kCandidatesMax);
    if (listed && (*listed || collection.candidates->size() >= kCandidatesMax)) {
      collection.listed_all = *listed;
      if (collection.candidates->size() == 0) return end_pass(self);
      collection.walk.look_again();
      collection.phase = Phase::begins;
      return self->send(state.services->journal, actors::BeginCollection{collection.candidates});
    }
  } else if (collection.phase == Phase::looks) {
    const auto looked = collection.walk.look(kv, *collection.candidates, kRecordsAtOnce, kRecordBytesAtOnce);
    if (looked && *looked) {
      collection.phase = Phase::sweeps;
      return self->send(state.services->journal, actors::SweepContents{kContentsSweptAtOnce});
    }
  }
  // also where a read failed: it is tried again
  self->delayed_send(self, kStepPause, actors::CollectionDue{});
}

}  // namespace

caf::behavior housekeeper(caf::stateful_actor<HousekeeperState>* self, std::shared_ptr<Services> services) {
  self->state.services = std::move(services);
  self->set_exit_handler([=](const caf::exit_msg& exit) {
    self->state.services.reset();
    self->quit(exit.reason);
  });
  self->send(self, actors::RetentionDue{});
  self->send(self, actors::TakeOverRemovals{});
  if (const auto every = self->state.services->settings.collect_every_ms; every > 0)
    self->delayed_send(self, std::chrono::milliseconds{every}, actors::CollectionDue{});
  return {
      [=](const actors::CarryOutRemovals& order) { take_order(self, order); },
      [=](const actors::DropFork& drop) {
        self->state.removals.push_back({drop.chain, nullptr, true});
        write_steps(self);
      },
      [=](const actors::Durable&) { on_written(self); },
      [=](const actors::KeepOn&) { write_steps(self); },
      [=](const actors::TakeOverRemovals&) {
        auto& state = self->state;
        if (const auto taken = take_over(state); !taken) {
          if (taken.error().code == Code::storage_io) self->delayed_send(self, pause_of(reading_pause(++state.unread)), actors::TakeOverRemovals{});
          return;
        }
        write_steps(self);
      },
      [=](const actors::RetentionDue&) { look_for_due(self); },
      [=](const actors::CollectionDue&) { collect(self); },
      [=](const actors::CollectionBegun&) {
        if (!self->state.collection) return;
        self->state.collection->phase = HousekeeperState::Collection::Phase::looks;
        self->send(self, actors::CollectionDue{});
      },
      [=](const actors::ContentsSwept& swept) {
        if (!self->state.collection) return;
        self->state.collection->contents += swept.contents;
        if (swept.more) {
          self->send(self->state.services->journal, actors::SweepContents{kContentsSweptAtOnce});
        } else {
          end_pass(self);
        }
      },
      // Of what it asked for itself: on to the next.
      [=](const actors::ChainsRemoved&) { self->send(self, actors::RetentionDue{}); },
  };
}

}  // namespace catena::coordinator
