#pragma once
// The network without root: each worker reaches the coordinator through a proxy of its own on loopback, a thread that can be told to be
// silent.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <atomic>
#include <list>
#include <mutex>

#include "tests/cluster/network.hpp"

namespace cluster_test {

/// Carries connections to a port of loopback.
class Proxy {
 public:
  enum class Mode { open, cut, to_coordinator_stalled, to_worker_stalled, slow };

  Proxy() {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    REQUIRE(listener_ >= 0);
    auto address = loopback(0);
    REQUIRE(::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    REQUIRE(::listen(listener_, 64) == 0);
    socklen_t size = sizeof address;
    REQUIRE(::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::jthread{[this](const std::stop_token& stop) { carry(stop); }};
  }
  ~Proxy() {
    thread_.request_stop();
    thread_.join();
    ::close(listener_);
  }
  Proxy(const Proxy&) = delete;
  Proxy& operator=(const Proxy&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }
  void leads_to(std::uint16_t port) { target_ = port; }
  /// Each returns once it is so.
  void set(Mode mode) {
    mode_ = mode;
    wait_for_turn();
  }
  void abandon() {
    ++abandoned_;
    wait_for_turn();
  }

 private:
  struct Side {
    int fd = -1;
    std::string waiting;  // read from the other side, not written yet
    bool done = false;    // nothing more comes from here
  };
  struct Pair {
    Side worker, coordinator;
    bool dead = false;  // half open: the worker's side stays, and nobody answers
  };

  /// The turn that is under way ends, and one that saw what was asked.
  void wait_for_turn() const {
    const auto turn = turns_.load();
    while (turns_ < turn + 2) std::this_thread::sleep_for(milliseconds{1});
  }

  static sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
  }

  void carry(const std::stop_token& stop) {
    std::list<Pair> pairs;
    unsigned abandoned = 0;
    constexpr int kTickMs = 5;
    for (; !stop.stop_requested(); ++turns_) {
      const Mode mode = mode_;
      std::vector<pollfd> watches{{listener_, static_cast<short>(mode == Mode::cut ? 0 : POLLIN), 0}};
      for (const auto& pair : pairs) {
        if (pair.dead) continue;
        const bool up = mode == Mode::open || mode == Mode::slow || mode == Mode::to_worker_stalled;
        const bool down = mode == Mode::open || mode == Mode::slow || mode == Mode::to_coordinator_stalled;
        watches.push_back(watch(pair.worker, pair.coordinator, up, down));
        watches.push_back(watch(pair.coordinator, pair.worker, down, up));
      }
      ::poll(watches.data(), watches.size(), kTickMs);
      if (mode == Mode::slow) std::this_thread::sleep_for(milliseconds{20});
      std::size_t at = 1;
      const std::size_t most = mode == Mode::slow ? 1024 : 65536;
      for (auto& pair : pairs) {
        if (pair.dead) continue;
        move(pair.worker, pair.coordinator, watches[at].revents, watches[at + 1].revents, watches[at].events, watches[at + 1].events, most);
        move(pair.coordinator, pair.worker, watches[at + 1].revents, watches[at].revents, watches[at + 1].events, watches[at].events, most);
        at += 2;
      }
      std::erase_if(pairs, [](Pair& pair) {
        const bool over =
            !pair.dead && ((pair.worker.done && pair.coordinator.waiting.empty()) || (pair.coordinator.done && pair.worker.waiting.empty()));
        if (over) close(pair);
        return over;
      });
      if (abandoned != abandoned_) {
        abandoned = abandoned_;
        for (auto& pair : pairs) {
          if (!pair.dead) ::close(pair.coordinator.fd);
          pair.dead = true;
        }
      }
      if ((watches[0].revents & POLLIN) != 0) accept(pairs);
    }
    for (auto& pair : pairs) close(pair);
  }

  static pollfd watch(const Side& side, const Side& other, bool readable, bool writable) {
    constexpr std::size_t kFull = 262144;
    int events = 0;
    if (readable && !side.done && other.waiting.size() < kFull) events |= POLLIN;
    if (writable && !side.waiting.empty()) events |= POLLOUT;
    // without anything to watch for, a hang-up would be reported for ever
    return {events == 0 ? -1 : side.fd, static_cast<short>(events), 0};
  }

  /// What can be read of `from` waits at `to`; what waits at `to` is written.
  static void move(Side& from, Side& to, int from_ready, int to_ready, int from_wanted, int to_wanted, std::size_t most) {
    if ((from_wanted & POLLIN) != 0 && (from_ready & (POLLIN | POLLHUP | POLLERR)) != 0) {
      std::string buffer(most, '\0');
      const auto got = ::recv(from.fd, buffer.data(), buffer.size(), 0);
      if (got > 0) to.waiting.append(buffer, 0, static_cast<std::size_t>(got));
      if (got == 0 || (got < 0 && errno != EAGAIN)) from.done = true;
    }
    if ((to_wanted & POLLOUT) != 0 && (to_ready & (POLLOUT | POLLHUP | POLLERR)) != 0) {
      const auto put = ::send(to.fd, to.waiting.data(), std::min(most, to.waiting.size()), MSG_NOSIGNAL);
      if (put > 0) to.waiting.erase(0, static_cast<std::size_t>(put));
      if (put < 0 && errno != EAGAIN) to.done = true, to.waiting.clear();
    }
  }

  void accept(std::list<Pair>& pairs) const {
    const int worker = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (worker < 0) return;
    const int coordinator = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    auto address = loopback(target_);
    if (::connect(coordinator, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
      ::close(coordinator);
      ::close(worker);
      return;
    }
    ::fcntl(coordinator, F_SETFL, O_NONBLOCK);
    pairs.emplace_back();
    pairs.back().worker.fd = worker;
    pairs.back().coordinator.fd = coordinator;
  }
  static void close(const Pair& pair) {
    ::close(pair.worker.fd);
    if (!pair.dead) ::close(pair.coordinator.fd);
  }

  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<std::uint16_t> target_{0};
  std::atomic<Mode> mode_{Mode::open};
  std::atomic<unsigned> abandoned_{0};
  std::atomic<unsigned> turns_{0};
  std::jthread thread_;
};

class Proxies : public Network {
 public:
  explicit Proxies(std::size_t workers) {
    for (std::size_t i = 0; i < workers; ++i) proxies_.push_back(std::make_unique<Proxy>());
  }
  Words at(std::size_t) const override { return {}; }
  std::string listen() const override { return address_.empty() ? "127.0.0.1:0" : address_; }
  void coordinator_listens(const std::string& address) override {
    address_ = address;
    for (auto& proxy : proxies_) proxy->leads_to(static_cast<std::uint16_t>(std::stoul(address.substr(address.rfind(':') + 1))));
  }
  std::string coordinator_seen_from(std::size_t node) const override {
    return node == 0 ? address_ : "127.0.0.1:" + std::to_string(proxies_.at(node - 1)->port());
  }
  void cut(std::size_t node) override { set(node, Proxy::Mode::cut); }
  void stall_one_way(std::size_t node, Way way) override {
    set(node, way == Way::to_worker ? Proxy::Mode::to_worker_stalled : Proxy::Mode::to_coordinator_stalled);
  }
  void slow(std::size_t node) override { set(node, Proxy::Mode::slow); }
  void half_open(std::size_t node) override { proxies_.at(node - 1)->abandon(); }
  void heal(std::size_t node) override { set(node, Proxy::Mode::open); }

 private:
  void set(std::size_t node, Proxy::Mode mode) { proxies_.at(node - 1)->set(mode); }
  std::vector<std::unique_ptr<Proxy>> proxies_;
  std::string address_;
};

}  // namespace cluster_test
