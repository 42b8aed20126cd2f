#include "coordinator/dispatcher.hpp"

#include <fmt/format.h>
#include <caf/actor_cast.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

#include <algorithm>
#include <chrono>

#include "base/suggest.hpp"
#include "coordinator/measuring.hpp"
#include "coordinator/node_info.hpp"
#include "coordinator/queue_told.hpp"

namespace catena::coordinator {
namespace {

using DispatcherSelf = caf::stateful_actor<DispatcherState>*;

// ---- chains -----------------------------------------------------------------------------------------------------------

DispatcherState::Holder& holder_of(DispatcherSelf self, const caf::actor& chain, const ChainId& family) {
  auto& state = self->state;
  const auto [known, fresh] = state.chains.try_emplace(chain.address());
  auto& holder = known->second;
  if (!fresh) return holder;
  self->monitor(chain);
  auto& shared = state.families[family];
  if (shared.chains++ == 0) shared.share = ++state.last_key;
  holder.chain = chain;
  holder.family = family;
  holder.share = shared.share;
  return holder;
}

void remove_want(DispatcherState& state, DispatcherState::Holder& holder, const VisitId& visit) {
  const auto known = holder.wants.find(visit);
  if (known == holder.wants.end()) return;
  state.placement.remove_want(known->second);
  state.wants.erase(known->second);
  holder.wants.erase(known);
}

void remove_ask(DispatcherState& state, DispatcherState::Holder& holder, const VisitId& visit) {
  const auto known = holder.asked.find(visit);
  if (known == holder.asked.end()) return;
  state.placement.withdraw_ask(known->second);
  state.asks.erase(known->second);
  holder.asked.erase(known);
}

void remove_wants(DispatcherState& state, DispatcherState::Holder& holder) {
  while (!holder.wants.empty()) remove_want(state, holder, holder.wants.begin()->first);
  while (!holder.asked.empty()) remove_ask(state, holder, holder.asked.begin()->first);
}

/// A ticket that is still out may become an order yet.
void answer_parting(DispatcherSelf self, const WorkerId& id) {
  auto& state = self->state;
  const auto worker = state.workers.find(id);
  if (worker == state.workers.end() || !worker->second.parting || worker->second.answered || state.placement.node(id)->lent()) return;
  worker->second.answered = true;
  self->send(worker->second.node, actors::TicketsSettled{});
}

void take_back(DispatcherSelf self, const caf::actor_addr& chain, const actors::TicketBack& back) {
  auto& state = self->state;
  const auto known = state.chains.find(chain);
  if (known == state.chains.end()) return;  // it died, and what it had is back already
  const auto lent = known->second.lent.find({back.worker, back.incarnation});
  if (lent == known->second.lent.end()) return;
  if (--lent->second == 0) known->second.lent.erase(lent);
  state.placement.give_back(known->second.share, back.worker, back.incarnation);
  answer_parting(self, back.worker);
}

/// A chain is gone: it wants nothing more, and what it held is free, whether it died before it could give it back or not.
void forget_chain(DispatcherSelf self, const caf::actor_addr& chain) {
  auto& state = self->state;
  const auto known = state.chains.find(chain);
  auto& holder = known->second;
  remove_wants(state, holder);
  for (const auto& [worker, tickets] : holder.lent) {
    for (std::uint32_t ticket = 0; ticket < tickets; ++ticket) state.placement.give_back(holder.share, worker.first, worker.second);
    answer_parting(self, worker.first);
  }
  for (const auto& worker : holder.claimed) {
    const auto claims = state.claims.find(worker);
    if (claims == state.claims.end()) continue;
    std::erase_if(claims->second, [&](const auto& waiting) { return waiting.chain.address() == chain; });
    if (claims->second.empty()) state.claims.erase(claims);
  }
  const auto family = state.families.find(holder.family);
  if (--family->second.chains == 0) state.families.erase(family);
  state.chains.erase(known);
}

// ---- tickets ----------------------------------------------------------------------------------------------------------

actors::Ticket ticket_at(const DispatcherState& state, const WorkerId& worker, const VisitId& visit) {
  const auto* node = state.placement.node(worker);
  return {worker, node->incarnation, state.workers.at(worker).node, visit, node->offered};
}

/// Chains whose last orders may be stuck hear of slots that nobody else has a use for.
void tell_room(DispatcherSelf self) {
  auto& state = self->state;
  while (const auto found = state.placement.next_room()) {
    const auto ask = state.asks.extract(found->ask);
    auto& holder = state.chains.at(ask.mapped().chain);
    holder.asked.erase(ask.mapped().visit);
    self->send(holder.chain, actors::Room{ask.mapped().visit, found->slots});
  }
}

void serve(DispatcherSelf self) {
  auto& state = self->state;
  while (const auto placed = state.placement.next()) {
    const auto want = state.wants.find(placed->want);
    const auto visit = want->second.visit;
    auto& holder = state.chains.at(want->second.chain);
    ++holder.lent[{placed->worker, placed->incarnation}];
    self->send(holder.chain, ticket_at(state, placed->worker, visit));
    if (placed->left > 0) continue;
    state.wants.erase(want);
    holder.wants.erase(visit);
  }
  tell_room(self);
}

/// A want that no worker could ever take is reported at once, and taken back as soon as one can.
void tell_news(DispatcherSelf self) {
  auto& state = self->state;
  for (auto& news : state.placement.news()) {
    const auto& want = state.wants.at(news.want);
    self->send(state.chains.at(want.chain).chain, actors::Unplaceable{want.visit, std::move(news.why)});
  }
}

void fleet_changed(DispatcherSelf self) {
  tell_news(self);
  serve(self);
}

void take_wanted(DispatcherSelf self, const actors::Wanted& wanted) {
  auto& state = self->state;
  const auto chain = caf::actor_cast<caf::actor>(self->current_sender());
  auto& holder = holder_of(self, chain, wanted.family);
  if (wanted.wanted == 0) return remove_want(state, holder, wanted.visit);
  auto& key = holder.wants[wanted.visit];
  if (key == 0) {
    key = ++state.last_key;
    state.wants[key] = {chain.address(), wanted.visit};
  }
  state.placement.put_want({key, holder.share, wanted.priority, wanted.urgency, *wanted.need, wanted.wanted});
  tell_news(self);
  serve(self);
}

// ---- claims -----------------------------------------------------------------------------------------------------------

/// False when it cannot be said yet.
bool answer_claim(DispatcherSelf self, const caf::actor& chain, const actors::Claim& claim) {
  auto& state = self->state;
  const auto worker = state.workers.find(claim.worker);
  const bool known = worker != state.workers.end();
  const bool adopts = !known || worker->second.hello.adopts;  // else its slots ended with the coordinator they were of
  const bool here = known && adopts && worker->second.hello.incarnation == claim.incarnation;
  if (!here && adopts && (state.leased || (state.adopting && !known))) return false;
  if (!here) {
    self->send(chain, actors::NodeGone{claim.worker, claim.incarnation});
    return true;
  }
  auto& holder = holder_of(self, chain, claim.family);
  ++holder.lent[{claim.worker, claim.incarnation}];
  state.placement.claim(holder.share, claim.worker);
  self->send(chain, actors::Claimed{claim.grant, ticket_at(state, claim.worker, claim.visit)});
  return true;
}

void answer_claims(DispatcherSelf self, const WorkerId& worker) {
  auto& claims = self->state.claims;
  const auto there = claims.find(worker);
  if (there == claims.end()) return;
  std::erase_if(there->second, [&](const auto& waiting) { return answer_claim(self, waiting.chain, waiting.claim); });
  if (there->second.empty()) claims.erase(there);
}

void answer_all_claims(DispatcherSelf self) {
  std::vector<WorkerId> workers;
  for (const auto& [worker, waiting] : self->state.claims) workers.push_back(worker);
  for (const auto& worker : workers) answer_claims(self, worker);
}

void take_claim(DispatcherSelf self, const actors::Claim& claim) {
  const auto chain = caf::actor_cast<caf::actor>(self->current_sender());
  auto& holder = holder_of(self, chain, claim.family);  // known from now on: when it dies, so does its claim
  if (answer_claim(self, chain, claim)) return;
  holder.claimed.insert(claim.worker);
  self->state.claims[claim.worker].push_back({chain, claim});
}

// ---- workers ----------------------------------------------------------------------------------------------------------

engine::NodeState state_of(const DispatcherState& state, const WorkerId& id) {
  const auto& worker = state.workers.at(id);
  if (worker.parting || (worker.status && worker.status->draining)) return engine::NodeState::draining;
  return state.controls.contains(id) ? engine::NodeState::cordoned : engine::NodeState::open;
}

/// Before it is forgotten: what people see of a worker that nobody expected to go.
void keep_lost(DispatcherState& state, const WorkerId& id) {
  const auto& worker = state.workers.at(id);
  if (worker.parting || !worker.status || state.clock == nullptr) return;
  auto info = info_of(state, *state.placement.node(id));
  info.used = info.running = info.queued = 0;
  info.rate_milli = 0;
  info.capabilities = info.tool_roots = info.kinds = info.labels = {};  // they may be long
  state.lost[id] = {std::move(info), state.clock->now()};
  if (state.lost.size() <= DispatcherState::kLostMax) return;
  state.lost.erase(std::ranges::min_element(state.lost, {}, [](const auto& entry) { return entry.second.at; }));
}

void forget_node(DispatcherSelf self, const caf::actor& supervisor, const caf::actor_addr& node) {
  auto& state = self->state;
  const auto known = state.nodes.find(node);
  if (known == state.nodes.end()) return;
  const auto id = known->second;
  state.nodes.erase(known);
  const auto worker = state.workers.find(id);
  if (worker == state.workers.end() || worker->second.node.address() != node) return;
  const auto incarnation = worker->second.hello.incarnation;
  self->send(supervisor, actors::NodeGone{id, incarnation});
  keep_lost(state, id);
  if (state.metrics && !worker->second.parting) state.metrics->add(Metric::workers_lost);
  state.placement.remove_node(id);
  for (auto& [chain, holder] : state.chains) {  // nobody gives these back
    const auto lent = holder.lent.extract({id, incarnation});
    if (lent.empty()) continue;
    for (std::uint32_t ticket = 0; ticket < lent.mapped(); ++ticket) state.placement.give_back(holder.share, id, incarnation);
  }
  state.workers.erase(worker);
  state.left.put(id);
}

void take_hello(DispatcherSelf self, const caf::actor& supervisor, const actors::Hello& hello) {
  auto& state = self->state;
  const WorkerId id{hello.worker};
  const auto node = caf::actor_cast<caf::actor>(self->current_sender());
  // Incarnations have no order: a later start may have begun by a clock that was set back, or on another machine. So a start that is over
  // is known by having been told so, not by its number.
  if (state.over.contains({id, hello.incarnation})) return;  // it came late
  if (const auto known = state.workers.find(id); known != state.workers.end()) {
    if (hello.incarnation == known->second.hello.incarnation) return;
    // Its earlier start may still look alive; what that one had is lost all the same.
    state.over.put({id, known->second.hello.incarnation});
    forget_node(self, supervisor, known->second.node.address());
  }
  state.workers[id] = {node, hello, std::nullopt, {}};
  state.nodes[node.address()] = id;
  state.left.erase(id);
  state.lost.erase(id);
  engine::Node offer;
  offer.id = id;
  offer.incarnation = hello.incarnation;
  offer.offered = std::make_shared<const engine::Offered>(engine::Offered{hello.kinds, hello.capabilities, hello.labels});
  offer.slots = hello.slots;
  offer.free = std::int64_t{hello.slots} * engine::kOrdersPerSlot;
  offer.state = state_of(state, id);
  state.placement.put_node(std::move(offer));
  self->monitor(node);
  // It may not have heard of it from the coordinator that ended, and uncordon has something to take back.
  const auto order = state.controls.find(id);
  if (order != state.controls.end() && order->second.drains && order->second.incarnation == hello.incarnation)
    self->send(node, actors::DrainNode{true});
  answer_claims(self, id);
  fleet_changed(self);
}

/// Of the front: that incarnation is over and will be turned away from now on, whatever its session does still.
void give_up(DispatcherSelf self, const caf::actor& supervisor, const actors::NodeGone& gone) {
  auto& state = self->state;
  state.over.put({gone.worker, gone.incarnation});
  const auto known = state.workers.find(gone.worker);
  if (known != state.workers.end() && known->second.hello.incarnation == gone.incarnation) {
    forget_node(self, supervisor, known->second.node.address());
    fleet_changed(self);
  }
  const auto claims = state.claims.find(gone.worker);
  if (claims == state.claims.end()) return;
  std::erase_if(claims->second, [&](const auto& waiting) {
    const bool meant = waiting.claim.incarnation == gone.incarnation;
    if (meant) self->send(waiting.chain, gone);
    return meant;
  });
  if (claims->second.empty()) state.claims.erase(claims);
}

void take_status(DispatcherSelf self, const actors::NodeStatus& status) {
  auto& state = self->state;
  const auto known = state.workers.find(status.worker);
  if (known == state.workers.end() || known->second.hello.incarnation != status.incarnation) return;
  auto& worker = known->second;
  worker.rate.record(status.finished, status.heartbeat_at);
  worker.status = status;
  if (state.placement.node(status.worker)->state == state_of(state, status.worker)) return;
  state.placement.set_state(status.worker, state_of(state, status.worker));
  fleet_changed(self);
}

/// What a person wants of a worker becomes durable; then Durable comes back.
void keep_control(DispatcherSelf self, const WorkerId& worker, actors::CommitNumber number) {
  auto& state = self->state;
  if (!state.journal) return;
  auto batch = std::make_shared<storage::Batch>();
  if (const auto control = state.controls.find(worker); control != state.controls.end()) {
    storage::put_node_control(*batch, worker, control->second);
  } else {
    storage::remove_node_control(*batch, worker);
  }
  self->send(state.journal, actors::Commit{std::move(batch), storage::Durability::sync, number});
}

void carry_out(DispatcherSelf self, const actors::NodeControl& control, const caf::actor& asker) {
  const auto& workers = self->state.workers;
  const auto worker = workers.find(control.worker);
  if (worker != workers.end() && control.what != actors::NodeVerb::cordon)
    self->send(worker->second.node, actors::DrainNode{control.what == actors::NodeVerb::drain});
  self->send(asker, actors::NodeControlled{control.worker, std::nullopt});
}

bool has_been_here(const DispatcherState& state, const WorkerId& id) {
  return state.workers.contains(id) || state.controls.contains(id) || state.left.contains(id);
}

std::vector<std::string> names_known(const DispatcherState& state) {
  std::set<std::string> names;
  for (const auto& [id, worker] : state.workers) names.insert(id.value);
  for (const auto& [id, order] : state.controls) names.insert(id.value);
  state.left.for_each([&](const WorkerId& id) { names.insert(id.value); });
  return {names.begin(), names.end()};
}

void control_node(DispatcherSelf self, const actors::NodeControl& control) {
  auto& state = self->state;
  const auto asker = caf::actor_cast<caf::actor>(self->current_sender());
  if (!has_been_here(state, control.worker)) {
    const auto names = names_known(state);
    auto error = make_error(Code::worker_unknown,
                            fmt::format("no worker '{}' has registered{}", control.worker.value, did_you_mean(control.worker.value, names)));
    return self->send(asker, actors::NodeControlled{control.worker, std::move(error)});
  }
  if (control.only_check) return self->send(asker, actors::NodeControlled{control.worker, {}});
  const auto worker = state.workers.find(control.worker);
  const bool here = worker != state.workers.end();
  if (control.what == actors::NodeVerb::uncordon) {
    if (state.controls.erase(control.worker) > 0 && !here) state.left.put(control.worker);
  } else {
    state.controls[control.worker] = {control.what == actors::NodeVerb::drain, here ? worker->second.hello.incarnation : 0};
  }
  if (here) {
    state.placement.set_state(control.worker, state_of(state, control.worker));
    fleet_changed(self);
  }
  if (!control.kept || !state.journal) return carry_out(self, control, asker);
  state.unwritten.emplace(++state.last_commit, std::pair{asker, control});
  keep_control(self, control.worker, state.last_commit);
}

/// The leases of earlier coordinators have ended: from now on there are none but those that this one grants.
void keep_lease(DispatcherSelf self, std::int64_t lease_ms) {
  if (!self->state.journal) return;
  auto batch = std::make_shared<storage::Batch>();
  storage::put_lease(*batch, lease_ms);
  self->send(self->state.journal, actors::Commit{std::move(batch), storage::Durability::sync, 0});
}

/// A worker that was drained has left: its next start takes work again. One that was cordoned stays so.
void take_left(DispatcherSelf self, const actors::NodeParting& parting) {
  auto& orders = self->state.controls;
  const auto order = orders.find(parting.worker);
  if (order == orders.end() || !order->second.drains || order->second.incarnation != parting.incarnation) return;
  orders.erase(order);
  keep_control(self, parting.worker, 0);
}

void take_parting(DispatcherSelf self, const actors::NodeParting& parting) {
  auto& state = self->state;
  take_left(self, parting);
  const auto known = state.workers.find(parting.worker);
  if (known == state.workers.end() || known->second.hello.incarnation != parting.incarnation) return;
  known->second.parting = true;
  state.placement.set_state(parting.worker, state_of(state, parting.worker));
  answer_parting(self, parting.worker);
  fleet_changed(self);
}

void take_ask(DispatcherSelf self, const actors::AskRoom& ask) {
  auto& state = self->state;
  const auto known = state.chains.find(caf::actor_cast<caf::actor_addr>(self->current_sender()));
  if (known == state.chains.end()) return;  // who holds nothing has nothing to help with
  remove_ask(state, known->second, ask.visit);
  if (!ask.need) return;
  const auto key = ++state.last_key;
  known->second.asked[ask.visit] = key;
  state.asks[key] = {known->first, ask.visit};
  state.placement.ask_room(key, *ask.need, ask.other_than);
  tell_room(self);
}

}  // namespace

caf::behavior dispatcher(caf::stateful_actor<DispatcherState>* self, caf::actor supervisor, DispatcherOptions options) {
  self->state.controls = std::move(options.controls);
  self->state.journal = std::move(options.journal);
  self->state.adopting = options.adopt_ms > 0;
  self->state.leased = options.lease_ms > 0;
  if (self->state.leased) self->delayed_send(self, std::chrono::milliseconds{options.lease_ms}, caf::timeout_atom_v);
  self->set_down_handler([=](const caf::down_msg& down) {
    if (self->state.chains.contains(down.source)) {
      forget_chain(self, down.source);
      serve(self);
    } else {
      forget_node(self, supervisor, down.source);
      fleet_changed(self);
    }
  });
  self->state.clock = options.clock;
  self->state.metrics = options.metrics;
  const bool shortened = options.own_lease_ms > 0 && options.own_lease_ms < options.lease_ms;
  const auto own_lease_ms = options.own_lease_ms;
  const std::chrono::milliseconds adopt{options.adopt_ms};
  return {
      [=](const actors::Hello& hello) { take_hello(self, supervisor, hello); },
      [=](const actors::NodeGone& gone) { give_up(self, supervisor, gone); },
      [=](const actors::NodeStatus& status) { take_status(self, status); },
      [=](const actors::NodeParting& parting) { take_parting(self, parting); },
      [=](const actors::NodeCached& cached) {
        const auto known = self->state.workers.find(cached.worker);
        if (known != self->state.workers.end() && known->second.hello.incarnation == cached.incarnation)
          self->state.placement.add_program(cached.worker, cached.hash);
      },
      [=](const actors::Wanted& wanted) { take_wanted(self, wanted); },
      [=](const actors::TicketBack& back) {
        take_back(self, caf::actor_cast<caf::actor_addr>(self->current_sender()), back);
        serve(self);
      },
      [=](const actors::Claim& claim) { take_claim(self, claim); },
      [=](const actors::GateOpen&) {
        if (self->state.adopting) self->delayed_send(self, adopt, caf::tick_atom_v);
      },
      [=](caf::tick_atom) {
        self->state.adopting = false;
        answer_all_claims(self);
      },
      [=](caf::timeout_atom) {
        self->state.leased = false;
        if (shortened) keep_lease(self, own_lease_ms);
        answer_all_claims(self);
      },
      [=](const actors::AskRoom& ask) { take_ask(self, ask); },
      [=](const actors::ForgetChain&) {
        const auto chain = caf::actor_cast<caf::actor>(self->current_sender());
        const auto known = self->state.chains.find(chain.address());
        if (known != self->state.chains.end()) remove_wants(self->state, known->second);
        self->send(chain, actors::ChainForgotten{});
      },
      [=](const actors::ExplainWants& ask) {
        self->send(ask.asker, explained(self->state, ask, caf::actor_cast<caf::actor_addr>(self->current_sender())));
      },
      [=](const actors::AskQueue& ask) { self->send(ask.asker, queue_of(self->state, ask)); },
      [=](const actors::AskNodes&) { self->send(caf::actor_cast<caf::actor>(self->current_sender()), nodes_of(self->state)); },
      [=](const actors::TakeGauges&) {
        if (self->state.metrics) set_gauges(*self->state.metrics, self->state);
        self->send(caf::actor_cast<caf::actor>(self->current_sender()), actors::GaugesTaken{});
      },
      [=](const actors::NodeControl& control) { control_node(self, control); },
      [=](const actors::Durable& durable) {
        const auto kept = self->state.unwritten.extract(durable.commit);
        if (!kept.empty()) carry_out(self, kept.mapped().second, kept.mapped().first);
      },
  };
}

}  // namespace catena::coordinator
