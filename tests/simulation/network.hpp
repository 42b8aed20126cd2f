#pragma once
// What lies between workers and the coordinator. Each connection has stand-ins on both sides: what one side sends to the stand-in of an
// actor of the other reaches that actor later, twice, out of order or never, as the weather is. A connection can be cut so that both sides
// are told, or so that nobody is.
#include <algorithm>
#include <caf/all.hpp>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/simulation/schedule.hpp"

namespace catena::simulation {

/// One in so many messages; 0: none.
struct Weather {
  std::uint32_t dropped = 0;
  std::uint32_t doubled = 0;
  std::uint32_t overtaken = 0;
  std::int64_t delay_most_ms = 0;
};

enum class Cut { told, silent };

class Network {
 public:
  /// What comes of a call: the front's stand-in, or words.
  using Answer = std::function<void(caf::actor front, std::string error)>;

  Network(Schedule& schedule, std::uint64_t seed) : schedule_{schedule}, dice_{seed} {}
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  Weather weather;

  /// The coordinator is there (or not: null).
  void listen(caf::actor front) { front_ = std::move(front); }
  void call(Process worker, Answer answer);

  /// No call of the worker gets through, and nothing that is sent.
  void part(Process worker) { parted_.insert(worker); }
  void join(Process worker) { parted_.erase(worker); }
  void cut(Process worker, Cut how);
  void cut_all(Cut how) {
    for (auto& connection : connections_) close(*connection, how);
  }
  [[nodiscard]] std::size_t open_connections() const {
    return static_cast<std::size_t>(std::ranges::count_if(connections_, [](const auto& connection) { return connection->open; }));
  }
  /// Stand-ins of connections that are cut and that nobody was told of: they go as a kernel gives up in the end.
  void reap();

  struct Counts {
    std::uint64_t sent = 0, dropped = 0, doubled = 0, overtaken = 0, cuts = 0, calls = 0, refused = 0;
  };
  Counts counts;
  std::vector<std::string> foreign;  // what was sent over the network and must not be
  /// Sees what is handed to the network, whether it arrives or not.
  std::function<void(Process worker, const actors::Greeting&)> on_greeting;
  std::function<void(Process worker, const actors::Frame&)> on_frame;

 private:
  struct Parcel {
    caf::actor_clock::time_point due;
    caf::message content;
    caf::strong_actor_ptr sender;  // on the far side, of who sent it
  };
  struct Connection {
    Process worker = 0;
    bool open = true;
    std::map<caf::actor_id, caf::actor> stand_ins;  // by whom they stand for
  };
  struct StandInState {
    std::deque<Parcel> queue;
    std::map<std::uint64_t, Parcel> loose;  // that may overtake others
    std::uint64_t last_loose = 0;
    bool armed = false;
    static inline const char* name = "stand-in";
  };
  using StandIn = caf::stateful_actor<StandInState>;

  static caf::behavior stand_in(StandIn* self, Network* network, std::shared_ptr<Connection> connection, caf::actor target);
  caf::actor stand_in_for(const std::shared_ptr<Connection>& connection, const caf::actor& target);
  void carry(StandIn* self, const std::shared_ptr<Connection>& connection, const caf::actor& target, caf::message content);
  static void deliver(const caf::actor& target, Parcel parcel) {
    if (auto* receiver = caf::actor_cast<caf::abstract_actor*>(target))
      receiver->enqueue(std::move(parcel.sender), caf::make_message_id(), std::move(parcel.content), nullptr);
  }
  void close(Connection& connection, Cut how);

  Schedule& schedule_;
  Dice dice_;
  caf::actor front_;
  std::vector<std::shared_ptr<Connection>> connections_;
  std::set<Process> parted_;
};

// ---- in detail --------------------------------------------------------------------------------------------------------

inline void Network::call(Process worker, Answer answer) {
  ++counts.calls;
  // the connection before is given up; the other side hears of it unless the network keeps it to itself
  cut(worker, parted_.contains(worker) || dice_.one_in(4) ? Cut::silent : Cut::told);
  constexpr std::int64_t kSoon = 20, kGivenUp = 2000;
  const bool silence = parted_.contains(worker) || schedule_.frozen(kCoordinator);
  const Millis delay{silence ? dice_.between(kSoon, kGivenUp) : dice_.between(0, std::min(kSoon, weather.delay_most_ms))};
  schedule_.after(delay, [this, worker, answer = std::move(answer)] {
    if (!front_ || parted_.contains(worker) || schedule_.frozen(kCoordinator)) {
      ++counts.refused;
      return answer(nullptr, front_ ? "no answer" : "connection refused");
    }
    auto connection = std::make_shared<Connection>();
    connection->worker = worker;
    connections_.push_back(connection);
    answer(stand_in_for(connection, front_), {});
  });
}

inline void Network::cut(Process worker, Cut how) {
  for (auto& connection : connections_) {
    if (connection->worker == worker && (connection->open || how == Cut::told)) close(*connection, how);
  }
}

inline void Network::close(Connection& connection, Cut how) {
  if (connection.open) ++counts.cuts;
  connection.open = false;
  if (how == Cut::silent) return;
  for (const auto& [id, actor] : connection.stand_ins) caf::anon_send_exit(actor, caf::exit_reason::remote_link_unreachable);
  connection.stand_ins.clear();
}

inline void Network::reap() {
  for (auto& connection : connections_) {
    if (!connection->open) close(*connection, Cut::told);
  }
  std::erase_if(connections_, [](const auto& connection) { return !connection->open; });
}

inline caf::actor Network::stand_in_for(const std::shared_ptr<Connection>& connection, const caf::actor& target) {
  auto& known = connection->stand_ins[target.id()];
  if (!known) known = schedule_.in(kHarness, [&] { return schedule_.system.spawn(stand_in, this, connection, target); });
  return known;
}

inline caf::behavior Network::stand_in(StandIn* self, Network* network, std::shared_ptr<Connection> connection, caf::actor target) {
  self->monitor(target);
  self->set_down_handler([=](const caf::down_msg& down) {
    // the process is told as a kernel tells it: at once, or not at all where the connection is cut
    if (connection->open) self->quit(down.reason);
  });
  const auto pass_on = [=](caf::message content) { network->carry(self, connection, target, std::move(content)); };
  self->set_default_handler([=](caf::scheduled_actor*, caf::message_view& view) -> caf::result<caf::message> {
    network->foreign.push_back(caf::to_string(view.move_content_to_message()));
    return caf::message{};
  });
  return {
      [=](actors::Greeting& message) {
        if (network->on_greeting) network->on_greeting(connection->worker, message);
        pass_on(caf::make_message(std::move(message)));
      },
      [=](actors::Welcome& message) { pass_on(caf::make_message(std::move(message))); },
      [=](actors::TurnedAway& message) { pass_on(caf::make_message(std::move(message))); },
      [=](actors::Frame& message) {
        if (network->on_frame) network->on_frame(connection->worker, message);
        pass_on(caf::make_message(std::move(message)));
      },
      [=](caf::tick_atom) {
        auto& state = self->state;
        const auto now = network->schedule_.scheduler.clock().now();
        while (!state.queue.empty() && state.queue.front().due <= now) {
          if (connection->open) deliver(target, std::move(state.queue.front()));
          state.queue.pop_front();
        }
        state.armed = !state.queue.empty();
        if (state.armed) self->delayed_send(self, state.queue.front().due - now, caf::tick_atom_v);
      },
      [=](std::uint64_t loose) {
        const auto parcel = self->state.loose.extract(loose);
        if (connection->open) deliver(target, std::move(parcel.mapped()));
      },
  };
}

inline void Network::carry(StandIn* self, const std::shared_ptr<Connection>& connection, const caf::actor& target, caf::message content) {
  ++counts.sent;
  if (!connection->open || parted_.contains(connection->worker)) return;
  const auto sender = caf::actor_cast<caf::actor>(self->current_sender());
  if (!sender) return foreign.push_back("a message without a sender");
  if (dice_.one_in(weather.dropped)) {
    ++counts.dropped;
    return;
  }
  const auto now = schedule_.scheduler.clock().now();
  const auto delay = [&] { return Millis{weather.delay_most_ms > 0 && dice_.one_in(2) ? dice_.between(0, weather.delay_most_ms) : 0}; };
  Parcel parcel{now + delay(), std::move(content), caf::actor_cast<caf::strong_actor_ptr>(stand_in_for(connection, sender))};
  auto& state = self->state;
  const auto aside = [&](Parcel loose) {
    state.loose.emplace(++state.last_loose, std::move(loose));
    self->delayed_send(self, Millis{1} + delay(), state.last_loose);
  };
  if (dice_.one_in(weather.doubled)) {
    ++counts.doubled;
    aside(parcel);
  }
  if (dice_.one_in(weather.overtaken)) {
    ++counts.overtaken;
    return aside(std::move(parcel));
  }
  if (!state.queue.empty()) parcel.due = std::max(parcel.due, state.queue.back().due);
  if (state.queue.empty() && parcel.due <= now) return deliver(target, std::move(parcel));
  state.queue.push_back(std::move(parcel));
  if (!std::exchange(state.armed, true)) self->delayed_send(self, state.queue.back().due - now, caf::tick_atom_v);
}

}  // namespace catena::simulation
