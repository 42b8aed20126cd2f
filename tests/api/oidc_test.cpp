// Tokens of an issuer at a real coordinator, which finds its keys by itself. The issuer is in this process.
#include <filesystem>

#include "base/clock.hpp"
#include "tests/api/issuer.hpp"
#include "tests/api/server.hpp"
#include "tests/worker/http_server.hpp"

namespace catena::api::test {
namespace {

using worker::test::HttpServer;

/// An issuer that shows its discovery document and its keys.
struct IssuerOnline {
  TestIssuer keys;
  std::string name;
  HttpServer server{[this](const worker::test::Received& asked) {
    if (asked.path == "/.well-known/openid-configuration")
      return worker::test::answer(200, Json{{"issuer", name}, {"jwks_uri", name + "/keys"}}.dump());
    return asked.path == "/keys" ? worker::test::answer(200, keys.key_set()) : worker::test::answer(404, "");
  }};
  IssuerOnline() { name = server.url(""); }

  [[nodiscard]] std::string shown(const std::string& subject, const Json& groups, std::int64_t valid_s = 600) const {
    auto claims = TestIssuer::claims(SystemClock{}.now(), groups);
    claims["iss"] = name;
    claims["sub"] = subject;
    claims["exp"] = SystemClock{}.now() / 1'000 + valid_s;
    return "Authorization: Bearer " + keys.sign(claims, "RS256") + "\r\n";
  }
};

void configure_issuer(const Folder& folder, const std::string& oidc, const std::string& http = {}) {
  std::filesystem::create_directories(folder / "config/catena");
  folder.write("config/catena/catena.yaml", fmt::format("oidc:\n{}{}", oidc, http));
}

}  // namespace

TEST_CASE("oidc: a coordinator finds the keys of its issuer, and knows callers by their subjects") {
  IssuerOnline issuer;
  const Folder folder;
  configure_issuer(folder, fmt::format("  issuer: {}\n  audience: catena\n  roles: {{ops: operator, root: admin}}\n", issuer.name),
                   "http:\n  requests_per_second: 1\n  burst: 200\n");
  const Server server{folder, {"--http-tokens"}};
  REQUIRE(issuer.server.wait_for(2));  // the document and the keys; until then it is told to come again
  const auto submit = [&] { return server.ask("POST", "/v1/chains?wait=30", submission("one", kEchoes), issuer.shown("ada", {"ops"})); };
  auto done = submit();
  // What comes before the keys do counts for the address, and not for her.
  while (done.status == 503 || done.status == 429) done = submit();
  INFO(done.body);
  REQUIRE(done.status == 200);
  CHECK(server.ask("POST", "/v1/chains/none:cancel", "{}", issuer.shown("bob", {"ops"})).status == 404);
  CHECK(server.ask("GET", "/v1/chains", {}, issuer.shown("ada", {"others"})).status == 403);
  // Limits are those of a subject, whichever token it shows.
  int refused = 0;
  for (int asks = 0; asks < 210; ++asks) refused += server.ask("GET", "/v1/chains", {}, issuer.shown("greedy", {"ops"})).status == 429 ? 1 : 0;
  CHECK(refused > 0);
  CHECK(server.ask("GET", "/v1/chains", {}, issuer.shown("modest", {"ops"})).status == 200);
  const auto audit = server.ask("GET", "/v1/audit", {}, issuer.shown("root", {"root"}));
  REQUIRE(audit.status == 200);
  CHECK(audit.body.find("\"bob\"") != std::string::npos);
  CHECK(audit.body.find("oidc:" + issuer.name) != std::string::npos);
}

TEST_CASE("oidc: keys of a file are there from the start, and a file without any is told before anything starts") {
  const TestIssuer issuer;
  const Folder folder;
  const auto keys = (folder / "keys.json").string();
  const auto settings = fmt::format("  issuer: {}\n  audience: catena\n  jwks_file: {}\n  roles: {{ops: operator}}\n", TestIssuer::kName, keys);
  configure_issuer(folder, settings);
  folder.write("keys.json", R"({"keys": [{"kty": "oct", "k": "c2VjcmV0"}]})");
  Process none{{CATENA_BINARY, "coordinator", "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", "--data-dir", (folder / "other").string()},
               folder / "out",
               folder / "said",
               {"XDG_CONFIG_HOME=" + (folder / "config").string()}};
  CHECK(none.wait() == 2);
  CHECK(read_text(folder / "said").find("oidc.jwks_file") != std::string::npos);
  folder.write("keys.json", issuer.key_set());
  const Server server{folder};
  const auto with = [&](const std::string& alg) {
    return server.ask("GET", "/v1/chains", {}, "Authorization: Bearer " + issuer.sign(TestIssuer::claims(SystemClock{}.now()), alg) + "\r\n").status;
  };
  for (const std::string alg : {"RS256", "PS256", "ES256", "ES384", "EdDSA"}) CHECK(with(alg) == 200);
  CHECK(server.ask("GET", "/v1/chains").status == 401);
  auto ended = TestIssuer::claims(SystemClock{}.now());
  ended["exp"] = SystemClock{}.now() / 1'000 - 60;
  for (const auto& [token, reason] : {std::pair{issuer.sign(ended), "jwt_expired"}, {std::string{"a.b.c"}, "jwt_malformed"}}) {
    const auto refused = server.ask("GET", "/v1/chains", {}, "Authorization: Bearer " + token + "\r\n");
    CHECK(refused.status == 401);
    CHECK(refused.json()["detail"].get<std::string>().find(reason) != std::string::npos);
    CHECK(refused.headers.at("www-authenticate").find(reason) != std::string::npos);
  }
}

}  // namespace catena::api::test
