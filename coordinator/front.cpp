#include "coordinator/front.hpp"

#include <fmt/format.h>
#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

#include <chrono>
#include <utility>

namespace catena::coordinator {
namespace {

using FrontSelf = caf::stateful_actor<FrontState>*;

constexpr std::chrono::seconds kGreetingMax{10};
/// What a worker offers and holds takes some hundred KiB at most.
constexpr std::size_t kGreetingBytesMax = 4UL << 20U;

std::string_view address_of(const link::Peer& peer) { return peer.address.empty() ? std::string_view{"this host"} : std::string_view{peer.address}; }

/// The dispatcher hears of it before any other incarnation can offer itself.
void end_session(FrontSelf self, const FrontContext& context, const WorkerId& worker, Incarnation incarnation) {
  auto& state = self->state;
  if (!state.registry.give_up(worker, incarnation, context.services->clock->now())) return;
  self->send(context.services->dispatcher, actors::NodeGone{worker, incarnation});
  const auto session = state.sessions.find(worker);
  if (session == state.sessions.end()) return;
  const auto known = state.by_address.find(session->second.address());
  if (known == state.by_address.end() || known->second.incarnation != incarnation) return;
  self->demonitor(session->second);
  state.by_address.erase(known);
  state.sessions.erase(session);
}

void begin_session(FrontSelf self, const FrontContext& context, std::uint32_t version, actors::Greeted greeted) {
  auto& state = self->state;
  const WorkerId worker{greeted.greeting.name};
  const auto incarnation = greeted.greeting.incarnation;
  auto home = greeted.greeting.home;
  SessionContext session{context.services, context.sessions, caf::actor{self}, version, std::move(greeted)};
  const auto actor = self->spawn<caf::monitored>(worker_session, std::move(session));
  state.registry.begin(worker, incarnation, std::move(home));
  state.sessions[worker] = actor;
  state.by_address[actor.address()] = {worker, incarnation};
}

void admit(FrontSelf self, const FrontContext& context, const Admit& admit, actors::Greeted greeted) {
  auto& state = self->state;
  const WorkerId worker{greeted.greeting.name};
  switch (admit.how) {
    case Admit::How::again:
      state.registry.set_linked(worker, greeted.greeting.incarnation, true);
      self->send(state.sessions.at(worker), std::move(greeted));
      return;
    case Admit::How::replaces: {
      const auto before = state.registry.find(worker)->incarnation;
      self->send(state.sessions.at(worker), actors::EndSession{});
      end_session(self, context, worker, before);
      break;
    }
    case Admit::How::fresh: break;
  }
  begin_session(self, context, admit.version, std::move(greeted));
}

void admit_client(FrontSelf self, const FrontContext& context, actors::Greeted greeted) {
  const auto session = context.clients(self->system(), std::move(greeted));
  self->monitor(session);
  self->state.clients.insert(session);
}

void turn_away(const FrontContext& context, const actors::Greeted& greeted, TurnAway why) {
  const auto& greeting = greeted.greeting;
  if (context.sessions->log) {
    context.sessions->log(link::LinkNews::warning, fmt::format("{} '{}' from {} is turned away: {}", greeting.role == "client" ? "client" : "worker",
                                                               greeting.name, address_of(greeted.peer), why.words));
  }
  greeted.channel->say(actors::TurnedAway{std::move(why.code), std::move(why.words)});
  greeted.channel->flush();
}

void end_for_loss(FrontSelf self, const FrontContext& context, Rewound why) {
  self->state.admission.stopping = true;
  if (context.rewound) context.rewound(make_error(Code::storage_rewound, std::move(why.words)));
}

void hear_greeting(FrontSelf self, const FrontContext& context, FrontState::Guest guest, actors::Greeting greeting) {
  auto& state = self->state;
  state.admission.durable_commit = context.services->kv->durable_commit();
  auto verdict = decide(greeting, guest.peer, state.admission, state.registry);
  actors::Greeted greeted{std::move(greeting), std::move(guest.channel), std::move(guest.peer)};
  if (auto* why = std::get_if<Rewound>(&verdict)) return end_for_loss(self, context, std::move(*why));
  if (auto* why = std::get_if<TurnAway>(&verdict)) return turn_away(context, greeted, std::move(*why));
  if (greeted.greeting.role == "worker") return admit(self, context, std::get<Admit>(verdict), std::move(greeted));
  if (context.clients) return admit_client(self, context, std::move(greeted));
  turn_away(context, greeted, {"role", "this coordinator serves no clients"});
}

void begin_line(FrontSelf self, const actors::LineCame& came) {
  link::LinkLimits limits;
  limits.message_bytes = kGreetingBytesMax;
  auto channel = std::make_shared<actors::Channel>(came.line, limits);
  self->state.guests[came.line.get()] = {std::move(channel), came.peer};
  self->delayed_send(self, kGreetingMax, actors::GreetingDue{came.line});
  actors::deliver(came.line, caf::actor{self});
}

/// Whoever is no guest has a session, or is gone.
void hear_frames(FrontSelf self, const FrontContext& context, actors::LineFrames& came) {
  auto& guests = self->state.guests;
  const auto guest = guests.find(came.line.get());
  if (guest == guests.end()) return;
  auto heard = guest->second.channel->decode(std::move(came.frames));
  if (heard && heard->empty()) return;
  auto entry = std::move(guest->second);
  guests.erase(guest);
  auto* greeting = heard ? std::get_if<actors::Greeting>(&heard->front()) : nullptr;
  if (greeting != nullptr && heard->size() == 1) return hear_greeting(self, context, std::move(entry), std::move(*greeting));
  if (context.sessions->log)
    context.sessions->log(link::LinkNews::warning, fmt::format("{} begins with something else than a greeting", address_of(entry.peer)));
}

}  // namespace

caf::behavior front(caf::stateful_actor<FrontState>* self, FrontContext context) {
  self->state.admission.software = context.sessions->software;
  self->state.admission.store = context.sessions->store;
  self->state.admission.lineage = context.sessions->lineage;
  self->set_down_handler([=](const caf::down_msg& down) {
    auto& state = self->state;
    if (const auto session = state.by_address.find(down.source); session != state.by_address.end()) {
      const auto [worker, incarnation] = session->second;
      end_session(self, context, worker, incarnation);
    } else {
      std::erase_if(state.clients, [&](const caf::actor& client) { return client.address() == down.source; });
    }
  });
  self->set_exit_handler([=](const caf::exit_msg& exit) {
    for (const auto& [worker, session] : self->state.sessions) self->send_exit(session, caf::exit_reason::user_shutdown);
    for (const auto& client : self->state.clients) self->send_exit(client, caf::exit_reason::user_shutdown);
    self->quit(exit.reason);
  });
  return {
      [=](const actors::LineCame& came) { begin_line(self, came); },
      [=](actors::LineFrames& came) { hear_frames(self, context, came); },
      [=](const actors::LineOver& over) { self->state.guests.erase(over.line.get()); },
      [=](const actors::GreetingDue& due) {
        if (const auto line = due.line.lock()) self->state.guests.erase(line.get());
      },
      [=](const actors::SessionLink& link) { self->state.registry.set_linked(link.worker, link.incarnation, link.linked); },
      [=](const actors::SessionEnded& over) { end_session(self, context, over.worker, over.incarnation); },
      [=](const actors::StopAdmitting&) { self->state.admission.stopping = true; },
  };
}

}  // namespace catena::coordinator
