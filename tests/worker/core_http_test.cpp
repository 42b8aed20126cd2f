// http_request and llm_text against a server that answers as scripted.
#include <cstdlib>

#include "core_stage.hpp"
#include "http_server.hpp"
#include "support.hpp"

namespace catena::worker::test {
namespace {

const std::string kJson = "Content-Type: application/json; charset=utf-8";
const std::string kKey = "sk-test-1234567890";

/// A chat endpoint that says `text`.
std::string chat(const std::string& text) {
  return Json{{"model", "m-1"},
              {"choices", {{{"message", {{"role", "assistant"}, {"content", text}}}, {"finish_reason", "stop"}}}},
              {"usage", {{"total_tokens", 7}}}}
      .dump();
}

struct Model {
  explicit Model(const HttpServer& server) {
    stage.options.llm = {.base_url = server.url("/v1/"), .model = "small", .api_key_file = directory.write("key", kKey + "\n"), .api_key_env = {}};
  }
  TempDir directory;
  CoreStage stage;
};

}  // namespace

TEST_CASE("http_request answers with status, headers and body; JSON is a value, text a text") {
  HttpServer server{[](const Received& request) {
    if (request.path == "/text") return answer(200, "caf\xC3\xA9 \xFF", {"Content-Type: text/plain", "X-A: 1", "X-A: 2"});
    if (request.path == "/broken") return answer(200, "{", {kJson});
    if (request.path == "/problem") return answer(201, R"({"p":1})", {"Content-Type: application/problem+json"});
    return answer(200, R"({"n": [1.50]})", {kJson});
  }};
  const CoreStage stage;
  const auto json = stage.answer("http_request", {{"url", server.url("/json")}});
  CHECK(json["status"] == 200);
  CHECK(json["body"] == Json{{"n", {1.5}}});
  CHECK(json["headers"]["content-type"] == "application/json; charset=utf-8");
  const auto text = stage.answer("http_request", {{"url", server.url("/text")}});
  CHECK(text["body"] == "caf\xC3\xA9 \xEF\xBF\xBD");
  CHECK(text["headers"]["x-a"] == "1, 2");
  CHECK(stage.answer("http_request", {{"url", server.url("/broken")}})["body"] == "{");
  CHECK(stage.answer("http_request", {{"url", server.url("/problem")}})["body"] == Json{{"p", 1}});
}

TEST_CASE("http_request sends method, headers, query and body") {
  HttpServer server{[](const Received&) { return answer(204, ""); }};
  const CoreStage stage;
  CHECK(stage.answer("http_request", {{"url", server.url("/p?a=1#f")},
                                      {"method", "POST"},
                                      {"query", {{"q", "x &\u00fc"}, {"l", {1, true}}, {"none", nullptr}}},
                                      {"headers", {{"X-One", 1}, {"X-None", nullptr}}},
                                      {"body", {{"k", "v"}}}})["status"] == 204);
  CHECK(stage.answer("http_request", {{"url", server.url("/t")},
                                      {"method", "PUT"},
                                      {"body", "plain"},
                                      {"headers", {{"content-type", "text/x"}, {"idempotency-key", "own"}}}})["body"] == "");
  CHECK(stage.answer("http_request", {{"url", server.url("/g")}})["status"] == 204);
  const auto received = server.received();
  REQUIRE(received.size() == 3);
  CHECK(received[0].method == "POST");
  CHECK(received[0].path == "/p?a=1&l=1&l=true&q=x%20%26%C3%BC");
  CHECK(received[0].body == R"({"k":"v"})");
  CHECK(received[0].headers.at("content-type") == "application/json");
  CHECK(received[0].headers.at("idempotency-key") == "chain/step");
  CHECK(received[0].headers.at("x-one") == "1");
  CHECK_FALSE(received[0].headers.contains("x-none"));
  CHECK(received[1].body == "plain");
  CHECK(received[1].headers.at("content-type") == "text/x");
  CHECK(received[1].headers.at("idempotency-key") == "own");
  CHECK(received[2].method == "GET");
  CHECK_FALSE(received[2].headers.contains("idempotency-key"));
}

TEST_CASE("http_request fails on a status that was not expected, retryable where another attempt may help") {
  HttpServer server{[](const Received& request) {
    const auto status = std::stoi(request.path.substr(1));
    return answer(status, "sorry", {"Retry-After: 3"});
  }};
  const CoreStage stage;
  for (const int status : {408, 429, 500, 503}) {
    const auto error = stage.error("http_request", {{"url", server.url("/" + std::to_string(status) + "?secret=1")}});
    CHECK(error.code == Code::tool_temporary);
    CHECK(error.retryable);
    CHECK(error.details == Json{{"status", status}, {"body", "sorry"}, {"retry_after_ms", 3000}});
    CHECK(error.message.find("answered with status " + std::to_string(status) + ": sorry") != std::string::npos);
    CHECK(error.message.find("secret") == std::string::npos);
  }
  const auto missing = stage.error("http_request", {{"url", server.url("/404")}});
  CHECK(missing.code == Code::tool_failed);
  CHECK_FALSE(missing.retryable);
  CHECK(missing.details == Json{{"status", 404}, {"body", "sorry"}});
  CHECK(stage.answer("http_request", {{"url", server.url("/404")}, {"expected_status", {200, 404}}})["status"] == 404);
  CHECK(stage.code("http_request", {{"url", server.url("/200")}, {"expected_status", {404}}}) == "tool_failed");
  CHECK(stage.answer("http_request", {{"url", server.url("/503")}, {"accept_any_status", true}})["status"] == 503);
  CHECK(stage.code("http_request", {{"url", server.url("/200")}, {"expected_status", {"200"}}}) == "argument_type");
}

TEST_CASE("http_request ends at its timeout, is bounded, and reaches no forbidden address") {
  HttpServer server{[](const Received& request) {
    return request.path == "/hang" ? Answer{"", Answer::Then::hang} : answer(200, std::string(1000, 'x'));
  }};
  CoreStage stage;
  CHECK(stage.code("http_request", {{"url", server.url("/hang")}, {"timeout", "20ms"}}) == "tool_timeout");
  CHECK(stage.code("http_request", {{"url", server.url("/hang")}, {"timeout", 0.02}}) == "tool_timeout");
  for (const auto& wrong : {Json("soon"), Json(0), Json("2d"), Json(true)}) {
    CHECK(stage.code("http_request", {{"url", server.url("/")}, {"timeout", wrong}}) == "field_value");
  }
  stage.options.output_bytes_max = 100;
  CHECK(stage.code("http_request", {{"url", server.url("/")}}) == "tool_output_too_large");
  CHECK(stage.code("http_request", {{"url", "http://169.254.169.254/latest"}}) == "address_refused");
  CHECK(stage.code("http_request", {{"url", "file:///etc/passwd"}}) == "address_refused");
  CHECK(stage.code("http_request", {{"url", server.url("/")}, {"method", "BREW"}}) == "argument_enum");
  CHECK(stage.code("http_request", {{"url", server.url("/")}, {"headers", {{"X", {1}}}}}) == "argument_type");
  CHECK(stage.code("http_request", {{"url", server.url("/")}, {"query", {{"q", Json::object({{"a", 1}})}}}}) == "argument_type");
}

TEST_CASE("llm_text asks a chat endpoint with the key of a file and answers with its text") {
  HttpServer server{[](const Received&) { return answer(200, chat("Hello."), {kJson}); }};
  const Model model{server};
  CHECK(model.stage.answer("llm_text", {{"prompt", "Say hello"}, {"system", "Be short"}, {"temperature", 0.5}, {"max_tokens", 9}}) ==
        Json{{"text", "Hello."}, {"model", "m-1"}, {"finish_reason", "stop"}, {"usage", {{"total_tokens", 7}}}});
  const auto messages = Json::parse(R"([{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}])");
  CHECK(model.stage.answer("llm_text", {{"messages", messages}, {"model", "large"}})["text"] == "Hello.");
  const auto received = server.received();
  REQUIRE(received.size() == 2);
  CHECK(received[0].method == "POST");
  CHECK(received[0].path == "/v1/chat/completions");
  CHECK(received[0].headers.at("authorization") == "Bearer " + kKey);
  CHECK(Json::parse(received[0].body) == Json::parse(R"({"model": "small", "temperature": 0.5, "max_tokens": 9,
    "messages": [{"role": "system", "content": "Be short"}, {"role": "user", "content": "Say hello"}]})"));
  CHECK(Json::parse(received[1].body) == Json{{"model", "large"}, {"messages", messages}});
}

TEST_CASE("llm_text asks for JSON and gives it as a value; what is none can be retried") {
  HttpServer server{
      [](const Received& request) { return answer(200, chat(request.body.find("good") != std::string::npos ? R"({"a": 1})" : "well, {"), {kJson}); }};
  const Model model{server};
  CHECK(model.stage.answer("llm_text", {{"prompt", "good"}, {"response_format", "json"}})["json"] == Json{{"a", 1}});
  CHECK(Json::parse(server.received()[0].body)["response_format"] == Json{{"type", "json_object"}});
  const auto error = model.stage.error("llm_text", {{"prompt", "bad"}, {"response_format", "json"}});
  CHECK(error.code == Code::tool_output_invalid);
  CHECK(error.retryable);
}

TEST_CASE("llm_text fails with what the endpoint says, and never tells the key") {
  HttpServer server{[](const Received& request) {
    if (request.body.find("busy") != std::string::npos) return answer(429, "slow down", {"Retry-After: 2"});
    if (request.body.find("senseless") != std::string::npos) return answer(200, "<html>" + kKey);
    if (request.body.find("echo") != std::string::npos) return answer(200, chat("your key is " + kKey));
    return answer(401, "wrong key " + kKey + ", and again " + kKey);
  }};
  const Model model{server};
  const auto refused = model.stage.error("llm_text", {{"prompt", "x"}});
  CHECK(refused.code == Code::tool_failed);
  CHECK(refused.details == Json{{"status", 401}, {"body", "wrong key [key], and again [key]"}});
  CHECK(render(refused).find(kKey) == std::string::npos);
  CHECK(model.stage.answer("llm_text", {{"prompt", "echo"}})["text"] == "your key is [key]");
  const auto senseless = model.stage.error("llm_text", {{"prompt", "senseless"}});
  CHECK(senseless.code == Code::tool_output_invalid);
  CHECK(to_json(senseless).dump().find(kKey) == std::string::npos);
  const auto busy = model.stage.error("llm_text", {{"prompt", "busy"}});
  CHECK(busy.retryable);
  CHECK(busy.details["retry_after_ms"] == 2000);
}

TEST_CASE("llm_text reads its key anew for each call, from a file, a variable, or needs none") {
  HttpServer server{[](const Received&) { return answer(200, chat("x"), {kJson}); }};
  Model model{server};
  model.directory.write("key", "second");
  CHECK(model.stage.run("llm_text", {{"prompt", "x"}}));
  model.stage.options.llm.api_key_file.clear();
  CHECK(model.stage.run("llm_text", {{"prompt", "x"}}));
  model.stage.options.llm.api_key_env = "CATENA_TEST_LLM_KEY";
  CHECK(model.stage.code("llm_text", {{"prompt", "x"}}) == "feature_unavailable");
  ::setenv("CATENA_TEST_LLM_KEY", "third", 1);
  CHECK(model.stage.run("llm_text", {{"prompt", "x"}}));
  ::unsetenv("CATENA_TEST_LLM_KEY");
  const auto received = server.received();
  REQUIRE(received.size() == 3);
  CHECK(received[0].headers.at("authorization") == "Bearer second");
  CHECK_FALSE(received[1].headers.contains("authorization"));
  CHECK(received[2].headers.at("authorization") == "Bearer third");
  model.stage.options.llm.api_key_file = model.directory.write("empty", " \n");
  CHECK(model.stage.code("llm_text", {{"prompt", "x"}}) == "field_value");
  model.stage.options.llm.api_key_file = model.directory.write("lines", "a\nb");
  CHECK(model.stage.code("llm_text", {{"prompt", "x"}}) == "field_value");
  model.stage.options.llm.api_key_file = model.directory.path("absent");
  CHECK(model.stage.code("llm_text", {{"prompt", "x"}}) == "file_unreadable");
  CHECK(server.received().size() == 3);
}

TEST_CASE("llm_text says what is missing") {
  HttpServer server{[](const Received&) { return answer(200, "{}", {kJson}); }};
  Model model{server};
  CHECK(model.stage.code("llm_text", Json::object()) == "argument_missing");
  CHECK(model.stage.code("llm_text", {{"prompt", "x"}, {"messages", Json::array()}}) == "fields_exclusive");
  CHECK(model.stage.code("llm_text", {{"messages", {"x"}}}) == "argument_type");
  CHECK(model.stage.code("llm_text", {{"prompt", "x"}, {"max_tokens", 0}}) == "field_value");
  CHECK(model.stage.code("llm_text", {{"prompt", "x"}}) == "tool_output_invalid");
  model.stage.options.llm.model.clear();
  CHECK(model.stage.code("llm_text", {{"prompt", "x"}}) == "argument_missing");
  model.stage.options.llm.base_url.clear();
  CHECK(model.stage.code("llm_text", {{"prompt", "x"}}) == "feature_unavailable");
}

}  // namespace catena::worker::test
