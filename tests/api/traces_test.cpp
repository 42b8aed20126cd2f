// Traces of a real coordinator: the context that a submission brings, what tools get of it, and the export to a receiver in this process.
#include <filesystem>
#include <set>

#include "api/gzip.hpp"
#include "tests/api/server.hpp"
#include "tests/api/support.hpp"
#include "tests/coordinator/otlp_checker.hpp"
#include "tests/worker/http_server.hpp"

namespace catena::api::test {
namespace {

using coordinator::test::SpansById;
using worker::test::HttpServer;

const std::string kGivenTrace = "4bf92f3577b34da6a3ce929d0e0e4736";
const std::string kGivenParent = "00-" + kGivenTrace + "-00f067aa0ba902b7-01";

/// The spans of the requests that a receiver got, from one on.
SpansById spans_received(const HttpServer& receiver, std::size_t first) {
  SpansById spans;
  const auto requests = receiver.received();
  for (std::size_t at = first; at < requests.size(); ++at) {
    CHECK(requests[at].path == "/v1/traces");
    CHECK(requests[at].headers.at("content-encoding") == "gzip");
    coordinator::test::check_otlp(Json::parse(decompressed(requests[at].body, 64UL << 20U).value()), spans);
  }
  return spans;
}

std::set<std::string> traces_with_roots(const SpansById& spans) {
  std::set<std::string> traces;
  for (const auto& [id, span] : spans) {
    if (!span.contains("parentSpanId")) traces.insert(id.first);
  }
  return traces;
}

/// A tool in a root of the coordinator that answers with what it was told.
void add_shell_tool(const Folder& folder) {
  std::filesystem::create_directories(folder / "tools");
  folder.write("tools/tell.sh", "#!/bin/sh\ncat > /dev/null\nprintf '{\"parent\": \"%s\", \"state\": \"%s\"}' \"$TRACEPARENT\" \"$TRACESTATE\"\n",
               true);
  folder.write("tools/tell.tool", R"({"additional_arguments": true, "system_event_endpoint": "exec:tell.sh"})");
  std::filesystem::create_directories(folder / "config/catena");
  folder.write("config/catena/catena.yaml", fmt::format("tools:\n  roots: '{}'\n", (folder / "tools").string()));
}

/// A program and a server, in the chain and in one that it calls.
std::string traced_definition(const HttpServer& tool) {
  const auto steps = fmt::format(
      R"({{"execution_id": "exec", "tool_definition_path": "/tell.tool"}},
         {{"execution_id": "http", "tool_definition": {{"additional_arguments": true, "system_event_endpoint": "{}"}}}})",
      tool.url("/tool"));
  return fmt::format(R"({{"instructions": [{}, {{"execution_id": "sub", "tool_definition": {{"instructions": [{}],
    "response_reference_map": {{"exec": "REF:exec.response"}}}}}}],
    "response_reference_map": {{"exec": "REF:exec.response", "sub": "REF:sub.response"}}}})",
                     steps, steps);
}

}  // namespace

TEST_CASE("traces: what a submission brings reaches a program and a server, in a child chain too, and is told with the chain") {
  const Folder folder;
  HttpServer tool{[](const worker::test::Received&) { return worker::test::answer(200, "{}"); }};
  add_shell_tool(folder);
  const Server server{folder};
  const auto done = server.ask("POST", "/v1/chains?wait=30", submission("traced", traced_definition(tool)),
                               "traceparent: " + kGivenParent + "\r\ntracestate: v=1\r\n");
  INFO(done.body);
  REQUIRE(done.status == 200);
  const auto record = done.json();
  CHECK(fits(record, "Chain"));
  REQUIRE(record["status"] == "succeeded");
  CHECK(record["trace_id"] == kGivenTrace);
  CHECK(server.ask("GET", "/v1/chains/traced%2Fsub").json()["trace_id"] == kGivenTrace);
  const auto below = [](const std::string& traceparent) { return traceparent.substr(0, 36) == "00-" + kGivenTrace + "-"; };
  std::set<std::string> parents{record["response"]["exec"]["parent"], record["response"]["sub"]["exec"]["parent"]};
  CHECK(record["response"]["exec"]["state"] == "v=1");
  CHECK(record["response"]["sub"]["exec"]["state"] == "v=1");
  REQUIRE(tool.received().size() == 2);
  for (const auto& request : tool.received()) {
    CHECK(request.headers.at("tracestate") == "v=1");
    parents.insert(request.headers.at("traceparent"));
  }
  CHECK(parents.size() == 4);
  CHECK(std::ranges::all_of(parents, below));
}

TEST_CASE("traces: members go before headers, a wrong header is passed over and a wrong member refused, and lines of a batch have theirs") {
  const Folder folder;
  const Server server{folder};
  const auto other = "00-" + std::string(32, 'a') + "-" + std::string(16, 'b') + "-00";
  const auto with = [&](const std::string& id, const std::string& members, const std::string& headers = {}) {
    return server.ask("POST", "/v1/chains?wait=30", fmt::format(R"({{"id": "{}", "definition": {}{}}})", id, kEchoes, members), headers);
  };
  CHECK(with("a", R"(, "traceparent": ")" + other + '"', "traceparent: " + kGivenParent + "\r\n").json()["trace_id"] == std::string(32, 'a'));
  const auto own = with("b", "", "traceparent: nonsense\r\ntracestate: v=1\r\n");
  CHECK(own.status == 200);
  CHECK(own.json()["trace_id"].get<std::string>().size() == 32);
  CHECK(server.ask("GET", "/v1/chains/b").json()["trace_id"] == own.json()["trace_id"]);
  const auto wrong = with("c", R"(, "traceparent": "nonsense")");
  CHECK(wrong.status == 422);
  CHECK(wrong.body.find("/traceparent") != std::string::npos);
  const auto lines =
      fmt::format("{{\"id\": \"d\", \"definition\": {0}, \"traceparent\": \"{1}\"}}\n{{\"id\": \"e\", \"definition\": {0}, \"traceparent\": 7}}\n",
                  kEchoes, kGivenParent);
  const auto batch = server.ask("POST", "/v1/chains:batch", lines, "Content-Type: application/x-ndjson\r\n");
  INFO(batch.body);
  CHECK(batch.status == 200);
  CHECK(server.ask("GET", "/v1/chains/d?wait=30").json()["trace_id"] == kGivenTrace);
  CHECK(server.ask("GET", "/v1/chains/e").status == 404);
}

TEST_CASE("traces: kill -9 of the coordinator during chains, with a receiver that is down at first: the set of spans is complete") {
  const Folder folder;
  std::filesystem::create_directories(folder / "config/catena");
  std::atomic<bool> takes{false};
  HttpServer receiver{
      [&](const worker::test::Received&) { return takes ? worker::test::answer(200, "{}") : worker::test::answer(503, "", {"Retry-After: 1"}); }};
  folder.write("config/catena/catena.yaml", fmt::format("traces:\n  endpoint: '{}'\n", receiver.url("")));
  constexpr std::size_t kChains = 20;
  const auto steps = R"({"instructions": [{"execution_id": "one", "tool_definition": )" + kEchoes +
                     R"(}, {"execution_id": "wait", "tool_definition_path": "/tools/core/wait.tool", "arguments": {"duration": "50ms"},
                         "dependencies": ["one"]}]})";
  {
    Server server{folder};
    for (std::size_t chain = 0; chain < kChains; ++chain)
      REQUIRE(server.ask("POST", "/v1/chains", submission(fmt::format("c{}", chain), steps)).status < 300);
    REQUIRE(server.ask("GET", "/v1/chains/c0?wait=30").json()["status"] == "succeeded");
    REQUIRE(receiver.wait_for(1));
    server.process().kill(SIGKILL);
    server.process().wait();
  }
  const auto refused = receiver.received().size();
  takes = true;
  const Server server{folder};
  std::set<std::string> traces;
  for (std::size_t chain = 0; chain < kChains; ++chain) {
    const auto record = server.ask("GET", fmt::format("/v1/chains/c{}?wait=30", chain)).json();
    CHECK(record["status"] == "succeeded");
    traces.insert(record["trace_id"].get<std::string>());
  }
  CHECK(traces.size() == kChains);
  SpansById spans;
  for (std::size_t requests = refused + 1; traces_with_roots(spans) != traces; ++requests) {
    REQUIRE(receiver.wait_for(requests));
    spans = spans_received(receiver, refused);
  }
  CHECK(coordinator::test::orphans_of(spans).empty());
  std::map<std::string, std::size_t> of_trace;
  for (const auto& [id, span] : spans) ++of_trace[id.first];
  for (const auto& [trace, count] : of_trace) CHECK(count >= 5);  // a chain, two visits, and an attempt of each at least
  // examples of the metrics name traces
  const auto last = server.ask("POST", "/v1/chains?wait=30", submission("last", steps)).json();
  CHECK(
      server.ask("GET", "/metrics", "", "Accept: application/openmetrics-text\r\n").body.find("trace_id=\"" + last["trace_id"].get<std::string>()) !=
      std::string::npos);
}

TEST_CASE("traces: the variables of OTLP name a receiver that hangs and refuses, which no chain waits for, and which gets all in the end") {
  const Folder folder;
  std::atomic<int> requests{0};
  std::atomic<bool> takes{false};
  // accepts and never answers, then says later in both ways, then as it is told
  HttpServer receiver{[&](const worker::test::Received&) {
    const auto request = ++requests;
    if (request == 1) return worker::test::Answer{"", worker::test::Answer::Then::hang};
    if (request == 2) return worker::test::answer(429, "", {"Retry-After: 1"});
    return takes && request > 3 ? worker::test::answer(200, "{}") : worker::test::answer(503, "", {"Retry-After: 1"});
  }};
  const Server server{folder,
                      {},
                      {"/usr/bin/env", "OTEL_EXPORTER_OTLP_ENDPOINT=" + receiver.url(""), "OTEL_EXPORTER_OTLP_TIMEOUT=200",
                       "OTEL_EXPORTER_OTLP_HEADERS=x-key=a%20b", "OTEL_SERVICE_NAME=shop"}};
  for (int chain = 0; chain < 20; ++chain) {
    const auto done = server.ask("POST", "/v1/chains?wait=30", submission(fmt::format("c{}", chain), kEchoes));
    REQUIRE(done.status == 200);
    REQUIRE(done.json()["status"] == "succeeded");
  }
  REQUIRE(receiver.wait_for(3));
  CHECK(server.is_alive());
  takes = true;
  const auto of_chains = [&] {
    SpansById spans;
    const auto all = receiver.received();
    for (std::size_t at = 3; at < all.size(); ++at)
      coordinator::test::check_otlp(Json::parse(decompressed(all[at].body, 64UL << 20U).value()), spans);
    return traces_with_roots(spans).size();
  };
  for (;;) {
    const auto had = receiver.received().size();  // one that comes while they are looked through is not waited for
    if (of_chains() >= 20) break;
    REQUIRE(receiver.wait_for(had + 1));
  }
  for (const auto& request : receiver.received()) {
    CHECK(request.path == "/v1/traces");
    CHECK(request.headers.at("x-key") == "a b");
    CHECK(decompressed(request.body, 64UL << 20U).value().find(R"("stringValue":"shop")") != std::string::npos);
  }
  const auto metrics = server.ask("GET", "/metrics").body;
  CHECK(metrics.find("\ncatena_trace_failures_total ") != std::string::npos);
  CHECK(metrics.find("\ncatena_trace_failures_total 0\n") == std::string::npos);
  CHECK(metrics.find("\ncatena_trace_gaps_total 0\n") != std::string::npos);
}

TEST_CASE("traces: TRACEPARENT of the environment of a command is the trace of its chain, and one that is wrong is passed over") {
  const Folder folder;
  const auto definition = folder.write("a.tool", kEchoes).string();
  const auto trace_of = [&](const std::string& id, const std::string& given) {
    const auto data = (folder / "data").string();
    Process run{{"/usr/bin/env", "TRACEPARENT=" + given, "TRACESTATE=v=1", CATENA_BINARY, "run", definition, "--id", id, "--data-dir", data},
                folder / "out",
                folder / "error"};
    CHECK(run.wait() == 0);
    Process show{{CATENA_BINARY, "show", id, "-o", "json", "--data-dir", data}, folder / "shown", folder / "error"};
    CHECK(show.wait() == 0);
    return Json::parse(read_text(folder / "shown"))["trace_id"].get<std::string>();
  };
  CHECK(trace_of("given", kGivenParent) == kGivenTrace);
  const auto own = trace_of("own", "nonsense");
  CHECK(own.size() == 32);
  CHECK(own != kGivenTrace);
}

}  // namespace catena::api::test
