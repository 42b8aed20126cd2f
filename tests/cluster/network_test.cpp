// The networks that the other tests stand on do what they say: what they let through arrives, what they hold back does not.
#include <sched.h>

#include "tests/cluster/namespaces.hpp"
#include "tests/cluster/proxies.hpp"

namespace cluster_test {
namespace {

/// A socket of the node's own network.
int socket_at(const Network& network, std::size_t node) {
  int fd = -1;
  // the thread moves, the socket stays where it was made
  std::jthread{[&] {
    if (const auto where = network.at(node); !where.empty()) {
      const int space = ::open(("/run/netns/" + where.back()).c_str(), O_RDONLY | O_CLOEXEC);
      if (::setns(space, CLONE_NEWNET) != 0) return;
      ::close(space);
    }
    fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  }}.join();
  REQUIRE(fd >= 0);
  return fd;
}

sockaddr_in parsed(const std::string& text) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  REQUIRE(::inet_pton(AF_INET, text.substr(0, text.find(':')).c_str(), &address.sin_addr) == 1);
  address.sin_port = htons(static_cast<std::uint16_t>(std::stoul(text.substr(text.find(':') + 1))));
  return address;
}

/// Both ends of a connection from a worker to the coordinator.
struct Pair {
  int worker = -1, coordinator = -1;
  ~Pair() { ::close(worker), ::close(coordinator); }
};

class Listener {
 public:
  explicit Listener(Network& network) : network_{&network}, fd_{socket_at(network, 0)} {
    auto address = parsed(network.listen());
    const int yes = 1;
    ::setsockopt(fd_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    REQUIRE(::bind(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    REQUIRE(::listen(fd_, 8) == 0);
    socklen_t size = sizeof address;
    REQUIRE(::getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    network.coordinator_listens(network.listen().substr(0, network.listen().find(':') + 1) + std::to_string(ntohs(address.sin_port)));
  }
  ~Listener() { ::close(fd_); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  [[nodiscard]] std::unique_ptr<Pair> connect(std::size_t node) const {
    auto pair = std::make_unique<Pair>();
    pair->worker = socket_at(*network_, node);
    auto address = parsed(network_->coordinator_seen_from(node));
    REQUIRE(::connect(pair->worker, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    pair->coordinator = ::accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC);
    REQUIRE(pair->coordinator >= 0);
    return pair;
  }

 private:
  Network* network_;
  int fd_;
};

/// Whether what is sent now arrives, behind what was on its way.
bool arrives(int from, int to, milliseconds within) {
  static char last = 0;
  const char sent = ++last;
  REQUIRE(::send(from, &sent, 1, MSG_NOSIGNAL) == 1);
  char got = 0;
  do {
    pollfd watch{to, POLLIN, 0};
    if (::poll(&watch, 1, static_cast<int>(within.count())) != 1 || ::recv(to, &got, 1, 0) != 1) return false;
  } while (got != sent);
  return true;
}

constexpr milliseconds kSoon{10'000};
constexpr milliseconds kNever{300};

void check(Network& network) {
  const Listener listener{network};
  const auto one = listener.connect(1);
  const auto two = listener.connect(2);
  CHECK(arrives(one->worker, one->coordinator, kSoon));
  CHECK(arrives(one->coordinator, one->worker, kSoon));

  network.cut(1);
  CHECK_FALSE(arrives(one->worker, one->coordinator, kNever));
  CHECK_FALSE(arrives(one->coordinator, one->worker, kNever));
  CHECK(arrives(two->worker, two->coordinator, kSoon));
  network.heal(1);
  // what was sent meanwhile arrives late, as it does
  CHECK(arrives(one->worker, one->coordinator, kSoon));
  CHECK(arrives(one->coordinator, one->worker, kSoon));

  network.slow(2);
  CHECK(arrives(two->worker, two->coordinator, kSoon));
  network.heal(2);

  network.half_open(1);
  CHECK_FALSE(arrives(one->worker, one->coordinator, kNever));
  const auto again = listener.connect(1);
  CHECK(arrives(again->worker, again->coordinator, kSoon));
  CHECK(arrives(again->coordinator, again->worker, kSoon));

  network.stall_one_way(1, Way::to_worker);
  CHECK_FALSE(arrives(again->coordinator, again->worker, kNever));
  network.heal(1);
  CHECK(arrives(again->coordinator, again->worker, kSoon));
}

}  // namespace

TEST_CASE("namespaces: a cut, a slow link, a dead connection and silence one way are what they are called") {
  if (!Namespaces::possible()) {
    WARN("no namespaces here: proxies stand in for them");
    return;
  }
  Namespaces network{2};
  check(network);
}

TEST_CASE("proxies: a cut, a slow link, a dead connection and silence one way are what they are called") {
  Proxies network{2};
  check(network);
}

}  // namespace cluster_test
