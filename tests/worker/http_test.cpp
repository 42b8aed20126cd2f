#include "worker/executors/http.hpp"

#include <catch2/catch.hpp>

#include "tests/worker/http_server.hpp"
#include "worker/executors/remote.hpp"

namespace catena::worker::test {
namespace {

using Catch::Matchers::Contains;

Task task_for(const HttpServer& server, const std::string& path = "/tool", const std::string& arguments = "{\"n\":1}") {
  Task task;
  task.key = "chain/step/7";
  task.name = "probe";
  task.attempt = 2;
  task.timeout = Millis{30'000};
  task.endpoint = {.kind = "http", .target = server.url(path).substr(5), .args = {}};
  task.arguments.text = arguments;
  return task;
}

Outcome run_endpoint(const Task& task, const ExecutorOptions& options = {}) {
  const auto executors = make_executors(options);
  return find(executors, task.endpoint.kind)->run(task, {});
}

/// What the tool comes to when the server says that.
Result<lang::JsonText> after(const Answer& said) {
  HttpServer server{[&](const Received&) { return said; }};
  return run_endpoint(task_for(server)).response;
}

Error http_failure(const Answer& said) {
  const auto response = after(said);
  if (response) FAIL(response->text);
  return response.error();
}

}  // namespace

TEST_CASE("a call is a POST of the arguments with the task's key and attempt") {
  HttpServer server{[](const Received&) { return answer(200, "{ \"ok\": true }"); }};
  const auto outcome = run_endpoint(task_for(server, "/a?b=c"));
  REQUIRE(outcome.response);
  CHECK(outcome.response->text == "{\"ok\":true}");
  const auto received = server.received().at(0);
  CHECK(received.method == "POST");
  CHECK(received.path == "/a?b=c");
  CHECK(received.body == "{\"n\":1}");
  CHECK(received.headers.at("content-type") == "application/json");
  CHECK(received.headers.at("idempotency-key") == "chain/step/7");
  CHECK(received.headers.at("x-catena-attempt") == "2");
  CHECK_THAT(received.headers.at("user-agent"), Catch::Matchers::StartsWith("catena/0") || Catch::Matchers::StartsWith("catena/1"));
}

TEST_CASE("a call has the trace context of its attempt as headers, and none where there is none") {
  HttpServer server{[](const Received&) { return answer(200, "{}"); }};
  auto task = task_for(server);
  run_endpoint(task);
  task.order = traced_order();
  run_endpoint(task);
  CHECK_FALSE(server.received().at(0).headers.contains("traceparent"));
  CHECK_FALSE(server.received().at(0).headers.contains("tracestate"));
  CHECK(server.received().at(1).headers.at("traceparent") == traceparent_of(task));
  CHECK(server.received().at(1).headers.at("tracestate") == "a=1");
}

TEST_CASE("a call has the context of its chain as a header, and none where there is none") {
  HttpServer server{[](const Received&) { return answer(200, "{}"); }};
  auto task = task_for(server);
  REQUIRE(run_endpoint(task).response);
  task.context = R"({"user_id":"J\u00fcrgen"})";
  REQUIRE(run_endpoint(task).response);
  CHECK_FALSE(server.received().at(0).headers.contains("x-catena-context"));
  CHECK(server.received().at(1).headers.at("x-catena-context") == R"({"user_id":"J\u00fcrgen"})");
}

TEST_CASE("calls of one executor share a connection") {
  HttpServer server{[](const Received&) { return answer(200, "{}"); }};
  const auto executors = make_executors();
  for (int round = 0; round < 10; ++round) REQUIRE(find(executors, "http")->run(task_for(server), {}).response);
  CHECK(server.connections() == 1);
}

TEST_CASE("no body is an empty object") {
  CHECK(after(answer(204, ""))->text == "{}");
  CHECK(after(answer(200, ""))->text == "{}");
  CHECK(after(answer(202, " \n"))->text == "{}");
}

TEST_CASE("a body that is no JSON object is shown") {
  auto error = http_failure(answer(200, "<html>" + std::string(1000, 'x')));
  CHECK(error.code == Code::tool_output_invalid);
  CHECK_FALSE(error.retryable);
  CHECK_THAT(error.message, Contains("tool 'probe' answered 200, but its body is not JSON: ") && Contains("it begins with: <html>xxx"));
  CHECK(error.message.size() < 400);
  CHECK(error.details["status"] == 200);
  error = http_failure(answer(200, "[1,2]"));
  CHECK(error.message == "tool 'probe' answered 200, but its body is a JSON list and not an object; it begins with: [1,2]");
}

TEST_CASE("408, 429 and 5xx are worth another attempt, other statuses are not") {
  for (const int status : {408, 429, 500, 502, 503}) {
    const auto error = http_failure(answer(status, "busy"));
    CHECK(error.retryable);
    CHECK(error.details["status"] == status);
    CHECK(error.details["body"] == "busy");
    CHECK(error.message == fmt::format("tool 'probe' answered {}: busy", status));
  }
  for (const int status : {400, 401, 404, 409, 422, 301, 302}) {
    const auto error = http_failure(answer(status, "no"));
    CHECK(error.code == Code::tool_failed);
    CHECK_FALSE(error.retryable);
    CHECK(error.details["status"] == status);
  }
  CHECK(http_failure(answer(404, "")).message == "tool 'probe' answered 404");
  CHECK_FALSE(http_failure(answer(404, "")).details.contains("body"));
}

TEST_CASE("Retry-After is told to whoever decides about the next attempt") {
  CHECK(http_failure(answer(429, "", {"Retry-After: 7"})).details["retry_after_ms"] == 7000);
  CHECK(http_failure(answer(503, "", {"Retry-After: Tue, 14 Nov 2023 22:13:50 GMT", "Date: Tue, 14 Nov 2023 22:13:48 GMT"}))
            .details["retry_after_ms"] == 2000);
  CHECK_FALSE(http_failure(answer(503, "")).details.contains("retry_after_ms"));
  CHECK_FALSE(http_failure(answer(404, "", {"Retry-After: 7"})).details.contains("retry_after_ms"));
}

TEST_CASE("a path that has moved is followed, to another host it is not") {
  HttpServer other{[](const Received&) { return answer(200, "{}"); }};
  HttpServer server{[&](const Received& request) {
    if (request.path == "/away") return answer(307, "", {"Location: " + other.url("/")});
    if (request.path == "/old") return answer(301, "", {"Location: /tool"});
    return request.path == "/tool" ? answer(200, "{\"n\":2}") : answer(308, "", {"Location: /tool"});
  }};
  CHECK(run_endpoint(task_for(server, "/moved")).response->text == "{\"n\":2}");
  const auto away = run_endpoint(task_for(server, "/away")).response;
  REQUIRE_FALSE(away);
  CHECK(away.error().code == Code::address_refused);
  CHECK_THAT(away.error().message, Contains("tool 'probe': ") && Contains(fmt::format("127.0.0.1:{}", server.port())) &&
                                       Contains(fmt::format("127.0.0.1:{}", other.port())));
  CHECK(other.received().empty());
  CHECK_THAT(run_endpoint(task_for(server, "/old")).response.error().message,
             Contains("answered 301, a redirect to '" + server.url("/tool") + "' that is not followed") ||
                 Contains("answered 301, a redirect to '/tool' that is not followed"));
}

TEST_CASE("timeouts, broken connections and large bodies have their codes, and the tool's name") {
  HttpServer server{[](const Received& request) {
    if (request.path == "/hang") return Answer{"", Answer::Then::hang};
    if (request.path == "/reset") return Answer{"HTTP/1.1 2", Answer::Then::reset};
    return answer(200, "{\"text\":\"" + std::string(5000, 'x') + "\"}");
  }};
  auto hang = task_for(server, "/hang");
  hang.timeout = Millis{30};
  const auto timeout = run_endpoint(hang).response.error();
  CHECK(timeout.code == Code::tool_timeout);
  CHECK_THAT(timeout.message, Catch::Matchers::StartsWith("tool 'probe': no response of 'http://127.0.0.1:"));
  const auto reset = run_endpoint(task_for(server, "/reset")).response.error();
  CHECK(reset.code == Code::connection_failed);
  CHECK(reset.retryable);
  ExecutorOptions options;
  options.output_bytes_max = 100;
  CHECK(run_endpoint(task_for(server, "/large"), options).response.error().code == Code::tool_output_too_large);
}

TEST_CASE("a tool without a name is called by its address, which does not tell its query") {
  HttpServer server{[](const Received&) { return answer(404, ""); }};
  auto task = task_for(server, "/x?key=s3cret");
  task.name.clear();
  CHECK(run_endpoint(task).response.error().message == "'" + server.url("/x") + "' answered 404");
}

TEST_CASE("a capability runs what the worker announced it with") {
  HttpServer server{[](const Received& request) { return answer(200, request.body); }};
  ExecutorOptions options;
  options.capabilities = {{"say", {"builtin", "echo", {}}}, {"web", {"http", server.url("/t").substr(5), {}}}};
  Task task;
  task.endpoint = {"remote", "say", {}};
  task.arguments.text = "{\"a\":1}";
  CHECK(run_endpoint(task, options).response->text == "{\"a\":1}");
  task.endpoint.target = "web";
  CHECK(run_endpoint(task, options).response->text == "{\"a\":1}");
  CHECK(server.received().size() == 1);
  task.endpoint.target = "gpu";
  const auto error = run_endpoint(task, options).response.error();
  CHECK(error.code == Code::capability_unknown);
  CHECK(error.message == "'remote:gpu': this worker does not announce the capability 'gpu'; it announces: say, web");
  CHECK_THAT(run_endpoint(task).response.error().message, Contains("announces none"));
}

}  // namespace catena::worker::test
