#pragma once
// A worker's end of lines, played by a test: it speaks frames, remembers what it was asked, and says only what the test or its script wants.
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

#include "actors/line_messages.hpp"
#include "actors/wire.hpp"
#include "coordinator/front.hpp"
#include "link/link.hpp"
#include "tests/coordinator/fixture.hpp"

namespace catena::coordinator::test {

/// A script of a far end: the response is the arguments.
inline std::optional<std::string> echo(const actors::Attempted& attempt) { return attempt.arguments; }

class FarEnd;

/// The coordinator's end of a line to a FarEnd: what is sent is there at once.
class FarLine final : public link::Line {
 public:
  explicit FarLine(FarEnd& far) : far_{&far} {}
  void deliver_to(Receiver receiver) override {
    receiver_ = std::move(receiver);
    if (over_) return receiver_.over(why_);
    if (!early_.empty()) receiver_.frames(std::exchange(early_, {}));
  }
  void send(std::vector<link::Frame> frames) override;
  void taken(std::size_t cost) override { untaken -= cost; }
  void end() override;

  // ---- the far side
  void bring(std::vector<link::Frame> frames) {
    if (over_) return;
    untaken += link::cost_of(frames);
    if (!receiver_.frames) {
      for (auto& frame : frames) early_.push_back(std::move(frame));
    } else {
      receiver_.frames(std::move(frames));
    }
  }
  void lose(const std::string& why) {
    if (std::exchange(over_, true)) return;
    far_ = nullptr;
    why_ = why;
    if (receiver_.over) receiver_.over(why);
  }
  [[nodiscard]] bool over() const { return over_; }
  std::size_t untaken = 0;

 private:
  FarEnd* far_;
  Receiver receiver_;
  std::vector<link::Frame> early_;
  std::string why_;
  bool over_ = false;
};

class FarEnd {
 public:
  explicit FarEnd(caf::actor_system&, std::string name = "w1", Incarnation incarnation = 1) {
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

  /// A new line over which nothing is said.
  void open_line(const caf::actor& front) {
    hang_up();
    link_.emplace();
    acknowledged_ = 0;
    broken = false;
    line_ = std::make_shared<FarLine>(*this);
    caf::anon_send(front, actors::LineCame{line_, link::Peer{address, peer_role.empty() ? greeting.role : peer_role, subject}});
  }
  /// A new line; what is held is told from what was asked. The test runs the messages.
  void greet(const caf::actor& front) {
    greeting.held.clear();
    for (const auto& [key, order] : held) greeting.held.push_back({key.first, key.second});
    open_line(front);
    say(greeting);
  }
  /// The line is lost: both ends see it.
  void hang_up() {
    if (line_) line_->lose("the connection is lost");
    line_.reset();
    link_.reset();
    welcomed_ = false;
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
  void say_frame(link::Frame frame) {
    std::vector<link::Frame> frames;
    frames.push_back(std::move(frame));
    line_->bring(std::move(frames));
  }
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

  [[nodiscard]] bool linked() const { return line_ && welcomed_; }
  /// The line, whether the coordinator knows it or not.
  [[nodiscard]] bool has_line() const { return line_ != nullptr; }
  [[nodiscard]] std::shared_ptr<FarLine> line() const { return line_; }
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
  std::string address;                                                         // as the gate sees it
  std::string subject;                                                         // the name in its certificate
  std::string peer_role;                                                       // as the gate admitted it; empty: that of the greeting
  std::function<std::optional<std::string>(const actors::Attempted&)> script;  // the response; null: the test answers
  std::map<std::pair<std::string, GrantId>, Held> held;
  std::vector<actors::NodeMessage> inbox;
  std::vector<std::string> executions;  // keys of attempts that began
  std::vector<actors::Welcome> welcomes;
  std::vector<actors::TurnedAway> turned;
  std::int64_t beats = 0;
  bool broken = false;  // the coordinator ended the line
  bool slow = false;    // it says nothing of frames that came

 private:
  friend class FarLine;

  void take(std::vector<link::Frame> frames) {
    for (auto& frame : frames) {
      if (!link_) return;
      auto messages = link_->receive(std::move(frame));
      if (!messages) throw std::runtime_error{render(messages.error())};
      for (const auto& bytes : *messages) {
        auto message = actors::decode_message(bytes);
        if (!message) throw std::runtime_error{render(message.error())};
        take(*message);
      }
    }
    if (!slow && link_) pump();
  }

  void take(const actors::NodeMessage& message) {
    if (const auto* welcome = std::get_if<actors::Welcome>(&message)) {
      welcomed_ = true;
      return welcomes.push_back(*welcome);
    }
    if (const auto* away = std::get_if<actors::TurnedAway>(&message)) return turned.push_back(*away);
    inbox.push_back(message);
    if (const auto* order = std::get_if<actors::WorkOrder>(&message)) take(*order);
    if (const auto* done = std::get_if<actors::OrderDone>(&message)) held.erase({done->chain, done->grant});
    if (const auto* let_go = std::get_if<actors::LetGo>(&message)) held.erase({let_go->chain, let_go->grant});
  }

  void ended_there() {
    broken = true;
    line_.reset();
    link_.reset();
    welcomed_ = false;
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
    if (!line_) return;
    const auto line = line_;
    auto frames = link_->outgoing();
    for (auto& frame : frames) {
      if (slow) frame.acked = acknowledged_;
      acknowledged_ = frame.acked;
    }
    if (!frames.empty()) line->bring(std::move(frames));
  }

  std::shared_ptr<FarLine> line_;
  std::optional<link::Link> link_;
  std::uint64_t acknowledged_ = 0;  // over this line
  bool welcomed_ = false;
};

inline void FarLine::send(std::vector<link::Frame> frames) {
  if (!over_ && far_ != nullptr) far_->take(std::move(frames));
}

inline void FarLine::end() {
  if (std::exchange(over_, true)) return;
  if (auto* const far = std::exchange(far_, nullptr); far != nullptr && far->line_.get() == this) far->ended_there();
}

/// A coordinator with a front, in virtual time; workers come as far ends.
class Cluster {
 public:
  static constexpr Millis kLease{5000};
  static constexpr Millis kHeartbeat{1000};

  explicit Cluster(Options options = {.workers = {}}) : f{std::move(options)} {
    settings->lease_ms = kLease.count();
    settings->heartbeat_ms = kHeartbeat.count();
    settings->store = "store-1";
    settings->lineage = storage::begin_life(f.kv, {"life-1", "secret"}).value();
    settings->software = "0.1.0";
    settings->detach_files = false;
    settings->log = [this](link::LinkNews, std::string_view line) { log.emplace_back(line); };
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
    front =
        f.system.spawn(coordinator::front, FrontContext{f.services(), settings, clients, [this](const Error& error) { rewound.push_back(error); }});
    f.run();
  }
  /// Every actor of the coordinator dies, what was not synced is lost, and all start again; far ends lose their connections.
  void crash(const std::vector<FarEnd*>& fars) {
    caf::anon_send_exit(front, caf::exit_reason::kill);
    for (const auto& [worker, session] : Fixture::state_of<FrontState>(front).sessions) caf::anon_send_exit(session, caf::exit_reason::kill);
    for (auto* far : fars) far->hang_up();
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
  [[nodiscard]] caf::actor session_of(const FarEnd& far) const {
    return Fixture::state_of<FrontState>(front).sessions.at(WorkerId{far.greeting.name});
  }
  [[nodiscard]] bool logged(const std::string& words) const {
    return std::ranges::any_of(log, [&](const auto& line) { return line.find(words) != std::string::npos; });
  }

  Fixture f;
  std::shared_ptr<SessionSettings> settings = std::make_shared<SessionSettings>();
  SpawnClient clients;
  std::vector<Error> rewound;
  caf::actor front;
  std::vector<std::string> log;
};

}  // namespace catena::coordinator::test
