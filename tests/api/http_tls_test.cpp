// The interface over TLS: who is let in by a certificate, who is not, and files that change under a running process. curl is the client.
#include <filesystem>
#include <fstream>

#include "base/clock.hpp"
#include "link/certificates.hpp"
#include "tests/api/server.hpp"

namespace catena::api::test {
namespace {

constexpr UnixMillis kADay = 86'400'000;

/// Authorities, certificates and a configuration in a folder; what curl says.
class TlsScene {
 public:
  TlsScene() {
    make("web", authority_, link::NodeRole::coordinator, now(), {"localhost", "127.0.0.1"});
    make("ann", authority_, link::NodeRole::client, now());
    make("dash-1", authority_, link::NodeRole::client, now());
    make("bob", authority_, link::NodeRole::client, now());
    make("ended", authority_, link::NodeRole::client, now() - 3 * kADay);
    make("foreign", other_, link::NodeRole::client, now());
    folder_.write("ca.pem", authority_.certificate);
    folder_.write("other-ca.pem", other_.certificate);
  }
  void configure(const std::string& more) {
    std::filesystem::create_directories(folder_ / "config/catena");
    folder_.write("config/catena/catena.yaml",
                  fmt::format("http:\n  certificate_file: {0}/web.pem\n  key_file: {0}/web.key\n{1}", (folder_ / "").string(), more));
  }
  void make(const std::string& name, const link::Credentials& by, link::NodeRole role, UnixMillis at, std::vector<std::string> hosts = {}) {
    const auto made = link::issue(by, {.name = name, .role = role, .days = 1, .hosts = std::move(hosts)}, at);
    REQUIRE(made);
    replace(name + ".pem", made->certificate);
    replace(name + ".key", made->key);
  }
  void replace(const std::string& name, const std::string& text) const {
    folder_.write(name + ".new", text);
    std::filesystem::rename(folder_ / (name + ".new"), folder_ / name);
  }
  /// The status that curl is answered with, or minus its exit code.
  int ask(const std::string& url, const std::vector<std::string>& more, const std::string& ca = "ca.pem") const {
    std::vector<std::string> words{"/usr/bin/curl", "-sS", "-o", file("body"), "-w", "%{http_code}", "--cacert", file(ca)};
    words.insert(words.end(), more.begin(), more.end());
    words.push_back(url);
    Process curl{words, file("status"), file("said")};
    const int code = curl.wait();
    return code == 0 ? std::stoi(read_text(file("status"))) : -code;
  }
  [[nodiscard]] std::vector<std::string> shown(const std::string& name) const {
    return {"--cert", file(name + ".pem"), "--key", file(name + ".key")};
  }
  [[nodiscard]] Json body() const { return Json::parse(read_text(file("body"))); }
  [[nodiscard]] std::string file(const std::string& name) const { return (folder_ / name).string(); }
  [[nodiscard]] const Folder& folder() const { return folder_; }
  [[nodiscard]] const link::Credentials& other() const { return other_; }
  static UnixMillis now() { return SystemClock{}.now(); }
  [[nodiscard]] std::string roles() const {
    return fmt::format("  client_ca_file: {}\n  certificate_roles: {{ann: admin, 'dash-*': viewer}}\n", file("ca.pem"));
  }

 private:
  Folder folder_;
  link::Credentials authority_ = link::make_authority(30, now()).value();
  link::Credentials other_ = link::make_authority(30, now()).value();
};

constexpr int kCurlHandshake = -35;
constexpr int kCurlReceive = -56;
constexpr int kCurlVerify = -60;
bool refused_in_handshake(int status) { return status == kCurlHandshake || status == kCurlReceive; }

}  // namespace

TEST_CASE("https: chains over TLS, of version 1.2 and later, and nothing without it") {
  TlsScene scene;
  scene.configure("");
  const Server server{scene.folder()};
  REQUIRE(server.url() == fmt::format("https://127.0.0.1:{}", server.port()));
  const auto submit = fmt::format("{}/v1/chains?wait=30", server.url());
  REQUIRE(scene.ask(submit, {"-H", "Content-Type: application/json", "-d", submission("one", kEchoes, R"({"a": 1})")}) == 200);
  CHECK(scene.body()["response"] == Json{{"a", 1}});
  CHECK(scene.ask(server.url() + "/v1/chains/one/events", {"-H", "Accept: text/event-stream"}) == 200);
  CHECK(scene.ask(fmt::format("https://localhost:{}/livez", server.port()), {}) == 200);
  CHECK(scene.ask(server.url() + "/livez", {"--tls-max", "1.2"}) == 200);
  CHECK(refused_in_handshake(scene.ask(server.url() + "/livez", {"--tlsv1.0", "--tls-max", "1.1"})));
  CHECK(scene.ask(server.url() + "/livez", {}, "other-ca.pem") == kCurlVerify);
  // What is no TLS gets no answer, and holds nobody up.
  Connection plain{server.port()};
  REQUIRE(plain.ask("GET", "/livez"));
  CHECK(plain.is_closed());
  // No certificates of clients are asked for: one that is shown opens and closes nothing.
  CHECK(scene.ask(server.url() + "/v1/chains", scene.shown("foreign")) == 200);
}

TEST_CASE("https: a certificate has the role that its name has, and a stranger's ends the handshake") {
  TlsScene scene;
  scene.configure(scene.roles());
  const Server server{scene.folder()};
  const auto chains = server.url() + "/v1/chains";
  CHECK(scene.ask(server.url() + "/livez", {}) == 200);
  CHECK(scene.ask(chains, {}) == 401);
  CHECK(scene.body()["code"] == "token_refused");
  CHECK(scene.ask(chains, scene.shown("bob")) == 401);
  CHECK(scene.ask(chains, scene.shown("dash-1")) == 200);
  auto removing = scene.shown("dash-1");
  removing.insert(removing.end(), {"-X", "DELETE"});
  CHECK(scene.ask(chains + "/none", removing) == 403);
  CHECK(scene.body()["code"] == "role_refused");
  removing = scene.shown("ann");
  removing.insert(removing.end(), {"-X", "DELETE"});
  CHECK(scene.ask(chains + "/none", removing) == 404);
  for (const std::string name : {"ended", "foreign"}) {
    CAPTURE(name);
    CHECK(refused_in_handshake(scene.ask(server.url() + "/livez", scene.shown(name))));
  }
  // The audit log has the name in the certificate.
  CHECK(scene.ask(server.url() + "/v1/audit", scene.shown("ann")) == 200);
  const auto entries = scene.body()["entries"];
  REQUIRE(entries.size() == 1);
  CHECK(entries[0]["by"] == Json{{"via", "http"}, {"name", "ann"}, {"id", "certificate"}});
}

TEST_CASE("https: new files count for the next connection, and files that cannot be used change nothing") {
  TlsScene scene;
  scene.configure("");
  const Server server{scene.folder()};
  const auto livez = server.url() + "/livez";
  CHECK(scene.ask(livez, {}) == 200);
  scene.replace("web.pem", "rubbish");
  CHECK(scene.ask(livez, {}) == 200);
  scene.make("web", scene.other(), link::NodeRole::coordinator, TlsScene::now(), {"127.0.0.1"});
  CHECK(scene.ask(livez, {}) == kCurlVerify);
  CHECK(scene.ask(livez, {}, "other-ca.pem") == 200);
}

TEST_CASE("https: a client that does not go on with its handshake is cut off") {
  TlsScene scene;
  scene.configure("");
  const Server server{scene.folder()};
  Connection silent{server.port()};
  CHECK(silent.is_closed());
}

TEST_CASE("https: what the configuration gets wrong is said at the start") {
  TlsScene scene;
  const auto said_at_start = [&](const std::string& more) {
    scene.configure(more);
    Process process{{CATENA_BINARY, "coordinator", "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", "--data-dir", scene.file("data")},
                    scene.file("out"),
                    scene.file("log"),
                    {"XDG_CONFIG_HOME=" + scene.file("config")}};
    CHECK(process.wait() != 0);
    return read_text(scene.file("log"));
  };
  const auto has = [](const std::string& text, const std::string& part) {
    INFO(text);
    CHECK(text.find(part) != std::string::npos);
  };
  has(said_at_start(fmt::format("  client_ca_file: {}\n", scene.file("ca.pem"))), "come together");
  has(said_at_start("  certificate_roles: {ann: admin}\n"), "come together");
  has(said_at_start(fmt::format("  client_ca_file: {}\n  certificate_roles: {{ann: root}}\n", scene.file("ca.pem"))),
      "none of viewer, operator, admin");
  has(said_at_start(fmt::format("  client_ca_file: {}\n  certificate_roles: {{ann: admin}}\n", scene.file("web.pem"))), "authority");
  scene.make("web", scene.other(), link::NodeRole::coordinator, TlsScene::now() - 3 * kADay, {});
  has(said_at_start(""), "it ended");
}

}  // namespace catena::api::test
