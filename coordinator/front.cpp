#include "coordinator/front.hpp"

#include <caf/actor_cast.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>
#include <fmt/format.h>

#include <utility>

#include "coordinator/trusted.hpp"

namespace catena::coordinator {
namespace {

using FrontSelf = caf::stateful_actor<FrontState>*;

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
      self->send(state.sessions.at(worker), actors::SessionOver{worker, before});
      end_session(self, context, worker, before);
      break;
    }
    case Admit::How::fresh: break;
  }
  begin_session(self, context, admit.version, std::move(greeted));
}

void admit_client(FrontSelf self, const FrontContext& context, actors::Greeted greeted) {
  auto& state = self->state;
  const auto far = greeted.far.address();
  const auto link = greeted.greeting.link;
  auto& known = state.client_fars[far];
  if (known.session && known.link == link) return;  // it greets again: its session is there
  if (known.session) self->send_exit(known.session, caf::exit_reason::user_shutdown);  // it has not seen that its link is over
  known = {context.clients(self->system(), std::move(greeted)), link};
  self->monitor(known.session);
  state.clients.emplace(known.session.address(), far);
}

void turn_away(FrontSelf self, const FrontContext& context, const actors::Greeted& greeted, TurnAway why) {
  const auto& greeting = greeted.greeting;
  if (context.sessions->log) {
    context.sessions->log(actors::LinkNews::warning,
                          fmt::format("{} '{}' from {} is turned away: {}", greeting.role == "client" ? "client" : "worker", greeting.name,
                                      greeted.address.empty() ? "this host" : greeted.address, why.words));
  }
  self->send(greeted.far, actors::TurnedAway{greeting.link, std::move(why.code), std::move(why.words)});
}

void take_greeting(FrontSelf self, const FrontContext& context, actors::Greeting& greeting) {
  actors::Greeted greeted;
  greeted.far = caf::actor_cast<caf::actor>(self->current_sender());
  if (!greeted.far) return;
  const auto peer = context.gate ? context.gate(greeting.pass) : std::nullopt;
  auto verdict = decide(greeting, peer, self->state.admission, self->state.registry);
  if (peer) {
    greeted.address = peer->address;
    greeted.subject = peer->subject;
  }
  greeted.greeting = std::move(greeting);
  if (auto* why = std::get_if<TurnAway>(&verdict)) return turn_away(self, context, greeted, std::move(*why));
  if (greeted.greeting.role == "worker") return admit(self, context, std::get<Admit>(verdict), std::move(greeted));
  if (context.clients) return admit_client(self, context, std::move(greeted));
  turn_away(self, context, greeted, {"role", "this coordinator serves no clients"});
}

}  // namespace

caf::behavior front(caf::stateful_actor<FrontState>* self, FrontContext context) {
  self->state.admission.gated = static_cast<bool>(context.gate);
  self->state.admission.software = context.sessions->software;
  self->set_down_handler([=](const caf::down_msg& down) {
    if (!has_ended(*self, down)) return;
    auto& state = self->state;
    if (const auto session = state.by_address.find(down.source); session != state.by_address.end()) {
      const auto [worker, incarnation] = session->second;
      end_session(self, context, worker, incarnation);
    } else if (const auto client = state.clients.extract(down.source); !client.empty()) {
      const auto known = state.client_fars.find(client.mapped());
      if (known != state.client_fars.end() && known->second.session.address() == down.source) state.client_fars.erase(known);
    }
  });
  self->set_exit_handler([=](const caf::exit_msg& exit) {
    if (!may_end(*self, exit)) return;
    for (const auto& [worker, session] : self->state.sessions) self->send_exit(session, caf::exit_reason::user_shutdown);
    for (const auto& [far, client] : self->state.client_fars) self->send_exit(client.session, caf::exit_reason::user_shutdown);
    self->quit(exit.reason);
  });
  return {
      [=](actors::Greeting& greeting) { take_greeting(self, context, greeting); },
      [=](const actors::SessionLink& link) { self->state.registry.set_linked(link.worker, link.incarnation, link.linked); },
      [=](const actors::SessionOver& over) { end_session(self, context, over.worker, over.incarnation); },
      [=](const actors::StopAdmitting&) { self->state.admission.stopping = true; },
  };
}

}  // namespace catena::coordinator
