// Very many clients at the same time, over deaths of the coordinator.
#include <memory>
#include <set>
#include <vector>

#include "tests/api/server.hpp"
#include "tests/api/support.hpp"
#include "tests/base/scale.hpp"

namespace catena::api::test {
namespace {

// What the sanitizers add to each of them is not what is measured.
constexpr std::size_t kScale = catena::test::scaled(1UL, 10UL);

using Connections = std::vector<std::unique_ptr<Connection>>;

/// Clients wait for a chain, or for events; all are there when it returns.
Connections crowd(const Server& server, std::size_t waiting, std::size_t streams) {
  constexpr std::size_t kAtOnce = 1000;  // fewer than the desk has room for before a reader has looked at them
  Connections clients;
  for (std::size_t client = 0; client < waiting; ++client) {
    clients.push_back(std::make_unique<Connection>(server.port()));
    REQUIRE(clients.back()->ask("GET", "/v1/chains/long?wait=300"));
    if (clients.size() % kAtOnce == 0) REQUIRE(server.ask("GET", "/v1/chains/long").status == 200);  // behind those that wait
  }
  for (std::size_t client = 0; client < streams; ++client) {
    clients.push_back(std::make_unique<Connection>(server.port()));
    REQUIRE(clients.back()->ask("GET", "/v1/events?kind=ended", {}, "Accept: text/event-stream\r\n"));
    const auto head = clients.back()->hear_head();
    REQUIRE(head);
    REQUIRE(head->status == 200);
    REQUIRE(clients.back()->hear_chunk());
  }
  CHECK(server.ask("GET", "/v1/chains/long").status == 200);  // behind those that wait
  return clients;
}

TEST_CASE("crowd: five thousand who wait and a thousand streams hold no thread and little memory, and all are answered over a restart") {
  constexpr std::size_t kFilesMax = 20'000;
  const auto files = raise_file_limit(kFilesMax);
  const auto waiting = std::min<std::size_t>(5000 / kScale, files / 4);
  const auto streams = std::min<std::size_t>(1000 / kScale, files / 20);
  const Folder folder;
  auto server = std::make_unique<Server>(folder);
  REQUIRE(server->ask("POST", "/v1/chains", submission("long", kWaits)).status == 202);
  const auto threads = server->threads();
  const auto resident = resident_kib(*server);
  auto clients = crowd(*server, waiting, streams);
  CHECK(server->threads() == threads);
  constexpr std::size_t kGrowthMaxKib = 200 << 10;
  CHECK(resident_kib(*server) < resident + kGrowthMaxKib);
  server->process().kill(SIGKILL);
  server->process().wait();
  for (auto& client : clients) REQUIRE(client->is_closed());
  server = std::make_unique<Server>(folder);
  clients = crowd(*server, waiting, streams);
  CHECK(server->threads() == threads);
  CHECK(server->ask("POST", "/v1/chains/long:cancel").status <= 202);
  std::size_t answered = 0, told = 0;
  for (std::size_t client = 0; client < waiting; ++client) {
    const auto answer = clients[client]->hear();
    if (answer && answer->status == 200 && answer->json()["status"] == "cancelled") ++answered;
  }
  for (std::size_t client = waiting; client < clients.size(); ++client) {
    std::string heard;
    while (heard.find("event: ended") == std::string::npos) {
      const auto chunk = clients[client]->hear_chunk();
      if (!chunk || chunk->empty()) break;
      heard += *chunk;
    }
    if (heard.find("event: ended") != std::string::npos) ++told;
  }
  CHECK(answered == waiting);
  CHECK(told == streams);
}

TEST_CASE("crowd: a thousand requests with one key, while the coordinator is killed again and again, become one chain") {
  const auto files = raise_file_limit();
  const auto count = std::min<std::size_t>(1000 / kScale, files / 4);
  const Folder folder;
  const auto body = R"({"definition": )" + kEchoes + R"(, "arguments": {"order": 17}})";
  const std::string key = "Idempotency-Key: order-17\r\n";
  std::vector<bool> answered(count);
  std::set<std::string> chains;
  for (const std::size_t heard_before_death : {0UL, 1UL, 20UL, count / 2, count}) {
    Server server{folder};
    std::vector<std::pair<std::size_t, std::unique_ptr<Connection>>> clients;
    for (std::size_t client = 0; client < count; ++client) {
      if (!answered[client]) clients.emplace_back(client, std::make_unique<Connection>(server.port()));
    }
    for (auto& [client, connection] : clients) REQUIRE(connection->ask("POST", "/v1/chains", body, key));
    std::size_t heard = 0;
    for (auto& [client, connection] : clients) {
      if (heard == heard_before_death) server.process().kill(SIGKILL);
      const auto answer = connection->hear();
      if (!answer) continue;  // it asks again
      ++heard;
      REQUIRE(answer->status <= 202);
      chains.insert(answer->json()["chain_id"].get<std::string>());
      answered[client] = true;
    }
  }
  CHECK(std::ranges::count(answered, true) == static_cast<std::ptrdiff_t>(count));
  CHECK(chains.size() == 1);
  const Server server{folder};
  CHECK(server.ask("GET", "/v1/chains").json()["chains"].size() == 1);
  CHECK(server.ask("GET", "/v1/chains/" + *chains.begin() + "?wait=30").json()["status"] == "succeeded");
  CHECK(server.ask("POST", "/v1/chains", R"({"definition": )" + kEchoes + R"(, "arguments": {"order": 18}})", key).status == 422);
}

}  // namespace
}  // namespace catena::api::test
