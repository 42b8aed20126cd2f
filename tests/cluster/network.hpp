#pragma once
// The network between a coordinator and its workers, and what can happen to it. Nodes: 0 is the coordinator, where the clients are too; 1…
// are workers.
#include <memory>
#include <string>

#include "tests/cluster/shell.hpp"

namespace cluster_test {

/// Which way a network is silent.
enum class Way { to_coordinator, to_worker };

class Network {
 public:
  Network() = default;
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;
  virtual ~Network() = default;

  /// What stands before a command that is to run at that node.
  [[nodiscard]] virtual Words at(std::size_t node) const = 0;
  /// host:port for the coordinator to listen on; port 0 where any will do.
  [[nodiscard]] virtual std::string listen() const = 0;
  /// Where the coordinator listens, told once it does.
  virtual void coordinator_listens(const std::string& address) = 0;
  /// Where a node finds the coordinator.
  [[nodiscard]] virtual std::string coordinator_seen_from(std::size_t node) const = 0;

  /// Nothing passes between the node and the coordinator, and nobody is told.
  virtual void cut(std::size_t node) = 0;
  virtual void stall_one_way(std::size_t node, Way way) = 0;
  /// A few hundred kilobits a second.
  virtual void slow(std::size_t node) = 0;
  /// Connections that exist are dead without a word; new ones work.
  virtual void half_open(std::size_t node) = 0;
  /// As if nothing had been. Dead connections stay dead.
  virtual void heal(std::size_t node) = 0;
};

/// Namespaces where this machine lets us, else proxies on loopback (tests/cluster/namespaces.hpp, proxies.hpp).
[[nodiscard]] std::unique_ptr<Network> make_network(std::size_t workers);

}  // namespace cluster_test
