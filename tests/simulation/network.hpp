#pragma once
// What lies between workers and the coordinator: lines, whose frames reach the other side later, twice, out of order or never, as the
// weather is (a real connection would end instead: the links above have to see through it). A line can be cut so that both sides are told,
// or so that nobody is.
#include <algorithm>
#include <array>
#include <caf/all.hpp>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "actors/messages.hpp"
#include "actors/wire.hpp"
#include "tests/simulation/schedule.hpp"

namespace catena::simulation {

/// One in so many frames; 0: none.
struct Weather {
  std::uint32_t dropped = 0;
  std::uint32_t doubled = 0;
  std::uint32_t overtaken = 0;
  std::int64_t delay_most_ms = 0;
};

enum class Cut { told, silent };

/// Frames of which direction are lost.
enum class Way { both, to_coordinator, from_coordinator };

/// Who calls, as the gate would admit it.
struct Caller {
  Process process = 0;
  std::string role = "worker";
  std::string subject;  // of its certificate
};

class Network {
 public:
  /// What comes of a call: the caller's end of a line, or words.
  using Answer = std::function<void(link::LinePtr line, std::string error)>;

  Network(Schedule& schedule, std::uint64_t seed) : schedule_{schedule}, dice_{seed} {}
  ~Network() { cut_all(Cut::silent); }
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  Weather weather;

  /// The coordinator is there (or not: null).
  void listen(caf::actor front) { front_ = std::move(front); }
  void call(Caller caller, Answer answer);

  /// No call of the process gets through, and nothing that is sent that way.
  void part(Process process, Way way = Way::both) { parted_[process] = way; }
  void join(Process process) { parted_.erase(process); }
  void cut(Process worker, Cut how);
  void cut_all(Cut how) {
    for (const auto& connection : std::vector{connections_}) close(*connection, how);
  }
  [[nodiscard]] std::size_t open_connections() const {
    return static_cast<std::size_t>(std::ranges::count_if(connections_, [](const auto& connection) { return connection->open; }));
  }
  /// Ends of lines that are cut and that nobody was told of are told, as a kernel gives up in the end.
  void reap();

  struct Counts {
    std::uint64_t sent = 0, dropped = 0, doubled = 0, overtaken = 0, cuts = 0, calls = 0, refused = 0, one_way = 0;
  };
  Counts counts;
  /// Sees what is handed to the network, whether it arrives or not.
  std::function<void(Process worker, const actors::Greeting&)> on_greeting;
  std::function<void(Process worker, const link::Frame&)> on_frame;

 private:
  class End;
  struct Parcel {
    caf::actor_clock::time_point due;
    link::Frame frame;
  };
  /// Two ends: that of the worker and that of the coordinator.
  struct Connection {
    Process worker = 0;
    bool open = true;
    std::array<std::shared_ptr<End>, 2> ends;
  };
  /// One end: what is sent there goes to the other.
  class End final : public link::Line {
   public:
    End(Network& network, std::weak_ptr<Connection> connection, std::size_t side)
        : network_{&network}, connection_{std::move(connection)}, side_{side} {}
    void deliver_to(Receiver receiver) override {
      receiver_ = std::move(receiver);
      if (over_) return receiver_.over("it is over");
      if (!early_.empty()) receiver_.frames(std::exchange(early_, {}));
    }
    void send(std::vector<link::Frame> frames) override {
      const auto connection = connection_.lock();
      if (!connection) return;
      for (auto& frame : frames) network_->carry(connection, side_, std::move(frame));
    }
    void taken(std::size_t) override {}
    void end() override {
      over_ = true;
      receiver_ = {};
      const auto connection = connection_.lock();
      if (connection && connection->open) network_->close(*connection, Cut::told);
    }

    // ---- the network's side
    void bring(link::Frame frame) {
      if (over_) return;
      std::vector<link::Frame> frames;
      frames.push_back(std::move(frame));
      if (receiver_.frames) return receiver_.frames(std::move(frames));
      early_.push_back(std::move(frames.front()));
    }
    void tell_over() {
      if (std::exchange(over_, true)) return;
      if (const auto told = std::exchange(receiver_, {}); told.over) told.over("the connection is lost");
    }
    std::deque<Parcel> queue;  // on the way to this end

   private:
    Network* network_;
    std::weak_ptr<Connection> connection_;
    std::size_t side_;
    Receiver receiver_;
    std::vector<link::Frame> early_;
    bool over_ = false;
  };

  void carry(const std::shared_ptr<Connection>& connection, std::size_t from, link::Frame frame);
  void deliver_due(const std::shared_ptr<Connection>& connection, std::size_t to);
  void close(Connection& connection, Cut how);
  [[nodiscard]] bool is_lost(Process process, std::size_t from);
  void observe(Process worker, std::size_t from, const link::Frame& frame) const;
  [[nodiscard]] caf::actor_clock::time_point now() const { return schedule_.scheduler.clock().now(); }

  static constexpr std::size_t kWorkerSide = 0, kCoordinatorSide = 1;

  Schedule& schedule_;
  Dice dice_;
  caf::actor front_;
  std::vector<std::shared_ptr<Connection>> connections_;
  std::map<Process, Way> parted_;
  const std::shared_ptr<int> alive_ = std::make_shared<int>(0);  // what waits in the schedule may outlive the network
};

// ---- in detail --------------------------------------------------------------------------------------------------------

inline void Network::call(Caller caller, Answer answer) {
  ++counts.calls;
  const auto worker = caller.process;
  // the connection before is given up; the other side hears of it unless the network keeps it to itself
  cut(worker, parted_.contains(worker) || dice_.one_in(4) ? Cut::silent : Cut::told);
  constexpr std::int64_t kSoon = 20, kGivenUp = 2000;
  const bool silence = parted_.contains(worker) || schedule_.frozen(kCoordinator);
  const Millis delay{silence ? dice_.between(kSoon, kGivenUp) : dice_.between(0, std::min(kSoon, weather.delay_most_ms))};
  schedule_.after(delay, [this, worker, caller = std::move(caller), answer = std::move(answer)] {
    if (!front_ || parted_.contains(worker) || schedule_.frozen(kCoordinator)) {
      ++counts.refused;
      return answer(nullptr, front_ ? "no answer" : "connection refused");
    }
    auto connection = std::make_shared<Connection>();
    connection->worker = worker;
    for (const auto side : {kWorkerSide, kCoordinatorSide}) connection->ends[side] = std::make_shared<End>(*this, connection, side);
    connections_.push_back(connection);
    caf::anon_send(front_, actors::LineCame{connection->ends[kCoordinatorSide], link::Peer{"simulated", caller.role, caller.subject}});
    answer(connection->ends[kWorkerSide], {});
  });
}

inline void Network::cut(Process worker, Cut how) {
  for (const auto& connection : std::vector{connections_}) {
    if (connection->worker == worker && (connection->open || how == Cut::told)) close(*connection, how);
  }
}

inline void Network::close(Connection& connection, Cut how) {
  if (connection.open) ++counts.cuts;
  connection.open = false;
  if (how == Cut::silent) return;
  const auto ends = std::exchange(connection.ends, {});
  for (const auto& end : ends) {
    if (end) end->tell_over();
  }
}

inline void Network::reap() {
  for (const auto& connection : std::vector{connections_}) {
    if (!connection->open) close(*connection, Cut::told);
  }
  std::erase_if(connections_, [](const auto& connection) { return !connection->open; });
}

inline void Network::observe(Process worker, std::size_t from, const link::Frame& frame) const {
  if (on_frame) on_frame(worker, frame);
  if (!on_greeting || from != kWorkerSide || frame.number != 1) return;
  const auto message = actors::decode_message(frame.bytes);
  if (const auto* greeting = message ? std::get_if<actors::Greeting>(&*message) : nullptr) on_greeting(worker, *greeting);
}

/// The connection stands all the same: nobody is told.
inline bool Network::is_lost(Process process, std::size_t from) {
  const auto parted = parted_.find(process);
  if (parted == parted_.end()) return false;
  if (parted->second == Way::both) return true;
  if ((parted->second == Way::to_coordinator) != (from == kWorkerSide)) return false;
  ++counts.one_way;
  return true;
}

inline void Network::carry(const std::shared_ptr<Connection>& connection, std::size_t from, link::Frame frame) {
  ++counts.sent;
  observe(connection->worker, from, frame);
  if (!connection->open || is_lost(connection->worker, from)) return;
  if (dice_.one_in(weather.dropped)) {
    ++counts.dropped;
    return;
  }
  const auto to = 1 - from;
  const auto delay = [&] { return Millis{weather.delay_most_ms > 0 && dice_.one_in(2) ? dice_.between(0, weather.delay_most_ms) : 0}; };
  auto due = now() + delay();
  const auto aside = [&](link::Frame loose) {
    schedule_.after(Millis{1} + delay(), [connection, to, loose = std::move(loose)] {
      if (connection->open && connection->ends[to]) connection->ends[to]->bring(loose);
    });
  };
  if (dice_.one_in(weather.doubled)) {
    ++counts.doubled;
    aside(frame);
  }
  if (dice_.one_in(weather.overtaken)) {
    ++counts.overtaken;
    return aside(std::move(frame));
  }
  auto& queue = connection->ends[to]->queue;
  if (!queue.empty()) due = std::max(due, queue.back().due);
  const bool first = queue.empty();
  if (first && due <= now()) return connection->ends[to]->bring(std::move(frame));
  queue.push_back({due, std::move(frame)});
  if (first) deliver_due(connection, to);
}

inline void Network::deliver_due(const std::shared_ptr<Connection>& connection, std::size_t to) {
  const auto& end = connection->ends[to];
  if (!end || !connection->open) return;
  auto& queue = end->queue;
  while (!queue.empty() && queue.front().due <= now()) {
    auto parcel = std::move(queue.front());
    queue.pop_front();
    end->bring(std::move(parcel.frame));
  }
  if (queue.empty()) return;
  const auto wait = std::chrono::ceil<Millis>(queue.front().due - now());
  schedule_.after(wait, [this, connection, to, alive = std::weak_ptr<int>{alive_}] {
    if (!alive.expired()) deliver_due(connection, to);
  });
}

}  // namespace catena::simulation
