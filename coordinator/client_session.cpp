#include "coordinator/client_session.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

#include <algorithm>
#include <deque>
#include <utility>

#include "actors/directions.hpp"
#include "coordinator/call_server.hpp"
#include "coordinator/client_calls.hpp"

namespace catena::coordinator {
namespace {

/// Of a call that has not been served, beside its bytes.
constexpr std::size_t kCallCost = 64;

storage::Asker asker_of(const ClientContext& context) {
  const auto& user = context.settings->local_user;
  if (!user.empty()) return {storage::AskedVia::local, user, {}};
  const auto& peer = context.greeted.peer;
  return {storage::AskedVia::cluster, peer.subject, peer.address};
}

/// What the calls of a connection may be, and who makes them.
CallServerOptions options_of(const ClientContext& context) {
  CallServerOptions options;
  options.services = context.services;
  options.by = asker_of(context);
  options.files = context.settings->files;
  options.detach = context.settings->detach_files;
  options.calls = context.limits.calls;
  options.program_bytes = context.limits.program_bytes;
  return options;
}

}  // namespace

class ClientShell {
 public:
  ClientShell(caf::event_based_actor* self, ClientContext context)
      : self_{self},
        context_{std::move(context)},
        calls_{self, options_of(context_),
               [this](std::uint64_t call, std::string answer) {
                 if (!left_) channel_->say(actors::ClientAnswer{call, std::move(answer)});
               }},
        channel_{std::move(context_.greeted.channel)} {}

  void begin();
  void take_frames(actors::LineFrames& came);
  void take_over(const actors::LineOver& over);
  /// What `take` does with the calls, and what follows from it.
  template <class Take>
  void with_calls(const Take& take) {
    take(calls_);
    pump();
  }
  void leave();

 private:
  // what comes over the line; false: no client says this
  bool hear(const codec::Unknown&) { return true; }  // of a later version
  bool hear(actors::ClientCall& call);
  template <class Said>
  requires actors::SaidByWorker<Said> || actors::SaidToWorker<Said> || actors::SaidToClient<Said>
  bool hear(const Said&) { return false; }
  void serve_next();
  void pump();
  [[nodiscard]] const Services& services() const { return *context_.services; }

  caf::event_based_actor* self_;
  ClientContext context_;
  CallServer calls_;
  std::shared_ptr<actors::Channel> channel_;
  bool left_ = false;
  std::deque<actors::ClientCall> unserved_;
  std::size_t unserved_bytes_ = 0;
};

// ---- the link ---------------------------------------------------------------------------------------------------------

void ClientShell::begin() {
  const auto& greeting = context_.greeted.greeting;
  channel_->set_message_bytes(context_.limits.message_bytes);
  channel_->deliver_to(caf::actor{self_});
  actors::Welcome welcome;
  welcome.version = std::min(actors::kProtocolMost, greeting.version_most);
  welcome.epoch = services().kv->epoch();
  welcome.store = context_.settings->store;
  welcome.software = context_.settings->software;
  welcome.lease_ms = context_.settings->lease_ms;
  welcome.heartbeat_ms = context_.settings->heartbeat_ms;
  channel_->say(std::move(welcome));
  pump();
}

void ClientShell::take_frames(actors::LineFrames& came) {
  if (left_ || !channel_->uses(came.line)) return;
  auto messages = channel_->decode(std::move(came.frames));
  if (!messages) return leave();
  for (auto& message : *messages) {
    if (!std::visit([this](auto& said) { return hear(said); }, message)) return leave();
  }
  pump();
}

bool ClientShell::hear(actors::ClientCall& call) {
  unserved_bytes_ += kCallCost + call.body.size();
  unserved_.push_back(std::move(call));
  return true;
}

void ClientShell::serve_next() {
  const auto call = std::move(unserved_.front());
  unserved_.pop_front();
  unserved_bytes_ -= kCallCost + call.body.size();
  calls_.serve(call.id, read_call(call.body));
}

void ClientShell::take_over(const actors::LineOver& over) {
  if (!left_ && channel_->uses(over.line)) leave();
}

/// A call of forty bytes may have an answer of a quarter MiB: while answers wait for the window, or many questions for theirs, the next
/// calls wait.
void ClientShell::pump() {
  if (left_) return;
  channel_->flush();
  while (!left_ && !unserved_.empty() && calls_.asked() < kAskedAtATime && channel_->link().waiting() == 0) {
    serve_next();
    if (!left_) channel_->flush();
  }
  // it asks and does not read
  if (!left_ &&
      (channel_->link().waiting() > context_.limits.answers_bytes || unserved_bytes_ > context_.limits.answers_bytes + context_.limits.message_bytes))
    leave();
}

void ClientShell::leave() {
  if (std::exchange(left_, true)) return;
  calls_.leave();
  channel_.reset();
  self_->quit();
}

// ---- the behavior -----------------------------------------------------------------------------------------------------

caf::behavior client_session(caf::stateful_actor<ClientSessionState>* self, ClientContext context) {
  self->state.shell = std::make_shared<ClientShell>(self, std::move(context));
  auto* shell = self->state.shell.get();
  self->set_exit_handler([=](const caf::exit_msg&) { shell->leave(); });
  shell->begin();
  return {
      [=](actors::LineFrames& came) { shell->take_frames(came); },
      [=](const actors::LineOver& over) { shell->take_over(over); },
      [=](actors::CallAnswered& answered) { shell->with_calls([&](CallServer& calls) { calls.take_answer(std::move(answered)); }); },
      [=](const actors::ChainEnded& ended) { shell->with_calls([&](CallServer& calls) { calls.take_ended(ended); }); },
      [=](const actors::Refused& refused) { shell->with_calls([&](CallServer& calls) { calls.take_refused(refused); }); },
      [=](const actors::Progress& progress) { shell->with_calls([&](CallServer& calls) { calls.take_progress(progress); }); },
  };
}

}  // namespace catena::coordinator
