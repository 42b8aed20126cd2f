// Webhooks of a real coordinator, with a receiver in this process.
#include <filesystem>

#include "coordinator/outbox_book.hpp"
#include "tests/api/server.hpp"
#include "tests/api/support.hpp"
#include "tests/worker/http_server.hpp"

namespace catena::api::test {
namespace {

using worker::test::HttpServer;

constexpr std::string_view kSecretText = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

void configure(const Folder& folder, const std::string& more = {}) {
  std::filesystem::create_directories(folder / "config/catena");
  folder.write("secret", std::string{kSecretText} + "\n");
  folder.write("config/catena/catena.yaml", fmt::format("webhooks:\n  secrets: {{hooks: 'file:{}'}}\n{}", (folder / "secret").string(), more));
}

std::string notified(const std::string& id, const std::string& url, const std::string& definition = kEchoes) {
  return fmt::format(R"({{"id": "{}", "definition": {}, "notify": {{"url": "{}", "secret": "SECRET:hooks"}}}})", id, definition, url);
}

/// Asks until the delivery is in that state; null: it is not.
Json delivery_in(const Server& server, const std::string& state) {
  for (int asks = 0; asks < 100'000; ++asks) {
    const auto page = server.ask("GET", "/v1/webhooks?state=" + state).json();
    if (!page["deliveries"].empty()) return page["deliveries"][0];
  }
  return nullptr;
}

}  // namespace

TEST_CASE("webhooks: a receiver is told, signed, is seen in the list and is told again on a replay") {
  const Folder folder;
  configure(folder, "  allow_private: true\n");
  HttpServer receiver{[](const worker::test::Received&) { return worker::test::answer(200, std::string(100'000, 'x')); }};
  const Server server{folder, {"--port-file", (folder / "port").string()}};
  const auto done = server.ask("POST", "/v1/chains?wait=30", notified("one", receiver.url("/hook?key=word")));
  INFO(done.body);
  REQUIRE(done.status == 200);
  REQUIRE(receiver.wait_for(1));
  const auto first = receiver.received()[0];
  CHECK(first.method == "POST");
  CHECK(first.path == "/hook?key=word");
  CHECK(first.headers.at("content-type") == "application/json");
  const auto& id = first.headers.at("webhook-id");
  CHECK(first.headers.at("webhook-signature") ==
        coordinator::webhook_signature(kSecretText, id, std::stoll(first.headers.at("webhook-timestamp")), first.body));
  const auto told = Json::parse(first.body);
  CHECK(told["type"] == "chain.succeeded");
  CHECK(told["data"]["chain_id"] == "one");
  CHECK(told["data"]["response"] == done.json()["response"]);

  const auto delivered = delivery_in(server, "delivered");
  CHECK(fits(Json{{"deliveries", {delivered}}}, "WebhookPage"));
  CHECK(delivered["id"] == id);
  CHECK(delivered["url"] == receiver.url(""));
  CHECK(server.ask("GET", "/v1/webhooks?chain=other").json()["deliveries"].empty());
  CHECK(server.ask("POST", "/v1/webhooks/" + id + ":replay").status == 200);
  REQUIRE(receiver.wait_for(2));
  CHECK(receiver.received()[1].headers.at("webhook-id") == id);
  CHECK(receiver.received()[1].body == first.body);
  CHECK(server.ask("POST", "/v1/webhooks/msg_none:replay").status == 404);
  auto port = read_text(folder / "port");
  port.resize(port.find_last_not_of('\n') + 1);
  const auto catena = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {CATENA_BINARY, "webhooks"});
    words.insert(words.end(), {"--cluster", "127.0.0.1:" + port});
    Process process{words, folder / "made", folder / "said"};
    const auto code = process.wait();
    INFO(read_text(folder / "said"));
    CHECK(code == 0);
    return read_text(folder / "made");
  };
  CHECK(catena({"replay", id}).empty());
  REQUIRE(receiver.wait_for(3));
  CHECK(receiver.received()[2].headers.at("webhook-id") == id);
  CHECK(Json::parse(catena({"list", "--chain", "one", "-o", "json"}))["id"] == id);
  CHECK(catena({"list", "--chain", "other", "-o", "json"}).empty());
  CHECK(server.ask("GET", "/v1/audit?act=replay_webhook").json()["entries"].size() == 2);
  CHECK(server.ask("GET", "/metrics").body.find("catena_webhook_tries_total{outcome=\"delivered\"} ") != std::string::npos);
  CHECK(read_text(folder / "log").find(kSecretText) == std::string::npos);
}

TEST_CASE("webhooks: kill -9 between the commit and the delivery loses nothing, and each try has the same id") {
  const Folder folder;
  configure(folder, "  allow_private: true\n");
  std::atomic<bool> takes{false};
  HttpServer receiver{[&](const worker::test::Received&) {
    if (takes) return worker::test::answer(204, "");
    return worker::test::Answer{"", worker::test::Answer::Then::hang};
  }};
  constexpr std::size_t kChains = 20;
  {
    Server server{folder};
    for (std::size_t chain = 0; chain < kChains; ++chain)
      REQUIRE(server.ask("POST", "/v1/chains?wait=30", notified(fmt::format("c{}", chain), receiver.url())).status == 200);
    REQUIRE(receiver.wait_for(1));
    server.process().kill(SIGKILL);
    server.process().wait();
  }
  takes = true;
  const Server server{folder};
  const auto all_delivered = [&] {
    for (int asks = 0; asks < 100'000; ++asks) {
      if (server.ask("GET", "/v1/webhooks?state=delivered").json()["deliveries"].size() == kChains) return true;
    }
    return false;
  };
  CHECK(all_delivered());
  std::map<std::string, std::set<std::string>> ids;
  for (const auto& request : receiver.received()) ids[Json::parse(request.body)["data"]["chain_id"]].insert(request.headers.at("webhook-id"));
  CHECK(ids.size() == kChains);
  for (const auto& [chain, of_chain] : ids) CHECK(of_chain.size() == 1);
}

TEST_CASE("webhooks: addresses of this machine are refused unless the configuration allows them, and wrong ones at once") {
  const Folder folder;
  configure(folder);
  HttpServer receiver{[](const worker::test::Received&) { return worker::test::answer(204, ""); }};
  const Server server{folder};
  REQUIRE(server.ask("POST", "/v1/chains?wait=30", notified("one", receiver.url())).status == 200);
  Json refused;
  for (int asks = 0; asks < 100'000 && !refused.contains("error"); ++asks) refused = delivery_in(server, "pending");
  CHECK(refused["error"].get<std::string>().find("public internet") != std::string::npos);
  CHECK(receiver.connections() == 0);
  const auto wrong = server.ask("POST", "/v1/chains", R"({"name": "math", "notify": {"url": "gopher://x"}})");
  CHECK(wrong.status == 422);
  CHECK(wrong.body.find("/notify") != std::string::npos);
}

}  // namespace catena::api::test
