// Limits of callers, over real sockets.
#include "tests/api/server.hpp"
#include "tests/api/support.hpp"

namespace catena::api::test {
namespace {

const std::vector<std::string> kLimited{"/usr/bin/env", "CATENA_HTTP__REQUESTS_PER_SECOND=1", "CATENA_HTTP__BURST=20",
                                        "CATENA_HTTP__OPEN_REQUESTS=4"};

}  // namespace

TEST_CASE("limits: far more requests than are allowed are refused with Retry-After, each caller for itself") {
  const Folder folder;
  const auto token_of = [&](const std::string& name) {
    Process process{{CATENA_BINARY, "token", "create", "--role", "operator", "--name", name, "-o", "json", "--data-dir", (folder / "data").string()},
                    folder / name,
                    folder / "said"};
    REQUIRE(process.wait() == 0);
    return fmt::format("Authorization: Bearer {}\r\n", Json::parse(read_text(folder / name))["token"].get<std::string>());
  };
  const auto ann = token_of("ann");
  const auto bob = token_of("bob");
  const Server server{folder, {"--http-tokens"}, kLimited};
  int admitted = 0;
  int refused = 0;
  Connection connection{server.port()};
  for (int request = 0; request < 400; ++request) {
    REQUIRE(connection.ask("GET", "/v1/errors/usage", {}, ann));
    const auto received = connection.hear();
    REQUIRE(received);
    CHECK(received->headers.contains("ratelimit"));
    CHECK(received->headers.contains("ratelimit-policy"));
    if (received->status == 200) {
      ++admitted;
      continue;
    }
    ++refused;
    CHECK(received->status == 429);
    CHECK(fits(received->json(), "Problem"));
    CHECK(received->json()["retryable"] == true);
    REQUIRE(received->headers.contains("retry-after"));
    CHECK(std::stoi(received->headers.at("retry-after")) >= 1);
  }
  CHECK(admitted >= 20);
  CHECK(refused > 0);
  const auto own = server.ask("GET", "/v1/limits", {}, bob);
  REQUIRE(own.status == 200);
  CHECK(fits(own.json(), "Limits"));
  CHECK(own.json()["requests"]["per_second"] == 1);
  CHECK(own.json()["requests"]["remaining"] == 19);
  CHECK(own.json()["open_requests"] == Json{{"most", 4}, {"now", 1}});
  // Who is refused for his token counts for his address, and nobody's health is limited.
  bool told = false;
  for (int request = 0; request < 60 && !told; ++request) told = server.ask("GET", "/v1/chains").status == 429;
  CHECK(told);
  for (int request = 0; request < 60; ++request) CHECK(server.ask("GET", "/livez").status == 200);
  CHECK(server.ask("GET", "/v1/limits", {}, bob).status == 200);
}

TEST_CASE("limits: a stream holds a place until it ends, and nothing else is kept from being answered") {
  const Folder folder;
  const Server server{folder, {"--port-file", (folder / "port").string()}, {"/usr/bin/env", "CATENA_HTTP__OPEN_REQUESTS=4"}};
  REQUIRE(server.ask("POST", "/v1/chains", submission("long", kWaits)).status == 202);
  std::vector<std::unique_ptr<Connection>> streams;
  for (int stream = 0; stream < 4; ++stream) {
    streams.push_back(std::make_unique<Connection>(server.port()));
    REQUIRE(streams.back()->ask("GET", "/v1/chains/long/events"));
    REQUIRE(streams.back()->hear_head());
  }
  const auto refused = server.ask("GET", "/v1/limits");
  CHECK(refused.status == 429);
  CHECK(refused.headers.at("retry-after") == "1");
  CHECK(server.ask("GET", "/livez").status == 200);
  auto port = read_text(folder / "port");
  port.resize(port.find_last_not_of('\n') + 1);
  Process cancel{{CATENA_BINARY, "cancel", "long", "--cluster", "127.0.0.1:" + port}, folder / "made", folder / "said"};
  REQUIRE(cancel.wait() == 0);
  for (const auto& stream : streams) {
    auto chunk = stream->hear_chunk();
    while (chunk && !chunk->empty()) chunk = stream->hear_chunk();
    CHECK(chunk);
  }
  const auto own = server.ask("GET", "/v1/limits");
  CHECK(own.status == 200);
  CHECK(own.json()["open_requests"] == Json{{"most", 4}, {"now", 1}});
  const auto waited = server.ask("GET", "/v1/chains/long?wait=60");
  CHECK(waited.json()["status"] == "cancelled");
}

TEST_CASE("limits: a token has the rate that it was made with, and one without has none where there is no general one") {
  const Folder folder;
  const auto token = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {CATENA_BINARY, "token"});
    words.insert(words.end(), {"-o", "json", "--data-dir", (folder / "data").string()});
    Process process{words, folder / "made", folder / "said"};
    return process.wait() == 0 ? read_text(folder / "made") : std::string{};
  };
  const auto bearer_of = [](const std::string& made) {
    return fmt::format("Authorization: Bearer {}\r\n", Json::parse(made)["token"].get<std::string>());
  };
  const auto slow = bearer_of(token({"create", "--role", "viewer", "--rate", "1/s", "--burst", "5"}));
  const auto list = Json::parse(token({"list"}));
  CHECK(list["requests"] == Json{{"per_second", 1}, {"burst", 5}});
  const auto unlimited = bearer_of(token({"create", "--role", "viewer"}));
  for (const std::string rate : {"0", "many", "5/m", "-1", "1.5/s", "/s", "2000000/s"}) {
    CAPTURE(rate);
    CHECK(token({"create", "--role", "viewer", "--rate", rate}).empty());
  }
  CHECK(token({"create", "--role", "viewer", "--burst", "5"}).empty());
  const Server server{folder, {"--http-tokens"}};
  const auto own = server.ask("GET", "/v1/limits", {}, slow);
  REQUIRE(own.status == 200);
  CHECK(fits(own.json(), "Limits"));
  CHECK(own.json()["requests"]["per_second"] == 1);
  CHECK(own.json()["requests"]["burst"] == 5);
  CHECK_FALSE(own.json().contains("open_requests"));
  int admitted = 0;
  int refused = 0;
  for (int request = 0; request < 100; ++request) {
    const auto told = server.ask("GET", "/v1/errors/usage", {}, slow);
    CHECK((told.status == 200 || told.status == 429));
    CHECK(told.headers.contains("ratelimit"));
    ++(told.status == 200 ? admitted : refused);
    const auto other = server.ask("GET", "/v1/errors/usage", {}, unlimited);
    CHECK(other.status == 200);
    CHECK_FALSE(other.headers.contains("ratelimit"));
  }
  CHECK(admitted >= 4);
  CHECK(refused > 0);
  CHECK(server.ask("GET", "/v1/limits", {}, unlimited).json() == Json::object());
}

TEST_CASE("limits: where there are none, nothing is said of them") {
  const Folder folder;
  const Server server{folder};
  const auto told = server.ask("GET", "/v1/limits");
  CHECK(told.status == 200);
  CHECK(told.json() == Json::object());
  CHECK_FALSE(told.headers.contains("ratelimit"));
}

}  // namespace catena::api::test
