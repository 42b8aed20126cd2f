// Requests that are only validated: the same refusals, a preview, and nothing is done.
#include "api/preview.hpp"

#include <algorithm>

#include "tests/api/server.hpp"
#include "tests/api/support.hpp"

namespace catena::api::test {
namespace {

bool can_be_validated(const Route& route) {
  return std::ranges::find(route.query, std::string_view{kValidateOnly}, &Parameter::name) != route.query.end();
}

/// What a test may look at to see whether anything was done.
std::string all_that_is_kept(const Server& server) {
  std::string kept;
  for (const auto* path : {"/v1/chains/ended/history", "/v1/chains/long/history", "/v1/audit", "/v1/events?from=1", "/v1/chains?all=true&name=none"})
    kept += server.ask("GET", path).body + '\n';
  const auto chains = server.ask("GET", "/v1/chains?all=true").json();
  for (const auto& chain : chains["chains"]) kept += chain["chain_id"].get<std::string>() + ' ';
  return kept;
}

}  // namespace

TEST_CASE("every write can be validated, but a batch, whose lines are answered one by one, and tests, which change nothing") {
  for (const auto& route : routes()) {
    INFO(name(route.verb) << ' ' << route.path);
    const bool writes = route.verb != Verb::get && route.role != Role::viewer;
    CHECK(can_be_validated(route) == (writes && route.operation != "submitBatch" && route.operation != "testDefinition"));
  }
}

TEST_CASE("what cannot be checked without being done is refused") {
  Scene scene;
  Errand asks_nodes{actors::AskNodes{}};
  CHECK_FALSE(check_only(asks_nodes, scene.questions));
  Errand cordon{actors::NodeControl{WorkerId{"w"}, actors::NodeVerb::cordon}};
  REQUIRE(check_only(cordon, scene.questions));
  CHECK(std::get<actors::NodeControl>(cordon.what).only_check);
  CHECK(cordon.preview == Json{{"would", "cordon"}, {"node", "w"}});
}

TEST_CASE("http: a request that is only validated is refused as it would be, and changes nothing") {
  const Folder folder;
  const Server server{folder};
  REQUIRE(server.ask("POST", "/v1/chains?wait=30", submission("ended", kEchoes)).status == 200);
  REQUIRE(server.ask("POST", "/v1/chains", submission("long", kWaits)).status == 202);
  REQUIRE(server
              .ask("POST", "/v1/chains?wait=30", submission("bad", R"({"instructions": [{"execution_id": "fail",
    "tool_definition_path": "/tools/core/math.tool", "arguments": {"operation": "divide", "a": 1, "b": 0}}]})"))
              .status == 200);
  const auto before = all_that_is_kept(server);
  struct Said {
    std::string method;
    std::string path;
    std::string body;
  };
  const std::vector<Said> all{
      {"POST", "/v1/chains", submission("new", kEchoes)},
      {"POST", "/v1/chains", submission("ended", kEchoes)},
      {"POST", "/v1/chains", R"({"name": "nothing"})"},
      {"POST", "/v1/chains/long:cancel", R"({"reason": "enough"})"},
      {"POST", "/v1/chains/ended:cancel", "{}"},
      {"POST", "/v1/chains/nobody:cancel", "{}"},
      {"POST", "/v1/chains/long:resume", "{}"},
      {"POST", "/v1/chains/ended:resume", "{}"},
      {"POST", "/v1/chains/bad:retry", R"({"failed": true})"},
      {"POST", "/v1/chains/ended:retry", "{}"},
      {"POST", "/v1/chains/bad:skip", R"({"step": "fail", "response": {"result": 0}})"},
      {"POST", "/v1/chains/bad:skip", R"({"step": "none", "response": {}})"},
      {"POST", "/v1/chains/long:skip", R"({"step": "none", "response": {}})"},
      {"POST", "/v1/chains/ended:resolve", R"({"step": "definition", "again": true})"},
      {"DELETE", "/v1/chains/ended", ""},
      {"DELETE", "/v1/chains/long", ""},
      {"POST", "/v1/nodes/nobody:drain", "{}"},
      {"POST", "/v1/nodes/nobody:cordon", "{}"},
      {"POST", "/v1/nodes/nobody:uncordon", "{}"},
      {"POST", "/v1/chains/long:pause", R"({"reason": "lunch"})"},
      {"POST", "/v1/chains/long:unpause", "{}"},
      {"POST", "/v1/chains/long:amend", R"({"priority": 3})"},
      {"POST", "/v1/chains/long:kill", "{}"},
      {"POST", "/v1/chains/long:amend", R"({"step": "none", "timeout": "1s"})"},
      {"POST", "/v1/chains/long:amend", "{}"},
      {"POST", "/v1/chains/ended:pause", "{}"},
      {"POST", "/v1/chains/nobody:kill", "{}"},
      {"POST", "/v1/chains/long:signal", R"({"name": "go"})"},
      {"POST", "/v1/chains/long:approve", R"({"step": "none"})"},
      {"POST", "/v1/chains/long:reject", R"({"step": "none"})"},
      {"POST", "/v1/chains/ended:fork", R"({"at": "definition", "id": "again"})"},
      {"POST", "/v1/chains/ended:fork", R"({"at": "none", "id": "again"})"},
      {"POST", "/v1/chains/ended:fork", R"({"seq": 1000, "id": "again"})"},
      {"POST", "/v1/chains/ended:fork", R"({"id": "again"})"},
      {"POST", "/v1/chains/ended:fork", R"({"at": "definition", "id": "long"})"},
      {"POST", "/v1/chains/nobody:fork", R"({"at": "definition", "id": "again"})"},
  };
  const std::set<std::size_t> fine{0, 3, 6, 8, 10, 14, 19, 20, 21, 22, 30};
  std::vector<Received> checked;
  for (std::size_t at = 0; at < all.size(); ++at) {
    const auto& one = all[at];
    auto got = server.ask(one.method, one.path + "?validate_only=true", one.body);
    INFO(one.method << ' ' << one.path << ' ' << one.body << ": " << got.status << ' ' << got.body);
    CHECK((got.status == 200) == fine.contains(at));
    const bool forks = one.path.find(":fork") != std::string::npos;
    if (got.status == 200 && one.path.find(":retry") == std::string::npos) CHECK(fits(got.json(), forks ? "ForkPreview" : "Preview"));
    if (got.status != 200) CHECK(fits(got.json(), "Problem"));
    checked.push_back(std::move(got));
  }
  CHECK(all_that_is_kept(server) == before);
  for (std::size_t at = 0; at < all.size(); ++at) {
    if (fine.contains(at)) continue;
    const auto got = server.ask(all[at].method, all[at].path, all[at].body);
    INFO(all[at].path << ": " << got.body << " and before " << checked[at].body);
    CHECK(got.status == checked[at].status);
    CHECK(got.json() == checked[at].json());
  }
  // what was only validated can be done
  CHECK(server.ask("POST", "/v1/chains?wait=30", all[0].body).status == 200);
  CHECK(server.ask("POST", "/v1/chains/long:cancel?wait=30", R"({"reason": "enough"})").status == 200);
  CHECK(server.ask("POST", "/v1/chains/bad:skip?wait=30", all[10].body).json()["status"] == "succeeded");
}

TEST_CASE("http: why something was asked stands in the audit log") {
  const Folder folder;
  const Server server{folder};
  REQUIRE(server.ask("POST", "/v1/chains?wait=30", submission("ended", kEchoes)).status == 200);
  for (const auto* verb : {"cancel", "resume", "retry"}) server.ask("POST", std::string{"/v1/chains/ended:"} + verb, R"({"reason": "because"})");
  server.ask("POST", "/v1/chains/ended:skip", R"({"step": "definition", "response": {}, "reason": "because"})");
  for (const auto* verb : {"cordon", "uncordon", "drain"}) server.ask("POST", std::string{"/v1/nodes/nobody:"} + verb, R"({"reason": "because"})");
  CHECK(server.ask("DELETE", "/v1/chains/ended?reason=because").status == 200);
  const auto entries = server.ask("GET", "/v1/audit").json()["entries"];
  CHECK(entries.size() == 8);
  for (const auto& entry : entries) CHECK(entry["reason"] == "because");
}

TEST_CASE("http: the store is told while chains run") {
  const Folder folder;
  const Server server{folder};
  const auto before = server.ask("GET", "/v1/store").json();
  CHECK(fits(before, "Store"));
  REQUIRE(server.ask("POST", "/v1/chains?wait=30", submission("one", kEchoes)).status == 200);
  const auto after = server.ask("GET", "/v1/store").json();
  CHECK(after["commit"] > before["commit"]);
  CHECK(after["durable_commit"] >= before["durable_commit"]);
  CHECK(after["bytes"] > 0);
  CHECK(after["disk"]["total"] > 0);
}

}  // namespace catena::api::test
