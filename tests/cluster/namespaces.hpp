#pragma once
// A network namespace for each node and one for the switch between them; needs root and iproute2. Names carry the process's id, so that
// what a test that crashed left behind is found and removed by the next one.
#include <charconv>

#include "tests/cluster/network.hpp"

namespace cluster_test {

class Namespaces : public Network {
 public:
  /// Whether such a network can be made here.
  static bool possible() {
    if (::geteuid() != 0) return false;
    remove_leftovers();
    const std::string name = kPrefix + std::to_string(::getpid()) + "-try";
    const bool made =
        ip({"netns", "add", name}) && ip({"-n", name, "link", "add", "try0", "type", "veth", "peer", "name", "try1"}) &&
        ip({"-n", name, "link", "add", "try2", "type", "bridge"}) &&
        quiet({"/usr/sbin/tc", "-n", name, "qdisc", "add", "dev", "try0", "root", "tbf", "rate", "1mbit", "burst", "8kb", "latency", "1s"});
    ip({"netns", "del", name});
    return made;
  }

  explicit Namespaces(std::size_t workers) : addresses_(workers + 1) {
    static int count = 0;
    prefix_ = kPrefix + std::to_string(::getpid()) + "-" + std::to_string(count++) + "-";
    must({"netns", "add", name("switch")});
    must({"-n", name("switch"), "link", "add", "bridge", "type", "bridge"});
    must({"-n", name("switch"), "link", "set", "bridge", "up"});
    for (std::size_t node = 0; node <= workers; ++node) {
      const auto port = "port" + std::to_string(node);
      must({"netns", "add", space(node)});
      must({"-n", name("switch"), "link", "add", port, "type", "veth", "peer", "name", "eth0", "netns", space(node)});
      must({"-n", name("switch"), "link", "set", port, "master", "bridge"});
      must({"-n", name("switch"), "link", "set", port, "up"});
      must({"-n", space(node), "link", "set", "lo", "up"});
      addresses_[node] = "10.77.0." + std::to_string(node + 1);
      must({"-n", space(node), "addr", "add", addresses_[node] + "/16", "dev", "eth0"});
      must({"-n", space(node), "link", "set", "eth0", "up"});
    }
  }
  ~Namespaces() override {
    for (std::size_t node = 0; node < addresses_.size(); ++node) ip({"netns", "del", space(node)});
    ip({"netns", "del", name("switch")});
  }

  Words at(std::size_t node) const override { return {kIp, "netns", "exec", space(node)}; }
  std::string listen() const override { return addresses_[0] + ":7420"; }
  void coordinator_listens(const std::string&) override {}
  std::string coordinator_seen_from(std::size_t) const override { return listen(); }

  void cut(std::size_t node) override {
    stall_one_way(node, Way::to_coordinator);
    stall_one_way(node, Way::to_worker);
  }
  // The neighbour's hardware address is one that nobody has: packets leave and reach nobody.
  void stall_one_way(std::size_t node, Way way) override {
    const auto [from, to] = way == Way::to_worker ? std::pair{std::size_t{0}, node} : std::pair{node, std::size_t{0}};
    must({"-n", space(from), "neigh", "replace", addresses_[to], "lladdr", "02:00:00:00:00:fe", "dev", "eth0", "nud", "permanent"});
  }
  void slow(std::size_t node) override {
    for (const auto& [where, device] : {std::pair{space(node), std::string{"eth0"}}, std::pair{name("switch"), "port" + std::to_string(node)}}) {
      const Words words{"/usr/sbin/tc", "-n",   where,     "qdisc", "replace", "dev",     device, "root",
                        "tbf",          "rate", "400kbit", "burst", "8kb",     "latency", "400ms"};
      REQUIRE(quiet(words));
    }
  }
  // The node has another address from now on: what was bound to the old one reaches nobody.
  void half_open(std::size_t node) override {
    const auto old = addresses_[node];
    addresses_[node] = "10.77." + std::to_string(++moves_) + "." + std::to_string(node + 1);
    must({"-n", space(node), "addr", "add", addresses_[node] + "/16", "dev", "eth0"});
    must({"-n", space(node), "addr", "del", old + "/16", "dev", "eth0"});
    // removing the first address of a subnet may remove the others
    ip({"-n", space(node), "addr", "replace", addresses_[node] + "/16", "dev", "eth0"});
  }
  void heal(std::size_t node) override {
    ip({"-n", space(node), "neigh", "del", addresses_[0], "dev", "eth0"});
    ip({"-n", space(0), "neigh", "del", addresses_[node], "dev", "eth0"});
    static_cast<void>(quiet({"/usr/sbin/tc", "-n", space(node), "qdisc", "del", "dev", "eth0", "root"}));
    static_cast<void>(quiet({"/usr/sbin/tc", "-n", name("switch"), "qdisc", "del", "dev", "port" + std::to_string(node), "root"}));
  }

 private:
  static constexpr const char* kIp = "/usr/sbin/ip";
  static constexpr const char* kPrefix = "catena-";

  [[nodiscard]] static bool quiet(const Words& words) {
    Process process{words, "/dev/null", "/dev/null"};
    return process.wait() == 0;
  }
  static bool ip(const Words& words) { return fs::exists(kIp) && quiet(Words{kIp} + words); }
  static void must(const Words& words) {
    std::string said;
    for (const auto& word : words) said += " " + word;
    INFO("ip" << said);
    REQUIRE(ip(words));
  }
  [[nodiscard]] std::string name(const std::string& what) const { return prefix_ + what; }
  [[nodiscard]] std::string space(std::size_t node) const { return name("n" + std::to_string(node)); }

  /// Namespaces of test processes that are gone, with what still runs in them.
  static void remove_leftovers() {
    std::error_code none;
    for (const auto& entry : fs::directory_iterator{"/run/netns", none}) {
      const auto space = entry.path().filename().string();
      if (!space.starts_with(kPrefix)) continue;
      pid_t owner = 0;
      const auto digits = space.substr(std::string{kPrefix}.size());
      std::from_chars(digits.data(), digits.data() + digits.size(), owner);
      // one that is dead and not reaped yet has no program any more
      std::error_code dead;
      const auto program = fs::read_symlink(fs::path{"/proc"} / std::to_string(owner) / "exe", dead);
      if (owner == 0 || !dead) continue;
      const Folder folder;
      Process list{{kIp, "netns", "pids", space}, folder / "pids", "/dev/null"};
      static_cast<void>(list.wait());
      for (const auto& pid : read_lines(folder / "pids")) ::kill(static_cast<pid_t>(std::stol(pid)), SIGKILL);
      ip({"netns", "del", space});
    }
  }

  std::string prefix_;
  std::vector<std::string> addresses_;
  int moves_ = 0;
};

}  // namespace cluster_test
