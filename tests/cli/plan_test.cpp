// Plans through the real binary, with llm_text as their binder and a model that says what a test wants.
#include <catch2/catch.hpp>

#include "tests/cli/scene.hpp"
#include "tests/worker/http_server.hpp"

namespace cli_test {
namespace {

using catena::worker::test::answer;
using catena::worker::test::HttpServer;
using catena::worker::test::Received;

/// What a chat endpoint answers that says `text`.
std::string said(const std::string& text) {
  return json{{"model", "m"}, {"choices", {{{"message", {{"role", "assistant"}, {"content", text}}}}}}, {"usage", json::object()}}.dump();
}

const std::string kModel = "env CATENA_PLAN__BINDER=llm_text CATENA_LLM__MODEL=m CATENA_LLM__BASE_URL=";

std::string invitation(const Scene& scene) {
  const json event{{"name", "event_id"}, {"type_name", "string"}, {"required", true}};
  const json email{{"name", "email"}, {"type_name", "string"}, {"required", true}, {"description", "whom to invite"}};
  scene.define("add_attendee.tool", {{"description", "Invites somebody"}, {"arguments", {event, email}}, {"system_event_endpoint", "builtin:echo"}});
  scene.define("create_event.tool", builtin("echo"));
  return scene.define("plan.json", {{"steps",
                                     {{{"id", "1"},
                                       {"tools", {"create_event", "add_attendee"}},
                                       {"instruction", "Create a meeting and invite john@example.com"},
                                       {"parameters", {{"create_event", {{"event_id", "evt_1"}}}}}}}}});
}

}  // namespace

TEST_CASE("llm_text fills in what a plan leaves open, and is told what it has to know") {
  HttpServer server{[](const Received&) { return answer(200, said(R"({"email": "john@example.com", "event_id": "made up"})")); }};
  const Scene scene;
  const auto run = scene.shell(kModel + server.url("/v1") + " \"$@\"", {"run", invitation(scene), "-q"});
  INFO(run.error);
  REQUIRE(run.code == 0);
  CHECK(json::parse(run.out)["step_1_result"] == json{{"event_id", "evt_1"}, {"email", "john@example.com"}});
  REQUIRE(server.received().size() == 1);
  const auto asked = json::parse(server.received().front().body);
  CHECK(asked["response_format"] == json{{"type", "json_object"}});
  const auto prompt = asked["messages"][0]["content"].get<std::string>();
  for (const auto* part :
       {"Tool: add_attendee", "Invites somebody", "Create a meeting and invite john@example.com", "whom to invite", R"({"event_id":"evt_1"})"}) {
    INFO(prompt);
    CHECK(prompt.find(part) != std::string::npos);
  }
  CHECK(prompt.find(R"("name":"event_id")") == std::string::npos);  // it is not missing
}

TEST_CASE("a model that cannot be had fails the step with what is missing and why") {
  HttpServer server{[](const Received&) { return answer(401, "no key"); }};
  const Scene scene;
  const auto run = scene.shell(kModel + server.url("/v1") + " \"$@\"", {"run", invitation(scene), "-q"});
  CHECK(run.code == 1);
  CHECK(run.says("step '1': tool 'add_attendee' needs 'event_id' (string), 'email' (string)"));
  CHECK(run.says("the binder 'llm_text' failed"));
  CHECK(run.says("401"));
}

TEST_CASE("without a binder a plan says all that is missing") {
  const Scene scene;
  const auto run = scene.run({"run", invitation(scene), "-q"});
  CHECK(run.code == 1);
  CHECK(run.says("step '1.2': tool 'add_attendee': the required argument 'email' (string) is missing"));
}

}  // namespace cli_test
