#pragma once
// Connections between the actor systems of nodes. CAF listens and connects on loopback only: what faces a network stands before it
// (actors/gate.hpp, actors/dialer.hpp). Systems are those of SystemConfig with Reach::nodes.
#include <caf/actor.hpp>
#include <caf/actor_system.hpp>
#include <caf/node_id.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "actors/dialer.hpp"
#include "base/result.hpp"
#include "base/time.hpp"

namespace catena::actors {

/// Makes the actor reachable through a port of 127.0.0.1 that the system chooses. Error: connection_failed.
[[nodiscard]] Result<std::uint16_t> publish(caf::actor_system& system, const caf::actor& actor);
void unpublish(caf::actor_system& system, const caf::actor& actor, std::uint16_t port);

/// The actor that is published behind a port of 127.0.0.1. `done` is called once, on a thread of the system, with it or with
/// connection_failed, at the latest after `patience`. Returns at once.
void find_published(caf::actor_system& system, std::uint16_t port, Millis patience, std::function<void(Result<caf::actor>)> done);

/// CAF keeps an actor and some state for each node that it ever met. Gives back what is kept of nodes without a connection; to be called
/// every few seconds by whom nodes come and go. Returns at once.
void forget_lost_nodes(caf::actor_system& system);
/// How many nodes CAF keeps something for, with a connection or without. Waits for the network thread.
[[nodiscard]] std::size_t nodes_kept(caf::actor_system& system);

/// The way to a coordinator: through a dialer to its gate, and to the front behind that.
class Connector {
  /// The node of the call before.
  class LastCalled {
   public:
    caf::node_id exchange(caf::node_id node) {
      const std::lock_guard lock{mutex_};
      return std::exchange(node_, std::move(node));
    }

   private:
    std::mutex mutex_;
    caf::node_id node_;
  };

 public:
  struct Call {
    caf::actor front;
    std::string pass;  // what the gate called this connection
  };
  using Done = std::function<void(Result<Call>)>;

  /// The system must outlive it.
  Connector(caf::actor_system& system, DialerOptions options);

  /// Ends the connection of the call before and makes a new one; `done` as in find_published. Errors: those of the dialer.
  void call(Done done);
  /// Ends the connection.
  void hang_up();
  /// For calls from now on.
  void set_token(std::string token);

 private:
  caf::actor_system& system_;
  std::mutex mutex_;
  DialerOptions options_;
  std::shared_ptr<Dialer> dialer_;
  std::shared_ptr<LastCalled> called_ = std::make_shared<LastCalled>();  // answers may come when the connector has gone
};

}  // namespace catena::actors
