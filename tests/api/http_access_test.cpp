// Who may do what over real sockets: tokens, namespaces, the audit log, and addresses beyond loopback.
#include "tests/api/http_client.hpp"
#include "tests/api/server.hpp"
#include "tests/api/support.hpp"

namespace catena::api::test {
TEST_CASE("http: with tokens, requests show one, and what is made and revoked counts at once") {
  const Folder folder;
  const auto file = [&](const std::string& name) { return (folder / name).string(); };
  const Server server{folder, {"--http-tokens", "--port-file", file("port")}};
  const auto catena = [&](std::vector<std::string> words) {
    words.insert(words.begin(), CATENA_BINARY);
    auto port = read_text(file("port"));
    port.resize(port.find_last_not_of('\n') + 1);
    words.insert(words.end(), {"--cluster", "127.0.0.1:" + port});
    Process process{words, file("made"), file("said")};
    const auto code = process.wait();
    INFO(read_text(file("said")));
    REQUIRE(code == 0);
    return read_text(file("made"));
  };
  CHECK(server.ask("GET", "/livez").status == 200);
  CHECK(server.ask("GET", "/v1/chains").status == 401);
  const auto made = Json::parse(catena({"token", "create", "--role", "viewer", "-o", "json"}));
  const auto shown = fmt::format("Authorization: Bearer {}\r\n", made["token"].get<std::string>());
  CHECK(server.ask("GET", "/v1/chains", {}, shown).status == 200);
  const auto refused = server.ask("POST", "/v1/chains", submission("one", kEchoes), shown);
  CHECK(refused.status == 403);
  CHECK(refused.json()["code"] == "role_refused");
  CHECK(read_text(file("log")).find(made["token"].get<std::string>()) == std::string::npos);
  catena({"token", "revoke", made["id"].get<std::string>()});
  CHECK(server.ask("GET", "/v1/chains", {}, shown).status == 401);
}

TEST_CASE("http: who has a token of one namespace sees, follows and steers the chains of that one, and nothing else") {
  const Folder folder;
  const auto catena = [&](std::vector<std::string> words) {
    words.insert(words.begin(), CATENA_BINARY);
    words.insert(words.end(), {"--data-dir", (folder / "data").string()});
    Process process{words, (folder / "made").string(), (folder / "said").string()};
    const auto code = process.wait();
    INFO(read_text((folder / "said").string()));
    REQUIRE(code == 0);
    return read_text((folder / "made").string());
  };
  const auto token = [&](const std::string& of) {
    std::vector<std::string> words{"token", "create", "--role", "admin", "-o", "json"};
    if (!of.empty()) words.insert(words.end(), {"--namespace", of});
    return fmt::format("Authorization: Bearer {}\r\n", Json::parse(catena(words))["token"].get<std::string>());
  };
  const auto all = token("");
  const auto red = token("red");
  const auto blue = token("blue");
  const Server server{folder, {"--http-tokens"}};
  const auto submit = [&](const std::string& id, const std::string& as, const std::string& definition) {
    return server.ask("POST", "/v1/chains?wait=30s", submission(id, definition), as).status;
  };
  CHECK(submit("r", red, kEchoes) == 200);
  CHECK(submit("b", blue, kEchoes) == 200);
  CHECK(submit("n", all, kEchoes) == 200);
  const auto ids = [&](const std::string& as, const std::string& target, const std::string& member) {
    std::set<std::string> found;
    const auto page = server.ask("GET", target, {}, as).json();
    for (const auto& row : page[member]) found.insert(row["chain_id"].get<std::string>());
    return found;
  };
  using Ids = std::set<std::string>;
  CHECK(ids(red, "/v1/chains", "chains") == Ids{"r"});
  CHECK(ids(blue, "/v1/chains", "chains") == Ids{"b"});
  CHECK(ids(all, "/v1/chains", "chains") == Ids{"b", "n", "r"});
  CHECK(ids(all, "/v1/chains?namespace=red", "chains") == Ids{"r"});
  CHECK(ids(red, "/v1/events?from=1", "events") == Ids{"r"});
  CHECK(ids(all, "/v1/events?from=1", "events") == Ids{"b", "n", "r"});
  // What it may do there it may not do to others, whether there are such or not.
  for (const std::string other : {"b", "n", "none"}) {
    CAPTURE(other);
    for (const std::string behind : {"", "/steps", "/history", "/response", "/children", "/events"})
      CHECK(server.ask("GET", "/v1/chains/" + other + behind, {}, red).status == 404);
    for (const std::string behind : {":cancel", ":retry", ":resume"})
      CHECK(server.ask("POST", "/v1/chains/" + other + behind, "{}", red).status == 404);
    CHECK(server.ask("DELETE", "/v1/chains/" + other, {}, red).status == 404);
  }
  CHECK(server.ask("GET", "/v1/chains/b", {}, all).status == 200);
  CHECK(server.ask("DELETE", "/v1/chains/r", {}, red).status == 200);
  CHECK(submit("r2", red, kHalves) == 200);
  CHECK(server.ask("GET", "/v1/chains/r2/steps", {}, red).status == 200);
  for (const std::string shared : {"/v1/nodes", "/v1/audit", "/v1/store", "/metrics", "/v1/webhooks"}) {
    CAPTURE(shared);
    const auto refused = server.ask("GET", shared, {}, red);
    CHECK(refused.status == 403);
    CHECK(refused.json()["code"] == "namespace_refused");
    CHECK(server.ask("GET", shared, {}, all).status == 200);
  }
}

TEST_CASE("http: the audit log has who asked for what was acknowledged, also after kill -9") {
  const Folder folder;
  const auto catena = [&](std::vector<std::string> words) {
    words.insert(words.begin(), CATENA_BINARY);
    words.insert(words.end(), {"--data-dir", (folder / "data").string()});
    Process process{words, folder / "made", folder / "said"};
    const auto code = process.wait();
    INFO(read_text(folder / "said"));
    REQUIRE(code == 0);
    return read_text(folder / "made");
  };
  const auto made = Json::parse(catena({"token", "create", "--role", "admin", "--name", "ann", "-o", "json"}));
  const auto shown = fmt::format("Authorization: Bearer {}\r\n", made["token"].get<std::string>());
  {
    Server server{folder, {"--http-tokens"}};
    CHECK(server.ask("POST", "/v1/chains", submission("long", kWaits), shown).status == 202);
    CHECK(server.ask("POST", "/v1/chains/long:cancel?wait=30", R"({"reason": "wrong week"})", shown).status == 200);
    const auto over_http = server.ask("GET", "/v1/audit?subject=long", {}, shown);
    CHECK(fits(over_http.json(), "AuditPage"));
    CHECK(over_http.json()["entries"].size() == 1);
    const auto history = server.ask("GET", "/v1/chains/long/history?limit=1000", {}, shown).json();
    const auto cancel = std::ranges::find_if(history["events"], [](const Json& event) { return event["event"] == "CancelRequested"; });
    REQUIRE(cancel != history["events"].end());
    CHECK((*cancel)["by"] == "ann");
    CHECK((*cancel)["reason"] == "wrong week");
    server.process().kill(SIGKILL);
    server.process().wait();
  }
  const auto entry = Json::parse(catena({"audit", "--subject", "long", "-o", "json"}));
  CHECK(entry["act"] == "cancel");
  CHECK(entry["reason"] == "wrong week");
  CHECK(entry["by"] == Json{{"via", "http"}, {"name", "ann"}, {"id", made["id"]}});
  const auto token = Json::parse(catena({"audit", "--act", "create_token", "-o", "json"}));
  CHECK(token["by"]["via"] == "local");
}

TEST_CASE("http: beyond loopback only where the words are said") {
  const Folder folder;
  const auto start = [&](std::vector<std::string> more) {
    std::vector<std::string> words{CATENA_BINARY, "coordinator", "--listen", "127.0.0.1:0", "--data-dir", (folder / "data").string()};
    words.insert(words.end(), more.begin(), more.end());
    Process process{words, folder / "out", folder / "log"};
    const auto code = process.wait();
    return std::pair{code, read_text(folder / "log")};
  };
  const auto [code, log] = start({"--http", "0.0.0.0:0"});
  CHECK(code == 2);
  CHECK_THAT(log, Catch::Contains("--http-without-authentication"));
  CHECK(start({"--http", "nowhere"}).first == 2);
  CHECK(start({"--http-port-file", (folder / "port").string()}).first == 2);
}

}  // namespace catena::api::test
