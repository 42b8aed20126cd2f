// Tools behind every kind of endpoint, and the configuration that maps others to them, through the real binary.
#include <catch2/catch.hpp>

#include <set>

#include "tests/cli/scene.hpp"
#include "tests/worker/http_server.hpp"

namespace cli_test {
namespace {

using catena::worker::test::answer;
using catena::worker::test::HttpServer;
using catena::worker::test::Received;

json tool_at(const std::string& endpoint) { return {{"additional_arguments", true}, {"system_event_endpoint", endpoint}}; }

json one(const std::string& endpoint, const json& arguments = json::object(), const json& more = json::object()) {
  json settings{{"arguments", arguments}};
  settings.update(more);
  return definition({step("call", tool_at(endpoint), settings)});
}

/// Items 0 … count-1 through a tool; the answer is their responses.
json each(const std::string& endpoint, int count, const json& more = json::object()) {
  json settings{{"parallel_execution", {{"iterate_over", "REF:list.items"}, {"child_argument_name", "n"}}}};
  settings.update(more);
  return definition({step("list", builtin("range"), {{"arguments", {{"count", count}}}}), step("each", tool_at(endpoint), settings)},
                    {{"responses", {{{"name", "all"}, {"type_name", "list"}}}}, {"response_reference_map", {{"all", "REF:each.response"}}}});
}

std::string configure(const Scene& scene, const std::string& yaml) {
  fs::create_directories(scene.path("home/.config/catena"));
  return scene.write("home/.config/catena/catena.yaml", yaml);
}

const std::string kServe = std::string{"serve:'"} + SERVE_TOOL + "'";

}  // namespace

TEST_CASE("a fan-out over a served tool uses few children, and none is left behind") {
  const Scene scene;
  const auto run = scene.run({"run", scene.define("each.tool", each(kServe, 500)), "--slots", "3"});
  INFO(run.error);
  REQUIRE(run.code == 0);
  const auto all = json::parse(run.out)["all"];
  REQUIRE(all.size() == 500);
  std::set<pid_t> pids;
  for (std::size_t index = 0; index < all.size(); ++index) {
    CHECK(all[index]["arguments"] == json{{"n", index}});
    pids.insert(all[index]["pid"].get<pid_t>());
  }
  CHECK(pids.size() <= 3);
  for (const auto pid : pids) CHECK(::kill(pid, 0) != 0);
}

TEST_CASE("a served tool that dies is retried with a new child") {
  const Scene scene;
  const auto tool = scene.tool("shy",
                               "IFS= read -r line || exit 0\n[ -f seen ] || { touch seen; exit 7; }\n"
                               "id=$(printf '%s' \"$line\" | sed 's/.*\"id\":\\([0-9]*\\).*/\\1/')\n"
                               "printf '{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"line\":1}}\\n' \"$id\"\n");
  auto endpoint = tool["system_event_endpoint"].get<std::string>();
  endpoint.replace(0, 4, "serve");
  const auto file = scene.define("one.tool", one(endpoint, json::object(), {{"retry", {{"max_attempts", 2}, {"initial_interval", "1ms"}}}}));
  const auto run = scene.run({"run", file});
  INFO(run.error);
  REQUIRE(run.code == 0);
  CHECK(json::parse(run.out)["call"] == json{{"line", 1}});
}

TEST_CASE("a fan-out over an http tool ends right though requests fail and are retried") {
  std::mutex mutex;
  std::map<std::string, int> attempts;
  HttpServer server{[&](const Received& request) {
    const auto n = json::parse(request.body)["n"].get<int>();
    const std::scoped_lock lock{mutex};
    const int attempt = ++attempts[request.headers.at("idempotency-key")];
    if (request.headers.at("x-catena-attempt") != std::to_string(attempt)) return answer(400, "an attempt was made twice, or left out");
    if (n % 3 == 0 && attempt == 1) return answer(503, "not yet");
    if (n % 5 == 0 && attempt == 2) return catena::worker::test::Answer{"", catena::worker::test::Answer::Then::close};
    return answer(200, json{{"twice", 2 * n}}.dump());
  }};
  const Scene scene;
  const auto file =
      scene.define("each.tool", each(server.url("/double"), 60, {{"retry", {{"max_attempts", 4}, {"initial_interval", "1ms"}, {"jitter", 0}}}}));
  const auto run = scene.run({"run", file});
  INFO(run.error);
  REQUIRE(run.code == 0);
  const auto all = json::parse(run.out)["all"];
  REQUIRE(all.size() == 60);
  for (std::size_t index = 0; index < all.size(); ++index) CHECK(all[index] == json{{"twice", 2 * index}});
  CHECK(attempts.size() == 60);
}

TEST_CASE("a tool that refuses fails the chain with its status and its words") {
  HttpServer server{[](const Received&) { return answer(422, "no such customer"); }};
  const Scene scene;
  const auto run = scene.run({"run", scene.define("one.tool", one(server.url("/x")))});
  CHECK(run.code != 0);
  CHECK(run.says("answered 422: no such customer"));
}

TEST_CASE("endpoints of another system run as what the configuration maps them to, and go on so after it has changed") {
  HttpServer server{[](const Received& request) { return answer(200, json{{"path", request.path}}.dump()); }};
  const Scene scene;
  const auto config = configure(scene, "endpoints:\n  \"ratio::*\": \"" + server.url("/tools/{name}") + "\"\n  \"ratio::echo\": builtin:echo\n");
  const auto file = scene.define(
      "two.tool", definition({step("text", tool_at("ratio::bedrock_text")), step("echo", tool_at("ratio::echo"), {{"arguments", {{"a", 1}}}})}));
  const auto run = scene.run({"run", file, "--id", "mapped"});
  INFO(run.error);
  REQUIRE(run.code == 0);
  CHECK(json::parse(run.out) == json{{"text", {{"path", "/tools/bedrock_text"}}}, {"echo", {{"a", 1}}}});
  const auto valid = scene.run({"validate", "-v", file});
  CHECK(valid.code == 0);
  CHECK(valid.says("the endpoint 'ratio::bedrock_text' is mapped to '" + server.url("/tools/bedrock_text") + "'"));
  scene.write("home/.config/catena/catena.yaml", "endpoints: {}\n");
  CHECK(scene.run({"show", "mapped"}).code == 0);
  CHECK(scene.run({"resume", "mapped"}).code == 0);
  const auto unmapped = scene.run({"validate", file});
  CHECK(unmapped.code == 2);
  CHECK(unmapped.says("endpoint_unmapped"));
  CHECK(unmapped.says("maps the endpoint 'ratio::bedrock_text' to nothing"));
  scene.write("home/.config/catena/catena.yaml", "endpoints:\n  \"exec:x\": builtin:echo\n");
  const auto wrong = scene.run({"validate", file});
  CHECK(wrong.code != 0);
  CHECK(wrong.says("option 'endpoints': 'exec:x' is an endpoint of catena's own"));
  CHECK(wrong.says(config));
}

TEST_CASE("a chain that failed over a mapped endpoint is retried over the same one, whatever the configuration says by then") {
  std::atomic<bool> up{false};
  HttpServer server{[&](const Received&) { return up ? answer(200, "{\"ok\":true}") : answer(404, "not yet"); }};
  const Scene scene;
  configure(scene, "endpoints:\n  \"ratio::x\": \"" + server.url() + "\"\n");
  CHECK(scene.run({"run", scene.define("one.tool", one("ratio::x")), "--id", "again"}).code != 0);
  configure(scene, "endpoints: {}\n");
  up = true;
  const auto retried = scene.run({"retry", "again"});
  INFO(retried.error);
  CHECK(retried.code == 0);
}

TEST_CASE("a capability runs what the worker announces, and is refused before anything runs where none does") {
  const Scene scene;
  const auto file = scene.define("one.tool", one("remote:shout", {{"text", "hi"}}));
  const auto unknown = scene.run({"run", file});
  CHECK(unknown.code == 2);
  CHECK(
      unknown.says("error[capability_unknown]: no worker here announces the capability 'shout'; worker.capabilities of the configuration "
                   "announces none"));
  CHECK_FALSE(scene.has_data());
  const auto valid = scene.run({"validate", file});
  CHECK(valid.code == 0);
  CHECK(valid.says("no worker here announces the capability 'shout'"));
  configure(scene, "worker:\n  capabilities: {shout: \"" + kServe + " loud\", other: builtin:echo}\n");
  const auto run = scene.run({"run", file});
  INFO(run.error);
  REQUIRE(run.code == 0);
  const auto response = json::parse(run.out)["call"];
  CHECK(response["arguments"] == json{{"text", "hi"}});
  CHECK(response["arg"] == "loud");
  const auto named = scene.run({"run", scene.define("two.tool", one("remote:gpu"))});
  CHECK(named.code == 2);
  CHECK(named.says("announced are: other, shout"));
}

TEST_CASE("a capability that could never run is an error of the configuration") {
  const Scene scene;
  const auto file = scene.define("one.tool", one("builtin:echo"));
  const auto error_with = [&](const std::string& endpoint) {
    configure(scene, "worker:\n  capabilities: {x: \"" + endpoint + "\"}\n");
    const auto run = scene.run({"run", file});
    CHECK(run.code != 0);
    return run.error;
  };
  CHECK(error_with("exec:no-such-program-anywhere").find("option 'worker.capabilities': 'x': there is no program 'no-such-program-anywhere'") !=
        std::string::npos);
  CHECK(error_with("exec:./relative").find("give an absolute path") != std::string::npos);
  CHECK(error_with("remote:y").find("a capability cannot be another capability") != std::string::npos);
  CHECK(error_with("builtin:ecko").find("did you mean 'echo'") != std::string::npos);
  CHECK(error_with("ratio::x").find("nothing executes endpoints of the form 'ratio::x'") != std::string::npos);
  configure(scene, "worker:\n  capabilities: {x: \"exec:true\"}\n");
  CHECK(scene.run({"run", file}).code == 0);
}

TEST_CASE("a metadata address is refused, by name and by number") {
  const Scene scene;
  const auto run = scene.run({"run", scene.define("one.tool", one("http://169.254.169.254/latest"))});
  CHECK(run.code != 0);
  CHECK(run.says("link-local or metadata address"));
}

}  // namespace cli_test
