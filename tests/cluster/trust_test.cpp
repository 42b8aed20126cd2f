// Strangers on the coordinator's port, and nodes with the wrong papers.
#include "tests/cluster/proxies.hpp"
#include "tests/cluster/work.hpp"

namespace cluster_test {
namespace {

/// A connection to the coordinator's port that says what it is told to, and nothing else.
class Stranger {
 public:
  explicit Stranger(std::uint16_t port) : fd_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  ~Stranger() { ::close(fd_); }
  Stranger(const Stranger&) = delete;
  Stranger& operator=(const Stranger&) = delete;
  void say(std::string_view bytes) const { static_cast<void>(::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT)); }
  /// Closed by the other side.
  [[nodiscard]] bool is_closed() const {
    char byte = 0;
    const auto got = ::recv(fd_, &byte, 1, MSG_DONTWAIT);
    return !connected_ || got == 0 || (got < 0 && errno != EAGAIN);
  }

 private:
  int fd_;
  bool connected_ = false;
};

std::string garbage(std::mt19937& random, std::size_t bytes) {
  std::string text(bytes, '\0');
  for (auto& c : text) c = static_cast<char>(random());
  return text;
}

// The beginning of a TLS record that announces a ClientHello, and not the rest of it.
constexpr std::string_view kTruncatedHandshake{"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11};

/// A worker of the cluster with other papers; what it says in the end.
std::string refusal(Cluster& cluster, const Words& papers, const std::string& expected) {
  const auto said = cluster.folder() / "refused-error";
  Process worker{tied(cluster.environment("stranger") + papers + Words{CATENA_BINARY, "worker", "--join", cluster.address(), "--slots", "1"}),
                 cluster.folder() / "refused-out", said};
  static_cast<void>(eventually(milliseconds{20'000}, [&] { return read_text(said).find(expected) != std::string::npos || worker.ended(); }));
  CHECK(cluster.node("stranger").is_null());
  return read_text(said);
}

}  // namespace

TEST_CASE("garbage, silence, floods and truncated handshakes on the port neither harm nor fill the coordinator while a chain runs") {
  Cluster cluster{{.workers = 2, .loopback = true}};
  cluster.start_coordinator();
  cluster.start_worker(1);
  cluster.start_worker(2);
  cluster.wait_ready();
  Job job{cluster, {.items = 20'000}};
  job.submit("calm");
  job.finish("calm");
  const auto before = footprint(cluster.coordinator().pid());

  job.submit("work");
  std::mt19937 random{7};
  std::vector<std::unique_ptr<Stranger>> silent;
  for (int i = 0; i < 40; ++i) silent.push_back(std::make_unique<Stranger>(cluster.port()));
  const auto waits = cluster.ask_in_background("waits", {"wait", "work", "-o", "json"});
  int knocks = 0;
  for (; knocks < 300 || (!waits->ended() && knocks < 3000); ++knocks) {
    const Stranger stranger{cluster.port()};
    switch (knocks % 4) {
      case 0: stranger.say(garbage(random, 1 + random() % 4096)); break;
      case 1: stranger.say(kTruncatedHandshake); break;
      case 2: stranger.say("catena/2 worker -\n"); break;
      default: break;
    }
  }
  job.finish("work");
  // those who never said anything are sent away
  const bool closed = eventually(milliseconds{20'000}, [&] { return std::ranges::all_of(silent, [](const auto& one) { return one->is_closed(); }); });
  CHECK(closed);
  silent.clear();
  const bool given_back =
      eventually(milliseconds{10'000}, [&] { return footprint(cluster.coordinator().pid()).descriptors <= before.descriptors + 2; });
  CHECK(given_back);
  const auto after = footprint(cluster.coordinator().pid());
  INFO(before.rss_kib << " -> " << after.rss_kib << " KiB, " << before.threads << " -> " << after.threads << " threads, " << knocks << " knocks");
  CHECK(after.threads <= before.threads + 1);
  // a second chain of 20,000 items and its ledger; a connection that were kept would be 40 KiB and more
  CHECK(after.rss_kib <= before.rss_kib + before.rss_kib / 4 + 8192);
}

TEST_CASE("a node with the wrong token, of a foreign authority, or a client that would be a worker is refused with words") {
  Cluster cluster{{.workers = 1, .loopback = true}};
  cluster.start_coordinator();
  cluster.start_worker(1);
  cluster.wait_ready();
  const auto wrong_token = cluster.folder().write("wrong-token", "0123456789abcdef0123456789abcdef\n");
  cluster.issue("stranger", "worker");
  CHECK(refusal(cluster, {"CATENA_CLUSTER__TOKEN_FILE=" + wrong_token.string()}, "token").find("token") != std::string::npos);

  const auto foreign = cluster.path("foreign");
  REQUIRE(run({CATENA_BINARY, "cert", "init", "--dir", foreign}, "/dev/null", "/dev/null").code == 0);
  REQUIRE(run({CATENA_BINARY, "cert", "issue", "--dir", foreign, "--name", "stranger", "--role", "worker"}, "/dev/null", "/dev/null").code == 0);
  // it does not trust the coordinator, …
  const auto stranger = refusal(cluster,
                                {"CATENA_CLUSTER__CA_FILE=" + foreign + "/ca.pem", "CATENA_CLUSTER__CERTIFICATE_FILE=" + foreign + "/stranger.pem",
                                 "CATENA_CLUSTER__KEY_FILE=" + foreign + "/stranger.key"},
                                "certificate");
  CHECK(stranger.find("certificate") != std::string::npos);
  // … or the coordinator does not trust it
  const auto untrusted =
      refusal(cluster, {"CATENA_CLUSTER__CERTIFICATE_FILE=" + foreign + "/stranger.pem", "CATENA_CLUSTER__KEY_FILE=" + foreign + "/stranger.key"},
              "certificate");
  CHECK(untrusted.find("certificate") != std::string::npos);

  const auto in = [&](const std::string& file) { return cluster.certificates() + "/" + file; };
  const auto client =
      refusal(cluster, {"CATENA_CLUSTER__CERTIFICATE_FILE=" + in("person.pem"), "CATENA_CLUSTER__KEY_FILE=" + in("person.key")}, "worker");
  CHECK(client.find("role") != std::string::npos);

  // nobody takes the name of another
  const auto other = run(cluster.environment("stranger") + Words{CATENA_BINARY, "worker", "--join", cluster.address(), "--name", "w1"},
                         cluster.folder() / "other-out", cluster.folder() / "other-said");
  CHECK(other.code == 2);
  CHECK(other.says("is that of 'stranger'"));

  // a client with the wrong token gets one message and an exit code, soon
  const auto asked = run(cluster.environment("person") +
                             Words{"CATENA_CLUSTER__TOKEN_FILE=" + wrong_token.string(), CATENA_BINARY, "nodes", "--cluster", cluster.address()},
                         cluster.folder() / "asked-out", cluster.folder() / "asked-said");
  CHECK(asked.code == 1);
  CHECK(asked.says("token"));
  CHECK(cluster.worker_is_there(1));
}

TEST_CASE("a client with certificates of another authority hears of the certificate and the authority, not of the address") {
  Cluster cluster{{.workers = 1, .loopback = true}};
  cluster.start_coordinator();
  cluster.start_worker(1);
  cluster.wait_ready();
  const auto foreign = cluster.path("foreign");
  REQUIRE(run({CATENA_BINARY, "cert", "init", "--dir", foreign}, "/dev/null", "/dev/null").code == 0);
  const auto papers = [&](const std::string& authority) {
    return Words{"CATENA_CLUSTER__CA_FILE=" + authority + "/ca.pem", "CATENA_CLUSTER__CERTIFICATE_FILE=" + foreign + "/client.pem",
                 "CATENA_CLUSTER__KEY_FILE=" + foreign + "/client.key"};
  };
  // the client does not trust the coordinator, and the coordinator does not trust the client
  for (const auto& authority : {foreign, cluster.certificates()}) {
    const auto asked = run(
        cluster.environment("person") + papers(authority) + Words{CATENA_BINARY, "list", "--cluster", cluster.address(), "--connect-timeout", "20s"},
        cluster.folder() / "asked-out", cluster.folder() / "asked-said");
    INFO(authority << ": " << asked.error);
    CHECK(asked.code == 1);
    CHECK(asked.out.empty());
    CHECK(asked.says("certificate"));
    CHECK(asked.says("authority"));
    CHECK(asked.says("`catena cert show FILE`"));
    CHECK_FALSE(asked.says("is a coordinator running there"));
    CHECK_FALSE(asked.says("address"));
  }
}

TEST_CASE("a cluster that is not there is one message and an exit code") {
  Cluster cluster{{.workers = 1, .tls = false, .loopback = true}};
  const auto asked = run(cluster.environment("person") + Words{CATENA_BINARY, "nodes", "--cluster", "127.0.0.1:1"}, cluster.folder() / "asked-out",
                         cluster.folder() / "asked-said");
  CHECK(asked.code == 1);
  CHECK(asked.says("127.0.0.1:1"));
}

}  // namespace cluster_test
