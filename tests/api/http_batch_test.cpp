// Batches of submissions to the real binary.
#include <algorithm>
#include <set>

#include "tests/api/http_client.hpp"
#include "tests/api/server.hpp"
#include "tests/api/support.hpp"

namespace catena::api::test {
namespace {

const std::string kLinesHeader = "Content-Type: application/x-ndjson\r\n";

std::string line_of(const std::string& definition, const std::string& more) { return fmt::format("{{\"definition\": {}{}}}\n", definition, more); }

std::vector<Json> answers_of(const Received& received) {
  INFO(received.body);
  REQUIRE(received.status == 200);
  CHECK(received.headers.at("content-type") == kLinesType);
  std::vector<Json> answers;
  for (std::size_t from = 0, end = 0; (end = received.body.find('\n', from)) != std::string::npos; from = end + 1)
    answers.push_back(Json::parse(received.body.substr(from, end - from)));
  return answers;
}

std::vector<Json> submit_all(const Server& server, const std::string& lines) {
  return answers_of(server.ask("POST", "/v1/chains:batch", lines, kLinesHeader));
}

std::size_t count_chains(const Server& server) {
  std::size_t count = 0;
  std::string cursor;
  do {
    const auto page = server.ask("GET", "/v1/chains?limit=1000" + (cursor.empty() ? "" : "&cursor=" + cursor)).json();
    count += page["chains"].size();
    cursor = page.value("cursor", "");
  } while (!cursor.empty());
  return count;
}

}  // namespace

TEST_CASE("http batch: each line is answered in order, and one that is wrong refuses only itself") {
  const Folder folder;
  const Server server{folder};
  std::string lines;
  lines += line_of(kEchoes, R"(, "id": "one", "arguments": {"x": 1})");
  lines += "nonsense\n\n";
  lines += line_of(kEchoes, R"(, "id": "one")");
  lines += line_of(kEchoes, R"(, "idempotency_key": "k", "arguments": {"x": 2})");
  lines += line_of(kEchoes, R"(, "idempotency_key": "k", "arguments": {"x": 2})");
  lines += line_of(kEchoes, R"(, "idempotency_key": "k", "arguments": {"x": 3})");
  lines += line_of(R"({"instructions": [{"execution_id": "a", "tool_definition_path": "/tools/core/mth.tool"}]})", "");
  lines += line_of(kWaits, R"(, "id": "nap")");
  const auto answers = submit_all(server, lines);
  REQUIRE(answers.size() == 8);
  const std::vector<int> numbers{1, 2, 4, 5, 6, 7, 8, 9};
  for (std::size_t at = 0; at < answers.size(); ++at) {
    CHECK(answers[at]["line"] == numbers[at]);
    CHECK(fits(answers[at], "BatchLine"));
  }
  CHECK(answers[0] == Json::parse(R"({"line": 1, "chain_id": "one", "status": "running"})"));
  CHECK(answers[1]["error"]["code"] == "json_syntax");
  CHECK(answers[2]["error"]["code"] == "chain_exists");
  CHECK(answers[3].contains("chain_id"));
  CHECK(answers[4]["chain_id"] == answers[3]["chain_id"]);
  CHECK(answers[4]["submitted_before"] == true);
  CHECK(answers[5]["error"]["code"] == "submission_conflict");
  CHECK(answers[6]["error"]["code"] == "definition_not_found");
  CHECK(answers[7]["chain_id"] == "nap");
  CHECK(server.ask("GET", "/v1/chains/one?wait=30").json()["response"] == Json::parse(R"({"x": 1})"));
  CHECK(count_chains(server) == 3);

  const auto again = submit_all(server, line_of(kEchoes, R"(, "idempotency_key": "k", "arguments": {"x": 2})"));
  CHECK(again.at(0)["chain_id"] == answers[3]["chain_id"]);
  CHECK(count_chains(server) == 3);
}

TEST_CASE("http batch: ten thousand lines are ten thousand chains, and one more is too many") {
  const Folder folder;
  const Server server{folder};
  constexpr std::size_t kLines = 10'000;
  constexpr std::size_t kWrong = 4'999;
  std::string lines;
  for (std::size_t line = 0; line < kLines; ++line) lines += line == kWrong ? "{\"name\": 5}\n" : line_of(kEchoes, R"(, "durability": "async")");
  CHECK(server.ask("POST", "/v1/chains:batch", lines + "{}\n", kLinesHeader).status == 413);
  CHECK(server.ask("POST", "/v1/chains:batch", "\n", kLinesHeader).status == 400);
  CHECK(server.ask("POST", "/v1/chains:batch", "{}\n").status == 415);
  CHECK(server.ask("POST", "/v1/chains:batch", std::string((8U << 20U) + 1, ' '), kLinesHeader).status == 413);
  CHECK(count_chains(server) == 0);
  const auto answers = submit_all(server, lines);
  REQUIRE(answers.size() == kLines);
  std::set<std::string> ids;
  for (std::size_t line = 0; line < kLines; ++line) {
    if (answers[line]["line"] != line + 1 || answers[line].contains("error") != (line == kWrong)) FAIL(answers[line].dump());
    if (line != kWrong) ids.insert(answers[line]["chain_id"].get<std::string>());
  }
  CHECK(ids.size() == kLines - 1);
  CHECK(count_chains(server) == kLines - 1);
}

TEST_CASE("http batch: sent again after kill -9 in its middle, each key has one chain") {
  const Folder folder;
  constexpr std::size_t kKeys = 2'000;
  std::string lines;
  for (std::size_t key = 0; key < kKeys; ++key) lines += line_of(kEchoes, fmt::format(R"(, "idempotency_key": "key-{}")", key));
  std::size_t before = 0;
  {
    Server server{folder};
    const Connection batch{server.port()};
    REQUIRE(batch.ask("POST", "/v1/chains:batch", lines, kLinesHeader));
    while (server.ask("GET", "/v1/chains?limit=1").json()["chains"].empty()) {
    }
    server.process().kill(SIGKILL);
    server.process().wait();
  }
  const Server server{folder};
  before = count_chains(server);
  CHECK(before > 0);
  const auto answers = submit_all(server, lines);
  REQUIRE(answers.size() == kKeys);
  std::set<std::string> ids;
  std::size_t known = 0;
  for (const auto& answer : answers) {
    INFO(answer.dump());
    REQUIRE(answer.contains("chain_id"));
    ids.insert(answer["chain_id"].get<std::string>());
    known += answer.contains("submitted_before") ? 1 : 0;
  }
  CHECK(ids.size() == kKeys);
  CHECK(known == before);
  CHECK(count_chains(server) == kKeys);
}

}  // namespace catena::api::test
