#pragma once
// A worker's end of connections, played by a test: it speaks frames, remembers what it was asked, and says only what the test or its
// script wants. Each connection is an actor of its own, so that losing it is seen.
#include <algorithm>
#include <caf/all.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "actors/link.hpp"
#include "actors/wire.hpp"
#include "coordinator/front.hpp"
#include "tests/coordinator/fixture.hpp"

namespace catena::coordinator::test {

/// A script of a far end: the response is the arguments.
inline std::optional<std::string> echo(const actors::Attempted& attempt) { return attempt.arguments; }

class FarEnd {
 public:
  explicit FarEnd(caf::actor_system& system, std::string name = "w1", Incarnation incarnation = 1) : system_{system} {
    greeting.role = "worker";
    greeting.name = std::move(name);
    greeting.incarnation = incarnation;
    greeting.slots = 2;
    greeting.kinds = {"*"};
    greeting.labels = {"*"};
    greeting.software = "test";
  }
  ~FarEnd() { hang_up(); }
  FarEnd(const FarEnd&) = delete;
  FarEnd& operator=(const FarEnd&) = delete;

  /// A new connection; what is held is told from what was asked. The test runs the messages.
  void greet(const caf::actor& front) {
    hang_up();
    greeting.link = ++last_link_;
    greeting.held.clear();
    for (const auto& [key, order] : held) greeting.held.push_back({key.first, key.second});
    link_.reset();
    session = nullptr;
    connection_ = system_.spawn(connection, this);
    caf::send_as(connection_, front, greeting);
  }
  /// Once more over the same connection.
  void greet_again(const caf::actor& front) {
    caf::send_as(connection_, front, greeting);
  }
  /// The connection is lost: both ends see it.
  void hang_up() {
    if (connection_) caf::anon_send_exit(connection_, caf::exit_reason::kill);
    connection_ = nullptr;
    link_.reset();
  }
  void say(const actors::NodeMessage& message) {
    link_->send(actors::encode(message));
    pump();
  }
  /// Bytes in place of a message.
  void say_bytes(std::string bytes) {
    link_->send(std::move(bytes));
    pump();
  }
  void say_frame(actors::Frame frame) { caf::send_as(connection_, session, std::move(frame)); }
  void beat() {
    actors::Heartbeat heartbeat;
    heartbeat.at_ms = ++beats;
    heartbeat.running = 1;
    say(heartbeat);
  }
  /// Answers one item of an order that is held, and keeps the result.
  void answer(const std::string& chain, GrantId grant, ItemIndex item, const std::string& text = "{}") {
    auto& order = held.at({chain, grant});
    order.results[item] = {item, true, text, 1000};
    send_results(chain, grant, {item});
  }
  void send_results(const std::string& chain, GrantId grant, const std::vector<ItemIndex>& items) {
    const auto& order = held.at({chain, grant});
    actors::WorkReport report;
    report.chain = chain;
    report.grant = grant;
    report.incarnation = greeting.incarnation;
    for (const auto item : items) {
      if (order.results.contains(item)) report.results.push_back(order.results.at(item));
    }
    if (!report.results.empty() && link_) say(report);
  }

  /// Answers all that is held and has no answer yet.
  void answer_all() {
    for (auto& [key, order] : held) {
      for (const auto item : order.items) order.results.try_emplace(item, actors::AttemptResult{item, true, "{}", 1000});
      send_results(key.first, key.second, order.items);
    }
  }

  [[nodiscard]] bool linked() const { return link_.has_value(); }
  [[nodiscard]] std::uint64_t link() const { return link_->id(); }
  template <class Message>
  [[nodiscard]] std::vector<Message> all() const {
    std::vector<Message> found;
    for (const auto& message : inbox) {
      if (const auto* what = std::get_if<Message>(&message)) found.push_back(*what);
    }
    return found;
  }
  template <class Message>
  [[nodiscard]] std::size_t count() const {
    return all<Message>().size();
  }
  /// How often an attempt began: keys of attempts, with the number of the attempt.
  [[nodiscard]] std::size_t runs(const std::string& key) const { return static_cast<std::size_t>(std::ranges::count(executions, key)); }

  struct Held {
    std::vector<ItemIndex> items;
    std::map<ItemIndex, actors::AttemptResult> results;
  };

  actors::Greeting greeting;
  std::function<std::optional<std::string>(const actors::Attempted&)> script;  // the response; null: the test answers
  std::map<std::pair<std::string, GrantId>, Held> held;
  std::vector<actors::NodeMessage> inbox;
  std::vector<std::string> executions;  // keys of attempts that began
  std::vector<actors::Welcome> welcomes;
  std::vector<actors::TurnedAway> turned;
  caf::actor session;
  std::int64_t beats = 0;
  bool broken = false;  // a frame came that breaks the link
  bool slow = false;    // it says nothing of frames that came

 private:
  static caf::behavior connection(caf::event_based_actor* self, FarEnd* far) {
    return {
        [=](const actors::Welcome& welcome) {
          far->welcomes.push_back(welcome);
          far->session = caf::actor_cast<caf::actor>(self->current_sender());
          far->link_.emplace(welcome.link);
        },
        [=](const actors::TurnedAway& away) { far->turned.push_back(away); },
        [=](actors::Frame& frame) { far->take(frame); },
    };
  }

  void take(actors::Frame& frame) {
    if (!link_ || frame.link != link_->id()) return;
    auto messages = link_->take(std::move(frame));
    if (!messages) {
      broken = true;
      return link_.reset();
    }
    for (const auto& bytes : *messages) {
      auto message = actors::decode_message(bytes);
      if (!message) throw std::runtime_error{render(message.error())};
      inbox.push_back(*message);
      if (const auto* order = std::get_if<actors::WorkOrder>(&*message)) take(*order);
      if (const auto* done = std::get_if<actors::OrderDone>(&*message)) held.erase({done->chain, done->grant});
      if (const auto* let_go = std::get_if<actors::LetGo>(&*message)) held.erase({let_go->chain, let_go->grant});
    }
    if (!slow) pump();
  }

  void take(const actors::WorkOrder& order) {
    auto& known = held[{order.chain, order.grant}];
    std::vector<ItemIndex> answered;
    for (const auto& attempt : order.attempts) {
      if (std::ranges::find(known.items, attempt.item) == known.items.end()) {
        known.items.push_back(attempt.item);
        executions.push_back(attempt.key);
        const auto text = script ? script(attempt) : std::nullopt;
        if (text) known.results[attempt.item] = {attempt.item, true, *text, 1000};
      }
      if (known.results.contains(attempt.item)) answered.push_back(attempt.item);
    }
    send_results(order.chain, order.grant, answered);
  }

  void pump() {
    for (auto& frame : link_->outgoing()) caf::send_as(connection_, session, std::move(frame));
  }

  caf::actor_system& system_;
  caf::actor connection_;
  std::optional<actors::Link> link_;
  std::uint64_t last_link_ = 0;
};

/// A coordinator with a front, in virtual time; workers come as far ends.
class Cluster {
 public:
  static constexpr Millis kLease{5000};
  static constexpr Millis kHeartbeat{1000};

  explicit Cluster(Options options = {.workers = {}}) : f{std::move(options)} {
    settings->lease_ms = kLease.count();
    settings->heartbeat_ms = kHeartbeat.count();
    settings->store = "store-1";
    settings->software = "0.1.0";
    settings->detach_files = false;
    settings->log = [this](actors::LinkNews, std::string_view line) { log.emplace_back(line); };
    start_front();
  }
  ~Cluster() {
    caf::anon_send_exit(front, caf::exit_reason::user_shutdown);
    f.run();
    front = nullptr;
  }
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  void start_front() {
    front = f.system.spawn(coordinator::front, FrontContext{f.services(), settings, gate, clients});
    f.run();
  }
  /// Every actor of the coordinator dies, what was not synced is lost, and all start again; far ends lose their connections.
  void crash(const std::vector<FarEnd*>& fars) {
    caf::anon_send_exit(front, caf::exit_reason::kill);
    for (const auto& [worker, session] : Fixture::state_of<FrontState>(front).sessions) caf::anon_send_exit(session, caf::exit_reason::kill);
    for (auto* far : fars) {
      far->hang_up();
      far->session = nullptr;
    }
    front = nullptr;
    f.crash();
    start_front();
  }
  void greet(FarEnd& far) {
    far.greet(front);
    f.run();
  }
  /// Lets time pass in small steps; those workers are heard meanwhile.
  void pass(Millis time, const std::vector<FarEnd*>& heard = {}) {
    constexpr Millis kStep{250};
    for (Millis gone{0}; gone < time; gone += kStep) {
      f.advance(kStep);
      for (auto* far : heard) far->beat();
      f.run();
    }
  }
  [[nodiscard]] bool logged(const std::string& words) const {
    return std::ranges::any_of(log, [&](const auto& line) { return line.find(words) != std::string::npos; });
  }

  Fixture f;
  std::shared_ptr<SessionSettings> settings = std::make_shared<SessionSettings>();
  AskGate gate;
  SpawnClient clients;
  caf::actor front;
  std::vector<std::string> log;
};

}  // namespace catena::coordinator::test
