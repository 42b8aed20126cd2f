#pragma once
// One coordinator and its workers as processes, each at its node of a network; what clients ask of them.
#include <fmt/format.h>

#include <functional>
#include <map>
#include <optional>

#include "tests/cluster/network.hpp"

namespace cluster_test {

struct ClusterOptions {
  std::size_t workers = 4;
  unsigned slots = 4;
  bool tls = true;
  bool loopback = false;  // proxies on loopback, wherever the test runs
  int lease_ms = 2000;
  int heartbeat_ms = 250;
  int drain_timeout_ms = 10'000;
  int redial_ms = 0;                                                          // that a worker waits at most until it calls again; 0: as workers do
  std::map<std::size_t, Words> worker_words = {};                             // more options, by worker
  Words worker_environment = {};                                              // more variables, of all workers
  std::function<std::unique_ptr<Network>(std::size_t workers)> network = {};  // null: see make_network()
};

class Cluster {
 public:
  explicit Cluster(ClusterOptions options = {});
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  [[nodiscard]] const ClusterOptions& options() const { return options_; }
  [[nodiscard]] const Folder& folder() const { return folder_; }
  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
  [[nodiscard]] std::string data() const { return path("data"); }
  [[nodiscard]] Network& network() { return *network_; }
  [[nodiscard]] std::string address() const { return network_->coordinator_seen_from(0); }
  [[nodiscard]] std::uint16_t port() const { return static_cast<std::uint16_t>(std::stoul(address().substr(address().rfind(':') + 1))); }
  static std::string worker_name(std::size_t worker) { return "w" + std::to_string(worker); }

  // ---- processes ----
  [[nodiscard]] Process& coordinator() { return *coordinator_; }
  [[nodiscard]] Process& worker(std::size_t worker) { return *workers_.at(worker); }
  [[nodiscard]] bool worker_is_there(std::size_t worker) const { return workers_.at(worker) && !workers_.at(worker)->ended(); }
  /// Starts it and waits until it listens.
  void start_coordinator();
  /// False: it has ended instead, or ends. `more`: of its environment.
  [[nodiscard]] bool coordinator_starts(const Words& more = {});
  /// The program of a node from its next start on, such as another build.
  void set_program(std::size_t node, const std::string& program) { programs_[node] = program; }
  void start_worker(std::size_t worker);
  void kill_coordinator(int signal);
  /// SIGKILL, or SIGTERM and its end within the drain timeout. Its exit code, or minus the signal.
  int kill_worker(std::size_t worker, int signal);
  /// Waits until so many workers are there to take orders; 0: all.
  void wait_ready(std::size_t workers = 0);
  /// What the processes said, for messages of tests that fail.
  [[nodiscard]] std::string logs() const;

  // ---- clients ----
  [[nodiscard]] Words client(const Words& words) const;
  Outcome ask(const Words& words, milliseconds deadline = milliseconds{30'000});
  /// A client in the background; its output in NAME-out and NAME-error.
  [[nodiscard]] std::unique_ptr<Process> ask_in_background(const std::string& name, const Words& words) const;
  [[nodiscard]] json nodes();
  /// The node's row; null when there is none.
  [[nodiscard]] json node(const std::string& name);

  /// Environment of a node: where its certificates are, how long a lease lasts.
  [[nodiscard]] Words environment(const std::string& certificate) const;
  [[nodiscard]] std::string certificates() const { return path("certificates"); }
  void issue(const std::string& name, const std::string& role);

 private:
  [[nodiscard]] Words worker_command(std::size_t worker) const;
  [[nodiscard]] std::string program(std::size_t node) const;

  ClusterOptions options_;
  Folder folder_;
  std::unique_ptr<Network> network_;
  std::optional<Process> coordinator_;
  std::vector<std::optional<Process>> workers_;  // [0] is unused
  std::map<std::size_t, std::string> programs_;
  int asked_ = 0, started_ = 0;
};

}  // namespace cluster_test
