#include "coordinator/worker_session.hpp"

#include <fmt/format.h>
#include <caf/actor_cast.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <limits>
#include <optional>
#include <utility>

#include "actors/directions.hpp"
#include "actors/worker_offer.hpp"
#include "base/limits.hpp"
#include "coordinator/checked_results.hpp"
#include "coordinator/file_queue.hpp"
#include "coordinator/open_orders.hpp"
#include "coordinator/sender.hpp"
#include "coordinator/session_logs.hpp"
#include "storage/chain_store.hpp"

namespace catena::coordinator {
namespace {

constexpr std::int64_t kLeasesUnclaimed = 4;
constexpr std::size_t kBacklog = 1UL << 20U;  // bytes that wait for the window before another order or program joins them
/// The results of an order are sent piece by piece, but one result may be as large as a tool's output may be.
constexpr std::size_t kReportBytesMax = limits::kToolOutputBytesMax + (32UL << 20U);
constexpr std::size_t kFetchesMax = 1024;
// Acknowledgements and the like, which nothing holds back: a worker that sends and does not read makes these pile up, and no other does.
constexpr std::size_t kWaitingMessagesMax = 65'536;

caf::behavior file_helper(caf::event_based_actor* self, const FileCaller& files, std::size_t place, const caf::actor& session) {
  return {[=](actors::FileAsked& asked) { self->send(session, actors::FileAnswered{{asked.call.id, files(std::move(asked.call.ask))}, place}); }};
}

}  // namespace

class SessionShell {
 public:
  SessionShell(caf::event_based_actor* self, SessionContext context)
      : self_{self},
        services_{std::move(context.services)},
        settings_{std::move(context.settings)},
        front_{std::move(context.front)},
        version_{context.version},
        worker_{context.greeted.greeting.name},
        incarnation_{context.greeted.greeting.incarnation},
        orders_{kLeasesUnclaimed * settings_->lease_ms} {}

  void begin(const actors::Greeted& greeted);
  void take_frames(actors::LineFrames& came);
  void take_over(const actors::LineOver& over);
  void take_order(actors::WorkOrder& order);
  void take_stop(const actors::StopOrder& stop) { pass_on(stop, orders_.stop({stop.chain, stop.grant})); }
  void take_give_back(const actors::GiveBackOrder& back) { pass_on(back, orders_.give_back({back.chain, back.grant})); }
  void take_drain(const actors::DrainNode& order);
  void take_durable(const actors::ReportDurable& durable);
  void take_file_answer(const actors::FileAnswered& answered);
  void take_down(const caf::down_msg& down);
  void take_unlent();
  void take_kept(const actors::LogsKept& kept);
  void tick();
  /// Sends what may leave.
  void pump();
  void leave(link::LinkNews news, const std::string& why);

 private:
  // what a worker says
  void take(actors::WorkReport& report);
  void take(const actors::Heartbeat& heartbeat);
  void take(const actors::Goodbye& goodbye);
  void take(const actors::Fetch& fetch);
  void take(actors::FileCall& call);
  void take(actors::LogPieces& pieces);
  void take(actors::AttemptNotes& said);
  void take(const codec::Unknown&) {}  // of a later version
  template <class Message>
  requires actors::SaidByClient<Message> || actors::SaidToWorker<Message> || actors::SaidToClient<Message>
  void take(const Message&) { break_link("it sent what no worker says"); }

  void tell_status(const actors::Heartbeat& heartbeat);
  void tell(const actors::NodeMessage& message) {
    if (channel_) channel_->say(message);
  }
  void tell_order(const OrderKey& key) {
    if (channel_) orders_.tell(key, [this](const auto& message) { tell(message); });
  }
  [[nodiscard]] bool untold(const OrderKey& key) const { return std::ranges::find(untold_, key) != untold_.end(); }
  template <class Message>
  void pass_on(const Message& message, bool known);
  [[nodiscard]] bool pump_more();
  void send_content(const std::string& hash);
  void break_link(const std::string& why);
  void drop_link();
  void return_order(const OrderKey& key);
  void leave_when_done();
  void forget_reporters();
  void wait_for_tick();
  void store(actors::LogsCame came);
  void start_file_call(FileQueue::Start start);
  /// Made once for all that is told at one commit.
  const std::string& proof_of(std::uint64_t commit) {
    if (proof_.empty() || proved_ != commit) proof_ = settings_->lineage.proof(worker_.value, commit);
    proved_ = commit;
    return proof_;
  }
  void log(link::LinkNews news, const std::string& words) const {
    if (settings_->log) settings_->log(news, fmt::format("worker '{}' {}", worker_.value, words));
  }
  [[nodiscard]] std::int64_t now() const {
    return std::chrono::duration_cast<std::chrono::milliseconds>(self_->clock().now().time_since_epoch()).count();
  }

  caf::event_based_actor* self_;
  std::shared_ptr<const Services> services_;
  std::shared_ptr<const SessionSettings> settings_;
  caf::actor front_;
  std::uint32_t version_;
  WorkerId worker_;
  Incarnation incarnation_;
  std::string address_;
  std::string software_;

  std::shared_ptr<actors::Channel> channel_;  // null: there is no link
  /// What the worker is to this session, in the order in which it comes to it; serves and drains may alternate. parting: it has said goodbye, and
  /// somebody may not know it yet; unlent: nobody has a ticket of it any more.
  enum class Phase : std::uint8_t { awaited, serves, drains, parting, unlent, left };
  Phase phase_ = Phase::awaited;
  bool leaves_ = false;  // it drains, as it says
  std::int64_t heard_ = 0;
  std::int64_t tick_due_ = 0;

  OpenOrders orders_;
  std::deque<OrderKey> untold_;  // they wait until the link has room: what waits in it is there twice
  // Not kept alive from here: a step actor whose chain died of a defect goes with it, and what it had waits to be claimed.
  std::map<OpenOrders::Reporter, caf::actor_addr> reporters_;
  std::deque<std::string> fetches_;
  std::uint64_t proved_ = 0;
  std::string proof_;  // that the worker was told of that commit
  FileQueue file_calls_;
  SessionLogs logs_;
  std::array<caf::actor, FileQueue::kAtOnce> helpers_;
};

// ---- the link -------------------------------------------------------------------------------------------------------

void SessionShell::begin(const actors::Greeted& greeted) {
  const auto& greeting = greeted.greeting;
  if (phase_ >= Phase::parting) {  // who said goodbye does not come back
    self_->send(front_, actors::SessionLink{worker_, incarnation_, false});
    greeted.channel->say(actors::TurnedAway{"stale_incarnation", "this incarnation has said goodbye"});
    greeted.channel->flush();
    return;
  }
  const bool first = phase_ == Phase::awaited;
  if (first) phase_ = Phase::serves;
  channel_ = greeted.channel;  // ends the one before, which may be half open
  channel_->set_message_bytes(kReportBytesMax);
  channel_->deliver_to(caf::actor{self_});
  address_ = greeted.peer.address;
  software_ = greeting.software;
  fetches_.clear();
  heard_ = now();
  actors::Welcome welcome;
  welcome.version = version_;
  welcome.epoch = services_->kv->epoch();
  welcome.store = settings_->store;
  welcome.life = settings_->lineage.word();
  welcome.commit = services_->kv->durable_commit();
  welcome.proof = proof_of(welcome.commit);
  welcome.software = settings_->software;
  welcome.lease_ms = settings_->lease_ms;
  welcome.heartbeat_ms = settings_->heartbeat_ms;
  logs_.begin_link(welcome, settings_->logs);
  tell(std::move(welcome));
  self_->send(front_, actors::SessionLink{worker_, incarnation_, true});
  const bool known_store = greeting.store.empty() || greeting.store == settings_->store;
  const auto open = orders_.greet(greeting.held, first, known_store, now(), [this](const auto& message) { tell(message); });
  untold_.assign(open.begin(), open.end());
  if (phase_ == Phase::drains) tell(actors::DrainNode{true});
  if (first) self_->send(services_->dispatcher, actors::offered_by(greeting));
  actors::Heartbeat unknown;
  unknown.finished = std::numeric_limits<std::uint64_t>::max();  // its rate is not known before it said twice how many it has done
  tell_status(unknown);
  log(link::LinkNews::info,
      fmt::format("{} from {} (incarnation {}, catena {}{})", first ? "joins" : "is back", address_.empty() ? "this host" : address_, incarnation_,
                  software_, greeted.peer.subject.empty() ? "" : fmt::format(", certificate of '{}'", greeted.peer.subject)));
  if (first) wait_for_tick();
  pump();
}

void SessionShell::take_frames(actors::LineFrames& came) {
  if (!channel_ || !channel_->uses(came.line)) return;  // of a link that is over
  heard_ = now();
  auto messages = channel_->decode(std::move(came.frames));
  if (!messages) return break_link(messages.error().message);
  for (auto& message : *messages) {
    std::visit([this](auto& what) { take(what); }, message);
    if (!channel_ || phase_ == Phase::left) return;
  }
  pump();
}

void SessionShell::take_over(const actors::LineOver& over) {
  if (channel_ && channel_->uses(over.line)) break_link(over.why);
}

void SessionShell::pump() {
  if (!channel_) return;
  while (pump_more()) channel_->flush();
  channel_->flush();
  if (channel_->link().waiting_messages() > kWaitingMessagesMax) break_link("it sends and does not read what it is answered");
}

/// Orders and programs, while there is room for more. False when nothing came to what waits.
bool SessionShell::pump_more() {
  bool more = false;
  for (; channel_->link().waiting() < kBacklog; more = true) {
    while (auto start = file_calls_.next()) start_file_call(std::move(*start));
    if (untold_.empty() && fetches_.empty()) break;
    if (!untold_.empty()) {
      tell_order(untold_.front());
      untold_.pop_front();
    } else {
      send_content(fetches_.front());
      fetches_.pop_front();
    }
  }
  return more;
}

void SessionShell::break_link(const std::string& why) {
  drop_link();
  log(link::LinkNews::warning, "has lost its connection: " + why);
}

void SessionShell::drop_link() {
  channel_.reset();
  fetches_.clear();
  untold_.clear();
  file_calls_.drop_waiting();
  self_->send(front_, actors::SessionLink{worker_, incarnation_, false});
}

void SessionShell::take_down(const caf::down_msg& down) {
  const auto reporter = reporters_.find(down.source.id());
  if (reporter == reporters_.end() || reporter->second != down.source) return;
  orders_.orphan(reporter->first, now());
  reporters_.erase(reporter);
}

// ---- the lease ------------------------------------------------------------------------------------------------------

void SessionShell::wait_for_tick() {
  const auto at = now();
  const auto left = std::clamp(heard_ + settings_->lease_ms - at, std::int64_t{1}, settings_->heartbeat_ms);
  tick_due_ = at + left;
  self_->delayed_send(self_, std::chrono::milliseconds{left}, caf::tick_atom_v);
}

void SessionShell::tick() {
  const auto at = now();
  // This process stood still itself: what came meanwhile has not been read yet.
  if (at - tick_due_ > settings_->heartbeat_ms) heard_ = std::min(at, heard_ + (at - tick_due_));
  if (at - heard_ >= settings_->lease_ms) return leave(link::LinkNews::warning, fmt::format("was not heard for {} ms and is given up", at - heard_));
  if (channel_) {
    for (const auto& key : orders_.let_go(at)) tell(actors::LetGo{key.chain, key.grant});
    if (orders_.unclaimed() == 0) take_kept(logs_.drop_waiting());
    pump();
    channel_->acknowledge();  // it may have much to send, and a lease to keep
  }
  wait_for_tick();
}

void SessionShell::leave(link::LinkNews news, const std::string& why) {
  if (std::exchange(phase_, Phase::left) == Phase::left) return;
  log(news, why);
  self_->send(front_, actors::SessionEnded{worker_, incarnation_});
  for (auto& helper : helpers_) {
    if (helper) self_->send_exit(helper, caf::exit_reason::user_shutdown);
  }
  self_->quit();
}

// ---- what the worker says -------------------------------------------------------------------------------------------

void SessionShell::take(actors::WorkReport& report) {
  if (report.incarnation != incarnation_) return;
  const auto routed = orders_.route(report);
  if (routed.what == OpenOrders::Routed::What::deliver) check_results(report);
  switch (routed.what) {
    case OpenOrders::Routed::What::deliver:
      if (const auto reporter = caf::actor_cast<caf::actor>(reporters_.at(routed.reporter))) self_->send(reporter, std::move(report));
      break;
    case OpenOrders::Routed::What::forget: tell(actors::OrderDone{report.chain, report.grant}); break;
    case OpenOrders::Routed::What::wait: break;
  }
}

void SessionShell::take(const actors::Heartbeat& heartbeat) {
  const auto commit = services_->kv->durable_commit();
  leaves_ = heartbeat.draining;
  tell(actors::HeartbeatAck{heartbeat.at_ms, commit, proof_of(commit)});
  tell_status(heartbeat);
}

/// Whoever has a ticket of it still may use it, and an order may be on its way here: none of those begins, and nobody is to take them for lost.
/// So the incarnation is over when nobody has one any more and all that was returned is durable, or when its lease ends.
void SessionShell::take(const actors::Goodbye& goodbye) {
  log(link::LinkNews::info, "leaves: " + goodbye.reason);
  phase_ = Phase::parting;
  tell(actors::Farewell{});
  channel_->flush();
  drop_link();
  self_->send(services_->dispatcher, actors::NodeParting{worker_, incarnation_});
  for (const auto& key : orders_.open()) return_order(key);
}

void SessionShell::return_order(const OrderKey& key) {
  auto returned = orders_.returned(key);
  if (!returned) return;
  if (const auto actor = caf::actor_cast<caf::actor>(reporters_.at(returned->second))) self_->send(actor, std::move(returned->first));
}

void SessionShell::take_unlent() {
  if (phase_ == Phase::parting) phase_ = Phase::unlent;
  leave_when_done();
}

void SessionShell::leave_when_done() {
  if (phase_ == Phase::unlent && orders_.size() == 0) leave(link::LinkNews::info, "has left");
}

void SessionShell::tell_status(const actors::Heartbeat& heartbeat) {
  actors::NodeStatus status;
  status.worker = worker_;
  status.incarnation = incarnation_;
  status.address = address_;
  status.version = software_;
  status.running = heartbeat.running;
  status.queued = heartbeat.queued;
  status.finished = heartbeat.finished;
  status.heartbeat_at = services_->clock->now();
  status.draining = heartbeat.draining || phase_ >= Phase::drains;
  self_->send(services_->dispatcher, std::move(status));
}

void SessionShell::take(const actors::Fetch& fetch) {
  if (std::ranges::find(fetches_, fetch.hash) != fetches_.end()) return;
  if (fetches_.size() >= kFetchesMax) return break_link("it wants more programs at once than there can be");
  fetches_.push_back(fetch.hash);
}

void SessionShell::send_content(const std::string& hash) {
  actors::Content content;
  content.hash = hash;
  auto blob = storage::load_blob(*services_->kv, hash);
  if (!blob) {
    content.bytes = blob.error().message;
  } else if (!*blob) {
    content.bytes = "the coordinator has no program of that hash";
  } else {
    content.found = true;
    content.bytes = std::move(**blob);
    self_->send(services_->dispatcher, actors::NodeCached{worker_, incarnation_, hash});
  }
  tell(content);
}

void SessionShell::take(actors::FileCall& call) {
  if (!settings_->files) {
    return tell(actors::FileAnswer{call.id, actors::failed_reply(make_error(Code::file_not_found, "this coordinator has no file store"))});
  }
  if (!file_calls_.add(std::move(call))) break_link("it makes more calls on files at once than a worker may");
}

void SessionShell::take(actors::LogPieces& pieces) {
  if (pieces.dropped > 0) log(link::LinkNews::info, fmt::format("had no room for {} bytes of what its attempts printed", pieces.dropped));
  store(logs_.accept(std::move(pieces), orders_.unclaimed() > 0));
}

/// Of orders that somebody waits for; the newest checkpoint comes once more with the report.
void SessionShell::take(actors::AttemptNotes& said) {
  for (auto& note : said.notes) check_note(note);
  for (auto& [listener, notes] : orders_.route(said)) {
    if (const auto reporter = caf::actor_cast<caf::actor>(reporters_.at(listener))) self_->send(reporter, std::move(notes));
  }
}

void SessionShell::store(actors::LogsCame came) {
  if (!services_->logs || came.pieces.empty()) return take_kept({came.bytes, came.link});
  came.from = caf::actor{self_};
  self_->send(services_->logs, std::move(came));
}

void SessionShell::take_kept(const actors::LogsKept& kept) {
  if (const auto credit = logs_.stored(kept)) tell(*credit), pump();
}

void SessionShell::start_file_call(FileQueue::Start start) {
  auto& helper = helpers_.at(start.place);
  if (!helper) {
    const caf::actor me{self_};
    helper = settings_->detach_files ? self_->spawn<caf::linked + caf::detached>(file_helper, settings_->files, start.place, me)
                                     : self_->spawn<caf::linked>(file_helper, settings_->files, start.place, me);
  }
  self_->send(helper, actors::FileAsked{std::move(start.call)});
}

void SessionShell::take_file_answer(const actors::FileAnswered& answered) {
  file_calls_.answered(answered.place);
  tell(answered.answer);
  pump();
}

// ---- what the coordinator wants -------------------------------------------------------------------------------------

void SessionShell::take_order(actors::WorkOrder& order) {
  order.commit = services_->kv->durable_commit();  // its grant is in it
  order.proof = proof_of(order.commit);
  const auto reporter = sender_of(*self_);
  const auto number = reporter.id();
  if (reporters_.try_emplace(number, reporter.address()).second) self_->monitor(reporter);
  const OrderKey key{order.chain, order.grant};
  store(logs_.add(order));
  orders_.add(std::move(order), number);
  forget_reporters();
  if (phase_ >= Phase::parting) return return_order(key);
  if (channel_ && !untold(key)) untold_.push_back(key);
  pump();
}

template <class Message>
void SessionShell::pass_on(const Message& message, bool known) {
  if (!known) return;
  if (!untold({message.chain, message.grant})) tell(message);
  pump();
}

void SessionShell::take_drain(const actors::DrainNode& order) {
  if (phase_ != Phase::serves && phase_ != Phase::drains) return;  // it leaves already
  const auto wanted = order.begin ? Phase::drains : Phase::serves;
  if (std::exchange(phase_, wanted) == wanted) return;
  tell(order);
  pump();
}

void SessionShell::take_durable(const actors::ReportDurable& durable) {
  if (!orders_.durable({durable.chain.value, durable.grant}, durable.items)) return;
  forget_reporters();
  leave_when_done();
  tell(actors::OrderDone{durable.chain.value, durable.grant});
  // To one that stays with what is sent next, at the latest with the answer to a heartbeat: it only frees memory by it.
  if (leaves_ || phase_ != Phase::serves) pump();
}

void SessionShell::forget_reporters() {
  for (const auto number : orders_.released()) {
    const auto reporter = reporters_.find(number);
    if (reporter == reporters_.end()) continue;
    self_->demonitor(reporter->second);
    reporters_.erase(reporter);
  }
}

// ---- the behavior ---------------------------------------------------------------------------------------------------

caf::behavior worker_session(caf::stateful_actor<SessionState>* self, SessionContext context) {
  auto first = std::move(context.greeted);
  context.greeted.greeting = first.greeting;
  self->state.shell = std::make_shared<SessionShell>(self, std::move(context));
  auto* shell = self->state.shell.get();
  self->set_down_handler([=](const caf::down_msg& down) { shell->take_down(down); });
  self->set_exit_handler([=](const caf::exit_msg& exit) {
    if (exit.reason) shell->pump(), self->quit(exit.reason);  // the worker hears what is durable
  });
  shell->begin(first);
  return {
      [=](actors::LineFrames& came) { shell->take_frames(came); },
      [=](const actors::LineOver& over) { shell->take_over(over); },
      [=](actors::WorkOrder& order) { shell->take_order(order); },
      [=](const actors::StopOrder& stop) { shell->take_stop(stop); },
      [=](const actors::GiveBackOrder& give_back) { shell->take_give_back(give_back); },
      [=](const actors::DrainNode& drain) { shell->take_drain(drain); },
      [=](const actors::ReportDurable& durable) { shell->take_durable(durable); },
      [=](const actors::FileAnswered& answered) { shell->take_file_answer(answered); },
      [=](const actors::LogsKept& kept) { shell->take_kept(kept); },
      [=](const actors::Greeted& greeted) { shell->begin(greeted); },
      [=](const actors::EndSession&) { shell->leave(link::LinkNews::info, "has ended: its next start is here"); },
      [=](const actors::TicketsSettled&) { shell->take_unlent(); },
      [=](caf::tick_atom) { shell->tick(); },
  };
}

}  // namespace catena::coordinator
