#include "coordinator/fork_copier.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

#include <algorithm>
#include <utility>

#include "base/failpoint.hpp"
#include "storage/chain_removal.hpp"
#include "storage/chain_store.hpp"

namespace catena::coordinator {
namespace {

using ForkCopierSelf = caf::stateful_actor<ForkCopierState>*;

// Of one piece, whichever comes first.
constexpr std::size_t kRecordsAPiece = 1'000;
constexpr std::size_t kBytesAPiece = 1UL << 20U;

bool is_full(const storage::Batch& batch) { return batch.count() >= kRecordsAPiece || batch.bytes() >= kBytesAPiece; }

}  // namespace

ForkCopy::ForkCopy(std::shared_ptr<const ForkBase> base, ChainId chain) : base_{std::move(base)}, chain_{std::move(chain)} {
  for (StepIndex step = 0; step < base_->state.steps.size(); ++step) {
    const auto& visit = base_->state.steps[step];
    if (visit.former) rows_.push_back({{step, visit.former->visit}, visit.former->ok, visit.former->fan_out ? visit.former->width : 0});
    if (visit.entered_at == 0) continue;
    auto wanted = visit.ok;
    for (ItemIndex item = 0; item < visit.width; ++item) {
      if (visit.bad.test(item)) wanted.set(item);
    }
    rows_.push_back({{step, visit.visit}, std::move(wanted), visit.fan_out ? visit.width : 0});
  }
}

Result<bool> ForkCopy::add_piece(const storage::Kv& kv, storage::Batch& batch) {
  if (!std::exchange(marked_, true)) storage::put_unborn(batch, chain_, kv.epoch());
  if (next_event_ <= base_->shared) {
    if (auto added = add_events(kv, batch); !added) return fail(std::move(added).error());
  }
  while (next_event_ > base_->shared && at_ < rows_.size() && !is_full(batch)) {
    auto& rows = rows_[at_];
    if (auto added = add_rows(kv, batch, rows); !added) return fail(std::move(added).error());
    if (rows.next_item >= rows.width && !rows.next_input) ++at_;
  }
  return !batch.empty();
}

/// Record by record; the last one may be cut.
Result<void> ForkCopy::add_events(const storage::Kv& kv, storage::Batch& batch) {
  Result<void> outcome;
  const auto loaded = storage::load_events(kv, base_->summary.id, next_event_, [&](Sequence first, std::uint32_t count, std::string_view payload) {
    const auto last = first + count - 1;
    if (last <= base_->shared) {
      storage::append_events(batch, chain_, last, count, payload);
      next_event_ = last + 1;
    } else {
      auto events = engine::decode_events(payload, count);
      if (!events) {
        outcome = fail(events.error());
        return false;
      }
      events->resize(base_->shared.value + 1 - first.value);
      storage::append_events(batch, chain_, base_->shared, static_cast<std::uint32_t>(events->size()), engine::encode(*events));
      next_event_ = base_->shared + 1;
    }
    return next_event_ <= base_->shared && !is_full(batch);
  });
  return loaded ? outcome : Result<void>{fail(loaded.error())};
}

Result<void> ForkCopy::add_rows(const storage::Kv& kv, storage::Batch& batch, Rows& rows) const {
  const auto& source = base_->summary.id;
  if (rows.next_input) {
    bool full = false;
    const auto scanned = storage::scan_inputs(kv, source, rows.visit, *rows.next_input, [&](std::uint32_t chunk, std::string_view payload) {
      storage::put_inputs_chunk(batch, chain_, rows.visit, chunk, payload);
      rows.next_input = chunk == UINT32_MAX ? std::nullopt : std::optional{chunk + 1};
      full = is_full(batch);
      return !full && rows.next_input.has_value();
    });
    if (!scanned) return scanned;
    if (full) return {};
    rows.next_input.reset();
  }
  // A part of the range at a time, also where most of it is of other items.
  const auto end = std::min(rows.width, rows.next_item + static_cast<std::uint32_t>(kRecordsAPiece));
  bool full = false;
  const auto scanned = storage::scan_items(kv, source, rows.visit, rows.next_item, end, [&](ItemIndex item, std::string_view payload) {
    rows.next_item = item + 1;
    if (!rows.wanted.test(item)) return true;
    storage::put_item(batch, chain_, rows.visit, item, payload);
    full = is_full(batch);
    return !full;
  });
  if (!scanned) return scanned;
  if (!full) rows.next_item = end;
  return {};
}

namespace {

void copy_on(ForkCopierSelf self, const actors::ForkChain& fork) {
  auto& state = self->state;
  const auto give_up = [&](const Error& error) {
    self->send(state.services->supervisor, actors::ForkFailed{fork.chain, error, true});
    self->quit();
  };
  auto batch = std::make_shared<storage::Batch>();
  const auto more = state.copy->add_piece(*state.services->kv, *batch);
  if (!more) return give_up(more.error());
  if (*more) {
    CATENA_FAILPOINT("fork.before_piece");
    return self->send(state.services->journal, actors::Commit{std::move(batch), storage::Durability::async, ++state.last_commit});
  }
  // The source goes on meanwhile.
  if (const auto kept = check_results_kept(*state.services->kv, *state.base); !kept) return give_up(kept.error());
  self->send(state.services->supervisor, actors::ForkCopied{fork.chain, state.base});
  self->quit();
}

}  // namespace

caf::behavior fork_copier(ForkCopierSelf self, std::shared_ptr<Services> services, actors::ForkChain fork, caf::actor asker) {
  self->state.services = std::move(services);
  self->set_exit_handler([=](const caf::exit_msg& exit) {
    self->state.services.reset();
    self->quit(exit.reason);
  });
  self->send(self, actors::GoOn{});
  return {
      [=](const actors::GoOn&) {
        auto& state = self->state;
        const auto& kv = *state.services->kv;
        const auto package_of = [&](const std::string& hash) { return recover_package(kv, hash, state.services->catalog); };
        auto base = read_fork(kv, package_of, fork.source, fork.wish);
        if (fork.only_check) {
          base ? self->send(asker, actors::Accepted{fork.chain}) : self->send(asker, actors::Refused{fork.chain, base.error()});
          return self->quit();
        }
        if (!base) {
          self->send(state.services->supervisor, actors::ForkFailed{fork.chain, base.error()});
          return self->quit();
        }
        state.base = std::make_shared<const ForkBase>(std::move(*base));
        state.copy.emplace(state.base, fork.chain);
        copy_on(self, fork);
      },
      [=](const actors::Durable&) {
        CATENA_FAILPOINT("fork.after_piece");
        copy_on(self, fork);
      },
  };
}

}  // namespace catena::coordinator
