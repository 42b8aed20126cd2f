// The interface of the real binary, over real sockets.
#include "coordinator/posted_calls.hpp"

#include "tests/api/http_client.hpp"
#include "tests/api/server.hpp"
#include "tests/api/support.hpp"

namespace catena::api::test {
TEST_CASE("http: a chain is submitted, waited for, looked at and removed") {
  const Folder folder;
  const Server server{folder};
  CHECK(server.ask("GET", "/readyz").status == 200);
  const auto done = server.ask("POST", "/v1/chains?wait=30", submission("one", kEchoes, R"({"a": [1, 2]})"));
  INFO(done.body);
  CHECK(done.status == 200);
  CHECK(fits(done.json(), "Chain"));
  CHECK(done.json()["response"] == Json::parse(R"({"a": [1, 2]})"));
  CHECK(done.headers.at("content-type") == "application/json");

  CHECK(server.ask("GET", "/v1/chains/one").body == done.body);
  const auto again = server.ask("POST", "/v1/chains", submission("one", kEchoes));
  CHECK(again.status == 409);
  CHECK(again.json()["code"] == "chain_exists");
  CHECK(server.ask("GET", "/v1/chains/one/arguments").body == R"({"a":[1,2]})");
  CHECK(server.ask("GET", "/v1/chains/one/response").body == R"({"a":[1,2]})");
  CHECK(server.ask("GET", "/v1/chains/one/context").status == 404);
  const auto list = server.ask("GET", "/v1/chains?limit=10").json();
  CHECK(fits(list, "ChainPage"));
  CHECK(list["chains"].size() == 1);
  const auto steps = server.ask("GET", "/v1/chains/one/steps").json();
  CHECK(fits(steps, "StepPage"));
  const auto step = steps["steps"][0]["id"].get<std::string>();
  CHECK(server.ask("GET", "/v1/chains/one/steps/" + step + "/response").status == 200);
  CHECK(fits(server.ask("GET", "/v1/chains/one/steps/" + step + "/items").json(), "ItemPage"));
  CHECK(fits(server.ask("GET", "/v1/chains/one/steps/" + step + "/items:states").json(), "ItemStates"));
  CHECK(server.ask("GET", "/v1/chains/one/steps/nothing/items").status == 404);
  const auto history = server.ask("GET", "/v1/chains/one/history?limit=2").json();
  CHECK(fits(history, "HistoryPage"));
  CHECK(history["events"].size() == 2);
  CHECK(fits(server.ask("GET", "/v1/chains/one/logs").json(), "LogPage"));
  CHECK(fits(server.ask("GET", "/v1/chains/one/children").json(), "ChainPage"));
  CHECK(fits(server.ask("GET", "/v1/nodes").json(), "Nodes"));
  CHECK(server.ask("POST", "/v1/nodes/nobody:cordon").status == 404);

  const auto gone = server.ask("DELETE", "/v1/chains/one");
  CHECK(gone.status == 200);
  CHECK(fits(gone.json(), "Removed"));
  for (const auto* what : {"", "/steps", "/history", "/logs", "/children", "/arguments"})
    CHECK(server.ask("GET", std::string{"/v1/chains/one"} + what).status == 404);
  CHECK(server.ask("DELETE", "/v1/chains/one").status == 404);
}

TEST_CASE("http: the same key makes one chain, and another submission with it is refused") {
  const Folder folder;
  const Server server{folder};
  const auto body = [](int x) { return fmt::format(R"({{"definition": {}, "arguments": {{"x": {}}}, "labels": {{"team": "a"}}}})", kEchoes, x); };
  const std::string key = "Idempotency-Key: order-17\r\n";
  const auto first = server.ask("POST", "/v1/chains?wait=30", body(1), key);
  INFO(first.body);
  REQUIRE(first.status == 200);
  const auto again = server.ask("POST", "/v1/chains?wait=30", body(1), key);
  CHECK(again.status == 200);
  CHECK(again.json()["chain_id"] == first.json()["chain_id"]);
  CHECK(server.ask("POST", "/v1/chains", body(1), key).json()["chain_id"] == first.json()["chain_id"]);
  const auto other = server.ask("POST", "/v1/chains", body(2), key);
  CHECK(other.status == 422);
  CHECK(other.json()["code"] == "submission_conflict");
  CHECK(server.ask("GET", "/v1/chains?label=team=a").json()["chains"].size() == 1);
  CHECK(server.ask("GET", "/v1/chains?label=team=b").json()["chains"].empty());
}

TEST_CASE("http: metrics and events tell what has happened") {
  const Folder folder;
  const Server server{folder};
  REQUIRE(server.ask("POST", "/v1/chains?wait=30", submission("one", kEchoes)).status == 200);
  REQUIRE(server.ask("GET", "/v1/nothing").status == 404);
  const auto metrics = server.ask("GET", "/metrics");
  CHECK(metrics.status == 200);
  CHECK(metrics.headers.at("content-type") == "text/plain; version=0.0.4; charset=utf-8");
  // the request that waited took its own time, and the one for the metrics is not answered yet
  for (const std::string line : {"catena_chains_ended_total{status=\"succeeded\"} 1\n", "catena_slots 4\n", "catena_workers{state=\"open\"} 1\n",
                                 "catena_http_requests_total{status=\"2xx\"} 1\n", "catena_http_requests_total{status=\"4xx\"} 1\n",
                                 "catena_http_request_duration_seconds_count 1\n", "catena_http_waiting 0\n", "catena_http_streams 0\n"}) {
    INFO(line << metrics.body);
    CHECK(metrics.body.find(line) != std::string::npos);
  }
  CHECK(metrics.body.find("\nprocess_resident_memory_bytes 0\n") == std::string::npos);
  const auto open = server.ask("GET", "/metrics", {}, "Accept: application/openmetrics-text; version=1.0.0\r\n");
  CHECK(open.body.ends_with("# EOF\n"));
  CHECK(open.body.find("# {chain_id=\"one\",trace_id=\"") != std::string::npos);

  const auto events = server.ask("GET", "/v1/events").json();
  REQUIRE(fits(events, "FeedPage"));
  REQUIRE(events["events"].size() == 4);
  CHECK(events["events"][0]["kind"] == "started");
  CHECK(events["events"][3]["kind"] == "ended");
  const auto next = events["next"].get<std::uint64_t>();
  CHECK(server.ask("GET", fmt::format("/v1/events?from={}", next)).json()["events"].empty());
  REQUIRE(server.ask("POST", "/v1/chains?wait=30", submission("two", kEchoes)).status == 200);
  CHECK(server.ask("GET", fmt::format("/v1/events?from={}", next)).json()["events"][0]["chain_id"] == "two");
}

TEST_CASE("http: a chain that goes on is answered with 202 and its path, and a cancel ends the wait of another") {
  const Folder folder;
  const Server server{folder};
  const auto accepted = server.ask("POST", "/v1/chains", submission("long", kWaits));
  INFO(accepted.body);
  CHECK(accepted.status == 202);
  CHECK(accepted.headers.at("location") == "/v1/chains/long");
  CHECK(accepted.headers.contains("retry-after"));
  CHECK(accepted.json()["chain_id"] == "long");
  const auto not_yet = server.ask("GET", "/v1/chains/long", "", "Prefer: wait=1\r\n");
  CHECK(not_yet.status == 202);
  CHECK(not_yet.headers.at("location") == "/v1/chains/long");
  CHECK(not_yet.json()["status"] == "running");
  CHECK(server.ask("GET", "/v1/chains/long?wait=0ms").status == 202);
  CHECK(server.ask("DELETE", "/v1/chains/long").status == 409);

  Connection waiting{server.port()};
  REQUIRE(waiting.ask("GET", "/v1/chains/long?wait=60"));
  const auto cancelled = server.ask("POST", "/v1/chains/long:cancel?wait=30", R"({"reason": "enough"})");
  CHECK(cancelled.status == 200);
  CHECK(cancelled.json()["status"] == "cancelled");
  const auto ended = waiting.hear();
  REQUIRE(ended);
  CHECK(ended->status == 200);
  CHECK(ended->body == cancelled.body);
  CHECK(server.ask("POST", "/v1/chains/long:cancel").status == 409);
  const auto preview = server.ask("POST", "/v1/chains/long:retry", R"({"dry_run": true})");
  CHECK(preview.status == 200);
  CHECK(fits(preview.json(), "RetryPreview"));
}

TEST_CASE("http: a wait that nobody stays for changes nothing") {
  const Folder folder;
  const Server server{folder};
  CHECK(server.ask("POST", "/v1/chains", submission("long", kWaits)).status == 202);
  for (int client = 0; client < 20; ++client) {
    const Connection leaves{server.port()};
    REQUIRE(leaves.ask("GET", "/v1/chains/long?wait=60"));
  }
  CHECK(server.ask("GET", "/v1/chains/long").json()["status"] == "running");
  CHECK(server.is_alive());
}

TEST_CASE("http: five hundred waiting clients hold no thread, and all are answered") {
  const Folder folder;
  const Server server{folder};
  CHECK(server.ask("POST", "/v1/chains", submission("long", kWaits)).status == 202);
  const auto before = server.threads();
  std::vector<std::unique_ptr<Connection>> clients;
  for (int client = 0; client < 500; ++client) {
    clients.push_back(std::make_unique<Connection>(server.port()));
    REQUIRE(clients.back()->ask("GET", "/v1/chains/long?wait=60"));
  }
  CHECK(server.ask("GET", "/v1/chains/long").status == 200);
  CHECK(server.threads() == before);
  CHECK(server.ask("POST", "/v1/chains/long:cancel").status <= 202);
  for (auto& client : clients) {
    const auto answer = client->hear();
    REQUIRE(answer);
    CHECK(answer->status == 200);
    CHECK(answer->json()["status"] == "cancelled");
  }
}

TEST_CASE("http: a chain that was acknowledged is there after kill -9") {
  const Folder folder;
  {
    Server server{folder};
    CHECK(server.ask("POST", "/v1/chains", submission("kept", kWaits)).status == 202);
    CHECK(server.ask("POST", "/v1/chains?wait=30", submission("done", kEchoes)).status == 200);
    Connection waiting{server.port()};
    REQUIRE(waiting.ask("GET", "/v1/chains/kept?wait=60"));
    server.process().kill(SIGKILL);
    CHECK_FALSE(waiting.hear());
    server.process().wait();
  }
  const Server server{folder};
  CHECK(server.ask("GET", "/v1/chains/kept").json()["status"] == "running");
  CHECK(server.ask("GET", "/v1/chains/done").json()["status"] == "succeeded");
  CHECK(server.ask("POST", "/v1/chains/kept:cancel?wait=30").json()["status"] == "cancelled");
}

TEST_CASE("http: whoever waits when the coordinator ends in order is not left hanging") {
  const Folder folder;
  Server server{folder};
  CHECK(server.ask("POST", "/v1/chains", submission("long", kWaits)).status == 202);
  std::vector<std::unique_ptr<Connection>> waiting;
  std::vector<std::unique_ptr<Connection>> idle;
  std::vector<std::unique_ptr<Connection>> halfway;
  for (int client = 0; client < 20; ++client) {
    REQUIRE(waiting.emplace_back(std::make_unique<Connection>(server.port()))->ask("GET", "/v1/chains/long?wait=60"));
    auto& answered = *idle.emplace_back(std::make_unique<Connection>(server.port()));
    REQUIRE(answered.ask("GET", "/livez"));
    REQUIRE(answered.hear());
    REQUIRE(halfway.emplace_back(std::make_unique<Connection>(server.port()))->say("GET /livez HTTP/1.1\r\nHost:"));
  }
  CHECK(server.is_alive());
  server.process().kill(SIGTERM);
  for (auto& client : waiting) {
    const auto answer = client->hear();
    CHECK((!answer || answer->status == 503));
  }
  for (auto& client : idle) CHECK(client->is_closed());
  for (auto& client : halfway) CHECK(client->is_closed());
  CHECK(server.process().wait() == 0);
}

TEST_CASE("http: half of the files that the process may have open are connections at most, further ones are closed, and whoever leaves makes room") {
  const Folder folder;
  const Server server{folder, {}, {"/bin/sh", "-c", "ulimit -n 256 && exec \"$0\" \"$@\""}};
  const auto is_served = [](Connection& connection) { return connection.ask("GET", "/livez") && connection.hear().has_value(); };
  {
    std::vector<std::unique_ptr<Connection>> clients;
    while (clients.size() < 200 && is_served(*clients.emplace_back(std::make_unique<Connection>(server.port())))) continue;
    CHECK(clients.size() == 128 + 1);
    CHECK(is_served(*clients.front()));
  }
  bool served = false;
  for (int more = 0; more < 100'000 && !served; ++more) {
    Connection connection{server.port()};
    served = is_served(connection);
  }
  CHECK(served);
}

TEST_CASE("http: hostile requests are refused, and others are served") {
  const Folder folder;
  const Server server{folder};
  const auto closes = [&](const std::string& bytes) {
    Connection connection{server.port()};
    static_cast<void>(connection.say(bytes));
    return connection.is_closed();
  };
  const auto post = [](const std::string& headers, const std::string& body) {
    return "POST /v1/chains HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" + headers + "\r\n" + body;
  };
  // two lengths, a length beside chunks, chunks that are none: what a proxy might read in another way
  CHECK(closes(post("Content-Length: 2\r\nContent-Length: 20\r\n", "{}")));
  CHECK(closes(post("Content-Length: 2\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n")));
  CHECK(closes(post("Transfer-Encoding: chunked\r\n", "zz\r\n{}\r\n0\r\n\r\n")));
  CHECK(closes(post("Content-Length: -1\r\n", "")));
  CHECK(closes(post("Content-Length: 99999999999\r\n", "")));
  CHECK(closes("NONSENSE / HTTP/1.1\r\n\r\n"));
  CHECK(closes("\x16\x03\x01\x02\x01 this is TLS"));
  CHECK(closes("GET /" + std::string(20'000, 'a') + " HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  CHECK(closes("GET / HTTP/1.1\r\nX: " + std::string(20'000, 'a') + "\r\n\r\n"));
  std::string many = "GET / HTTP/1.1\r\n";
  for (int header = 0; header < 1000; ++header) many += fmt::format("X-{}: 1\r\n", header);
  CHECK(closes(many + "\r\n"));

  CHECK(server.ask("POST", "/v1/chains", std::string((4UL << 20U) + 1, ' ')).status == 413);
  CHECK(server.ask("POST", "/v1/chains", R"({"definition": )" + std::string(100'000, '[')).json()["code"] == "nesting_too_deep");
  CHECK(server.ask("GET", "/v1/chains/..%2f..%2fetc%2fpasswd").status == 404);
  CHECK(server.ask("GET", "/../../etc/passwd").status == 400);
  CHECK(server.ask("PATCH", "/v1/chains").status == 405);
  Connection rebound{server.port()};
  REQUIRE(rebound.say("GET /v1/chains HTTP/1.1\r\nHost: evil.example\r\n\r\n"));
  CHECK(rebound.hear()->status == 403);
  CHECK(server.ask("POST", "/v1/chains", submission("x", kEchoes), "Origin: http://evil.example\r\n").status == 403);

  // slow ones hold a connection, and nobody else
  std::vector<std::unique_ptr<Connection>> slow;
  for (int client = 0; client < 100; ++client) {
    slow.push_back(std::make_unique<Connection>(server.port()));
    REQUIRE(slow.back()->say("POST /v1/chains HTTP/1.1\r\nContent-Length: 100\r\n\r\n{"));
  }
  CHECK(server.ask("POST", "/v1/chains?wait=30", submission("fine", kEchoes)).status == 200);
  // several requests at once are answered in order
  Connection pipelined{server.port()};
  REQUIRE(pipelined.say("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\nGET /v1/chains/fine HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  CHECK(pipelined.hear()->json()["status"] == "ok");
  CHECK(pipelined.hear()->json()["chain_id"] == "fine");
  CHECK(server.is_alive());
}

namespace {

/// The path of a route with these in place of its names.
std::string path_with(std::string_view pattern, const std::map<std::string, std::string>& names) {
  std::string path;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    if (pattern[at] != '{') {
      path += pattern[at];
      continue;
    }
    const auto end = pattern.find('}', at);
    path += names.at(std::string{pattern.substr(at + 1, end - at - 1)});
    at = end;
  }
  return path;
}

const std::map<std::string_view, std::string> kBodies{
    {"", ""},
    {"Reason", R"({"reason": "a walk"})"},
    {"ScheduleWish", R"({"every": "1h", "name": "math", "arguments": {"operation": "add", "a": 1, "b": 2}})"},
    {"Backfill", R"({"from": "2026-01-01T00:00:00Z", "until": "2026-01-01T02:00:00Z"})"},
    {"Cancel", "{}"},
    {"Retry", R"({"dry_run": true})"},
    {"Amend", R"({"priority": 1})"},
    {"Signal", R"({"name": "go"})"},
    {"Approve", R"({"step": "definition"})"},
    {"Reject", R"({"step": "definition"})"},
    {"NamedText", Json{{"text", kEchoes}}.dump()},
    {"DefinitionText", Json{{"text", kEchoes}, {"at", {{"line", 1}, {"column", 2}}}}.dump()},
    {"DefinitionTests", Json{{"definition", {{"file_name", "d.json"}, {"text", kEchoes}}},
                             {"test", {{"file_name", "d.test.yaml"}, {"text", "tests: [{name: it ends, expect: {status: succeeded}}]"}}}}
                            .dump()},
    {"Fork", R"({"at": "definition"})"},
    {"Skip", R"({"step": "definition", "response": {}})"},
    {"Resolve", R"({"step": "definition", "again": true})"},
    {"Submission", submission("walked", kEchoes)},
    {"BatchSubmission", R"({"name": "math", "arguments": {"operation": "add", "a": 1, "b": 2}})"},
    {"Calls", coordinator::encode_posted(coordinator::PostedCalls{})},
    {"Definition", R"({"name": "math"})"},
    {"StorableDefinition", R"({"definition": )" + kEchoes + "}"},
    {"FileContent", "five bytes, or some more"},
    {"BackupWish", R"({"directory": "first"})"}};

}  // namespace

TEST_CASE("http: every route answers with what it documents") {
  const Folder folder;
  const Server server{folder};
  REQUIRE(server.ask("POST", "/v1/chains?wait=30", submission("one", kEchoes)).status == 200);
  const auto walk = [&](const Route& route, const std::string& chain) {
    auto path = path_with(route.path, {{"id", chain},
                                       {"step", "definition"},
                                       {"item", "0"},
                                       {"code", "usage"},
                                       {"node", "nobody"},
                                       {"file", "index.html"},
                                       {"delivery", "msg_none"},
                                       {"name", route.group == "Schedules" ? "walked" : "team%2Fwalked"},
                                       {"path", "walked%2Ffile.txt"}});
    if (route.operation == "diffChains") path += "?with=one";
    const auto received = server.ask(std::string{name(route.verb)}, path, kBodies.at(route.body),
                                     route.body.empty() ? "" : fmt::format("Content-Type: {}\r\n", route.body_type));
    INFO(name(route.verb) << ' ' << path << ": " << received.status << ' ' << received.body);
    const auto documented = std::ranges::find(route.answers, received.status, &Documented::status);
    REQUIRE(documented != route.answers.end());
    if (received.status >= 400) CHECK(received.headers.at("content-type") == kProblemType);
    if (received.status < 400 && !documented->schema.empty()) CHECK(received.headers.at("content-type") == documented->type);
    if (!documented->schema.empty()) CHECK(fits(received.json(), documented->schema));
    return received.status;
  };
  for (const auto& route : routes()) {
    if (route.path.find("{id}") != std::string_view::npos) CHECK(walk(route, "nobody") >= 404);
    if (route.verb != Verb::remove) walk(route, "one");
  }
  for (const auto& route : routes()) {
    if (route.verb == Verb::remove) CHECK(walk(route, "one") == 200);
  }
}

TEST_CASE("http: catena dev is all in one process, and leaves nothing behind") {
  const Folder folder;
  system_test::fs::create_directory(folder / "tmp");
  folder.write("greet.tool", R"({"arguments": [{"name": "who", "type_name": "string", "required": true}],
    "system_event_endpoint": "builtin:echo"})");
  const auto out = folder / "out";
  Process dev{{CATENA_BINARY, "dev", "--http", "127.0.0.1:0", "--tools", (folder / "").string()},
              out,
              folder / "log",
              {"TMPDIR=" + (folder / "tmp").string(), "XDG_CONFIG_HOME=" + (folder / "config").string()}};
  REQUIRE(system_test::wait_for_writes(out, dev, [&] { return read_text(out).ends_with('\n'); }));
  const auto url = read_text(out);
  CHECK_THAT(url, Catch::StartsWith("http://127.0.0.1:"));
  const auto port = static_cast<std::uint16_t>(std::stoul(url.substr(url.rfind(':') + 1)));
  const auto done = ask(port, "POST", "/v1/chains?wait=30", R"({"name": "greet", "arguments": {"who": "ann"}})");
  INFO(done.body);
  CHECK(done.status == 200);
  CHECK(done.json()["status"] == "succeeded");
  CHECK_FALSE(system_test::fs::is_empty(folder / "tmp"));
  dev.kill(SIGTERM);
  CHECK(dev.wait() == 0);
  CHECK(system_test::fs::is_empty(folder / "tmp"));
}

TEST_CASE("http: a fan-out is looked at item by item") {
  const Folder folder;
  const Server server{folder};
  const auto done = server.ask("POST", "/v1/chains?wait=30", submission("halves", kHalves));
  INFO(done.body);
  REQUIRE(done.status == 200);
  const auto states = server.ask("GET", "/v1/chains/halves/steps/each/items:states").json();
  CHECK(states["width"] == 4);
  CHECK(states["runs"] == Json::parse(R"([["succeeded", 0, 4]])"));
  const auto page = server.ask("GET", "/v1/chains/halves/steps/each/items?limit=2&values=true").json();
  CHECK(fits(page, "ItemPage"));
  CHECK(page["items"].size() == 2);
  CHECK(page["next"] == 2);
  CHECK(server.ask("GET", "/v1/chains/halves/steps/each/items/1/response").status == 200);
  CHECK(server.ask("GET", "/v1/chains/halves/steps/each/items/9/response").status == 404);
}

}  // namespace catena::api::test
