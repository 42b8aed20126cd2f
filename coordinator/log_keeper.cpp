#include "coordinator/log_keeper.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>
#include <chrono>
#include <utility>

namespace catena::coordinator {
namespace {

constexpr std::chrono::milliseconds kLogGatherTime{100};
constexpr std::uint64_t kLogBatchBytes = 64UL << 10U;   // written without waiting for more
constexpr std::uint64_t kLogGatheredMax = 16UL << 20U;  // beyond, what comes is not kept

using LogKeeper = caf::stateful_actor<LogKeeperState>;

void answer_log(LogKeeper* self, const actors::LogsCame& came) {
  if (came.from) self->send(came.from, actors::LogsKept{came.bytes, came.link});
}

void write_logs(LogKeeper* self, const LogKeeperOptions& options) {
  auto& state = self->state;
  if (state.writing) return;
  if (state.gathered.empty()) {
    if (state.ending) self->quit();
    return;
  }
  auto batch = std::make_shared<storage::Batch>();
  for (auto& came : std::exchange(state.gathered, {})) {
    for (const auto& piece : came.pieces) {
      // A read that fails costs this piece: chains do not end for it.
      static_cast<void>(state.book->add(*batch, piece, options.clock->now()));
    }
    came.pieces.clear();
    state.going.push_back(std::move(came));
  }
  state.bytes = 0;
  state.book->finish(*batch);
  state.writing = true;
  actors::Commit commit{std::move(batch), storage::Durability::async, ++state.commits};
  commit.behind = true;
  self->send(options.journal, std::move(commit));
}

void gather_logs(LogKeeper* self, const LogKeeperOptions& options, actors::LogsCame& came) {
  auto& state = self->state;
  if (state.bytes + came.bytes > kLogGatheredMax) return answer_log(self, came);
  state.bytes += came.bytes;
  state.gathered.push_back(std::move(came));
  if (state.bytes >= kLogBatchBytes || state.ending) return write_logs(self, options);
  if (!std::exchange(state.waiting, true)) self->delayed_send(self, kLogGatherTime, caf::tick_atom_v);
}

}  // namespace

caf::behavior log_keeper(caf::stateful_actor<LogKeeperState>* self, const LogKeeperOptions& options) {
  self->state.book = std::make_unique<LogBook>(*options.kv, options.limits);
  return {
      [=](actors::LogsCame& came) { gather_logs(self, options, came); },
      [=](const actors::Durable&) {
        auto& state = self->state;
        state.writing = false;
        state.book->settle();
        for (const auto& came : std::exchange(state.going, {})) answer_log(self, came);
        if (state.bytes >= kLogBatchBytes || state.ending) write_logs(self, options);
        if (!state.gathered.empty() && !state.writing && !std::exchange(state.waiting, true))
          self->delayed_send(self, kLogGatherTime, caf::tick_atom_v);
      },
      [=](caf::tick_atom) {
        self->state.waiting = false;
        write_logs(self, options);
      },
      [=](const actors::EndLogs&) {
        self->state.ending = true;
        write_logs(self, options);
      },
  };
}

}  // namespace catena::coordinator
