#include "coordinator/journal_actor.hpp"

#include <algorithm>
#include <caf/actor_cast.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/message.hpp>
#include <caf/stateful_actor.hpp>
#include <utility>

#include "actors/run_queue.hpp"
#include "base/failpoint.hpp"

namespace catena::coordinator {

namespace {

// Memory of one commit; what waits beyond it goes into the next.
constexpr std::size_t kGroupBytesMax = 4UL << 20U;

void write_behind(caf::stateful_actor<JournalState>* self, storage::Kv* kv, const Fatal& fatal) {
  auto& state = self->state;
  if (!state.behind.empty()) {
    if (const auto written = kv->write(state.behind, storage::Durability::async); !written) return fatal(written.error());
  }
  for (const auto& [actor, commit] : state.behind_waiting) self->send(actor, actors::Durable{commit});
  state.behind.clear();
  state.behind_waiting.clear();
}

/// In one write with what they are about, as far as that is logged: whoever reads a notice finds all before it.
void number_notices(JournalState& state) {
  if (state.notices.empty()) return;
  auto& batch = state.logged.empty() ? state.unlogged : state.logged;
  const auto first = state.feed->end();
  for (std::size_t count = 0; count < state.notices.size(); ++count) static_cast<void>(state.feed->take());
  storage::put_notices(batch, first, state.notices);
  while (const auto old = state.feed->too_old()) storage::remove_notices(batch, old->first, old->second);
  state.notices.clear();
}

/// Always logged, whatever it comes with.
void put_audit(JournalState& state, const storage::AuditEntry& entry) {
  storage::put_audit_entry(state.logged, state.audit->take(), entry);
  while (const auto old = state.audit->too_old()) storage::remove_audit_entries(state.logged, old->first, old->second);
}

void flush(caf::stateful_actor<JournalState>* self, storage::Kv* kv, const Fatal& fatal) {
  auto& state = self->state;
  const bool feed_grows = !state.notices.empty();
  number_notices(state);
  CATENA_FAILPOINT("journal.before_sync");
  actors::hand_over_next();  // whom an earlier commit has answered does not wait for this one
  // An empty commit only asks to be answered behind those before it.
  for (const auto& [batch, durability] : {std::pair{&state.logged, state.durability}, std::pair{&state.unlogged, storage::Durability::none}}) {
    if (batch->empty()) continue;
    if (const auto written = kv->write(*batch, durability); !written) return fatal(written.error());
  }
  CATENA_FAILPOINT("journal.after_sync");
  for (const auto& [actor, commit] : state.waiting) self->send(actor, actors::Durable{commit});
  if (feed_grows) {
    for (const auto& follower : state.followers) self->send(follower, actors::FeedGrew{state.feed->end()});
  }
  state.chain_followers.tell_growth([&](const caf::actor& follower, const ChainId& chain) { self->send(follower, actors::ChainGrew{chain}); });
  state.logged.clear();
  state.unlogged.clear();
  state.durability = storage::Durability::none;
  state.waiting.clear();
  write_behind(self, kv, fatal);
}

using ScanNumbers = Result<void> (*)(const storage::Kv& kv, const std::function<bool(std::uint64_t number)>& visitor);
/// None where nothing is kept.
std::optional<FeedNumbers> open_numbers(const storage::Kv& kv, const Fatal& fatal, std::uint64_t keep, ScanNumbers scan) {
  if (keep == 0) return std::nullopt;
  FeedNumbers numbers{keep};
  const auto scanned = scan(kv, [&](std::uint64_t number) {
    numbers.add_stored(number);
    return true;
  });
  if (!scanned) fatal(scanned.error());
  numbers.begin(kv.epoch());
  return numbers;
}

/// What waits is not written before: it has been looked at, and what it names is no candidate any more.
actors::ContentsSwept sweep_contents(caf::stateful_actor<JournalState>* self, storage::Kv* kv, const Fatal& fatal, ContentHolds& holds,
                                     std::size_t most) {
  auto& candidates = self->state.candidates;
  if (!candidates) return {};
  const auto victims = candidates->take(most);
  if (victims.empty()) {
    candidates.reset();
    return {};
  }
  actors::ContentsSwept swept{0, true};
  std::vector<std::string> hashes;
  hashes.reserve(victims.size());
  for (const auto& victim : victims) hashes.push_back(victim.hash);
  holds.without_held(std::move(hashes), [&](const std::vector<std::string>& free) {
    storage::Batch batch;
    for (const auto& victim : victims) {
      if (std::ranges::find(free, victim.hash) != free.end()) remove_content(batch, victim);
    }
    swept.contents = free.size();
    CATENA_FAILPOINT("journal.before_sweep");
    if (batch.empty()) return;
    if (const auto written = kv->write(batch, storage::Durability::async); !written) fatal(written.error());
  });
  return swept;
}

}  // namespace

caf::behavior journal_actor(caf::stateful_actor<JournalState>* self, storage::Kv* kv, Fatal fatal, std::shared_ptr<ContentHolds> holds,
                            JournalKeeps keeps) {
  self->state.feed = open_numbers(*kv, fatal, keeps.notices, storage::scan_notice_numbers);
  self->state.audit = open_numbers(*kv, fatal, keeps.audit, storage::scan_audit_numbers);
  self->set_down_handler([=](const caf::down_msg& down) {
    std::erase_if(self->state.followers, [&](const caf::actor& follower) { return follower.address() == down.source; });
    self->state.chain_followers.remove(down.source);
  });
  return {
      [=](const actors::Commit& commit) {
        auto& state = self->state;
        if (state.candidates && commit.batch) state.candidates->note(*commit.batch);
        if (commit.batch) state.chain_followers.note(*commit.batch);
        auto& batch = commit.behind ? state.behind : commit.durability == storage::Durability::none ? state.unlogged : state.logged;
        if (commit.batch && batch.empty()) {
          std::swap(batch, *commit.batch);  // its sender has let go of it
        } else if (commit.batch) {
          batch.append(*commit.batch);
        }
        if (state.audit && commit.audit) put_audit(state, *commit.audit);
        if (state.feed) state.notices.insert(state.notices.end(), commit.notices.begin(), commit.notices.end());
        if (!commit.behind) state.durability = std::min(state.durability, commit.durability);  // sync is the strongest and the smallest
        if (commit.number != 0)
          (commit.behind ? state.behind_waiting : state.waiting).emplace_back(caf::actor_cast<caf::actor>(self->current_sender()), commit.number);
        if (state.logged.bytes() + state.unlogged.bytes() + state.behind.bytes() > kGroupBytesMax) {
          flush(self, kv, fatal);
        } else if (!std::exchange(state.flushing, true)) {
          // behind all that waits for a thread: what these commit is in the same write, and for many chains there is one sync, not one each
          const auto flush_all = caf::make_message(caf::flush_atom_v);
          if (!actors::send_behind_others(caf::actor_cast<caf::actor>(self), flush_all)) self->send(self, flush_all);
        }
      },
      [=](caf::flush_atom) {
        self->state.flushing = false;
        flush(self, kv, fatal);
      },
      [=](const actors::FollowFeed&) {
        const auto follower = caf::actor_cast<caf::actor>(self->current_sender());
        self->monitor(follower);
        self->state.followers.push_back(follower);
        self->send(follower, actors::FeedGrew{self->state.feed ? self->state.feed->end() : 1});
      },
      [=](const actors::FollowChain& follow) {
        const auto follower = caf::actor_cast<caf::actor>(self->current_sender());
        self->demonitor(follower.address());  // it may follow others already
        self->monitor(follower);
        self->state.chain_followers.add(follow.chain, follower);
        self->send(follower, actors::ChainGrew{follow.chain});
      },
      [=](const actors::StopFollowingChain& stop) {
        self->state.chain_followers.remove(stop.chain, caf::actor_cast<caf::actor_addr>(self->current_sender()));
      },
      [=](const actors::BeginCollection& begin) {
        // What came before is in the store when the look through it begins; what comes from now on is looked at here.
        flush(self, kv, fatal);
        self->state.candidates = begin.candidates;
        self->send(caf::actor_cast<caf::actor>(self->current_sender()), actors::CollectionBegun{});
      },
      [=](const actors::SweepContents& sweep) {
        self->send(caf::actor_cast<caf::actor>(self->current_sender()), sweep_contents(self, kv, fatal, *holds, sweep.most));
      },
  };
}

}  // namespace catena::coordinator
