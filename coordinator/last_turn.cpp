#include "coordinator/last_turn.hpp"

#include <algorithm>
#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>
#include <utility>

#include "base/thread_priority.hpp"
#include "coordinator/recover.hpp"
#include "coordinator/resting.hpp"
#include "coordinator/sender.hpp"

namespace catena::coordinator {
namespace {

constexpr std::size_t kProgramsKnown = 16;
// Many timers that are due together take seconds of a core: the threads on which somebody waits for a chain come first.
constexpr int kNice = 5;

/// What a turn without a coordinator does not follow.
bool is_plain(const engine::ChainState& state) { return state.grants.empty() && state.approvals.get().asked.empty(); }

}  // namespace

LastTurns LastTurnTaker::take(const std::vector<actors::TakeLastTurns::Chain>& chains) {
  LastTurns turns;
  for (const auto& chain : chains) {
    if (!end(chain, turns)) turns.others.push_back(chain.key);
  }
  return turns;
}

/// Null where it cannot be read: whoever brings the chain back says why.
const LastTurnTaker::Known* LastTurnTaker::known(const engine::ChainState& state) {
  const auto same = [&](const Known& one) { return one.package->hash == state.package && one.definition == state.definition; };
  if (const auto at = std::ranges::find_if(known_, same); at != known_.end()) return &*at;
  auto package = recover_package(*services_->kv, state.package, services_->catalog);
  if (!package) return nullptr;
  const auto program = (*package)->programs.find(state.definition);
  if (program == (*package)->programs.end()) return nullptr;
  Known fresh{*package, state.definition, for_short(program->second)};
  if (known_.size() < kProgramsKnown) return &known_.emplace_back(std::move(fresh));
  auto& place = known_[next_++ % kProgramsKnown];
  place = std::move(fresh);
  return &place;
}

bool LastTurnTaker::end(const actors::TakeLastTurns::Chain& chain, LastTurns& turns) {
  auto state = engine::decode_state(chain.rest->state);
  if (!state || !is_plain(*state)) return false;
  const auto* program = known(*state);
  if (program == nullptr || program->program.needs.size() != state->steps.size()) return false;
  const auto& listed = chain.rest->listed;
  const ShortChain of{*services_,
                      *program->package,
                      program->program,
                      chain.chain,
                      listed.durability,
                      state->priority.value_or(listed.priority),
                      first_grant_after(*services_, listed.durability)};
  std::vector<Records::Batch> ahead;
  Records records{[&](Records::Batch batch) { ahead.push_back(std::move(batch)); }, services_->holds};
  auto end = run_last_turn(of, {std::move(*state), listed, chain.rest->checkpointed, chain.lead}, records);
  if (!end) return false;
  if (!turns.batch) turns.batch = std::make_shared<storage::Batch>();
  for (const auto& batch : ahead) turns.batch->append(*batch);
  records.append_to(*turns.batch);
  turns.durability = std::min(turns.durability, listed.durability);  // sync is the strongest and the smallest
  std::ranges::move(end->notices, std::back_inserter(turns.notices));
  turns.ended.push_back({chain.key, {chain.chain, end->status, std::move(end->response), std::move(end->error)}});
  return true;
}

caf::behavior last_turns(caf::stateful_actor<LastTurnsState>* self, std::shared_ptr<const Services> services) {
  if (services->own_threads) raise_nice(kNice);
  self->state.taker = std::make_unique<LastTurnTaker>(std::move(services));
  return {
      [=](const actors::TakeLastTurns& take) {
        self->send(sender_of(*self), actors::LastTurnsTaken{std::make_shared<LastTurns>(self->state.taker->take(take.chains))});
      },
  };
}

}  // namespace catena::coordinator
