// Strangers by the hundred who hold the coordinator's port and come again as soon as they are sent away: members of the cluster go on.
//   CATENA_SIEGE_CONNECTIONS  how many at a time (600)      CATENA_SIEGE_COMMANDS  of clients meanwhile (40)
#include <sys/epoll.h>
#include <sys/resource.h>

#include <iostream>

#include "tests/cluster/proxies.hpp"
#include "tests/cluster/work.hpp"

namespace cluster_test {
namespace {

constexpr std::size_t kAddresses = 40;

std::size_t siege_setting(const char* name, std::size_t otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::stoul(value);
}

/// So many connections at every moment, from addresses of their own, which say nothing or only the beginning of a handshake. A thread.
class Crowd {
 public:
  Crowd(std::uint16_t port, std::size_t connections) : port_{port}, fds_(connections, -1), epoll_{::epoll_create1(EPOLL_CLOEXEC)} {
    REQUIRE(epoll_ >= 0);
    rlimit descriptors{};
    ::getrlimit(RLIMIT_NOFILE, &descriptors);
    descriptors.rlim_cur = descriptors.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &descriptors);
    thread_ = std::jthread{[this](const std::stop_token& stop) { besiege(stop); }};
  }
  ~Crowd() {
    thread_.request_stop();
    thread_.join();
    for (const int fd : fds_) ::close(fd);
    ::close(epoll_);
  }
  Crowd(const Crowd&) = delete;
  Crowd& operator=(const Crowd&) = delete;

  /// Connections that were made, and those that could not be for want of something on this machine.
  [[nodiscard]] std::size_t made() const { return made_; }
  [[nodiscard]] std::size_t failed() const { return failed_; }

 private:
  static sockaddr_in at(std::uint32_t address, std::uint16_t port) {
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_port = htons(port);
    name.sin_addr.s_addr = htonl(address);
    return name;
  }

  void besiege(const std::stop_token& stop) {
    for (std::size_t one = 0; one < fds_.size(); ++one) come(one);
    constexpr int kTickMs = 50;
    std::array<epoll_event, 256> events{};
    while (!stop.stop_requested()) {
      const int ready = ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), kTickMs);
      for (int event = 0; event < ready; ++event) look_at(events.at(static_cast<std::size_t>(event)));
    }
  }

  void come(std::size_t one) {
    auto& fd = fds_[one];
    if (fd >= 0) ::close(fd);
    fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    constexpr std::uint32_t kFirst = 0x7f000a01;  // 127.0.10.1
    // the port of each end is chosen with the connection: there are too few for two who share an address to choose before
    const int late = 1;
    ::setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &late, sizeof late);
    auto from = at(kFirst + static_cast<std::uint32_t>(one % kAddresses), 0);
    auto to = at(INADDR_LOOPBACK, port_);
    const bool bound = fd >= 0 && ::bind(fd, reinterpret_cast<sockaddr*>(&from), sizeof from) == 0;
    if (!bound || (::connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0 && errno != EINPROGRESS)) {
      ++failed_;
      return;
    }
    ++made_;
    epoll_event wanted{};
    wanted.data.u64 = one;
    wanted.events = EPOLLIN | EPOLLRDHUP | (talks(one) ? EPOLLOUT : 0U);
    ::epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &wanted);
  }
  /// One in five.
  static bool talks(std::size_t one) { return one % (kAddresses * 5) < kAddresses; }

  void look_at(const epoll_event& event) {
    const auto one = static_cast<std::size_t>(event.data.u64);
    if ((event.events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) return come(one);
    constexpr std::string_view kHalfHello{"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11};
    static_cast<void>(::send(fds_[one], kHalfHello.data(), kHalfHello.size(), MSG_NOSIGNAL));
    epoll_event wanted{};
    wanted.data.u64 = one;
    wanted.events = EPOLLIN | EPOLLRDHUP;
    ::epoll_ctl(epoll_, EPOLL_CTL_MOD, fds_[one], &wanted);
  }

  std::uint16_t port_;
  std::vector<int> fds_;
  int epoll_;
  std::atomic<std::size_t> made_{0}, failed_{0};
  std::jthread thread_;
};

}  // namespace

TEST_CASE("a port that strangers from 40 addresses besiege lets every command of a member through") {
  const auto connections = siege_setting("CATENA_SIEGE_CONNECTIONS", 600);
  const auto commands = siege_setting("CATENA_SIEGE_COMMANDS", 40);
  Cluster cluster{{.workers = 1, .loopback = true}};
  cluster.start_coordinator();
  cluster.start_worker(1);
  cluster.wait_ready();
  const auto definition = cluster.folder().write(
      "small.tool",
      R"({"instructions": [{"execution_id": "say", "tool_definition": {"additional_arguments": true, "system_event_endpoint": "builtin:echo"},
          "arguments": {"a": 1}}], "response_reference_map": {"said": "REF:say.a"}})");
  const auto before = footprint(cluster.coordinator().pid());
  const Crowd crowd{cluster.port(), connections};
  REQUIRE(eventually(milliseconds{20'000}, [&] { return crowd.made() > connections; }));  // some were sent away, and came again

  std::vector<std::int64_t> took;
  for (std::size_t command = 0; command < commands; ++command) {
    const auto begun = Clock::now();
    const auto answer = command % 2 == 0 ? cluster.ask({"list"}) : cluster.ask({"run", definition.string()});
    took.push_back(std::chrono::duration_cast<milliseconds>(Clock::now() - begun).count());
    INFO("command " << command << ": exit code " << answer.code << " " << answer.error << "\n" << cluster.logs());
    REQUIRE(answer.code == 0);
  }
  std::ranges::sort(took);
  const auto after = footprint(cluster.coordinator().pid());
  std::cout << fmt::format(
      "siege: {} connections at a time, {} in all ({} could not be made); {} commands, p50 {} ms, p99 {} ms, longest {} ms; "
      "coordinator {} -> {} KiB, {} descriptors\n",
      connections, crowd.made(), crowd.failed(), commands, took[took.size() / 2], took[took.size() * 99 / 100], took.back(), before.rss_kib,
      after.rss_kib, after.descriptors);
  CHECK(cluster.worker_is_there(1));
  CHECK(cluster.node("w1")["state"] == "open");
}

}  // namespace cluster_test
