// Many clients submit the same things at the same time while the coordinator is killed again and again: each thing becomes one chain.
#include <fmt/format.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <mutex>
#include <thread>

#include "client/cluster_client.hpp"
#include "storage/chain_summary.hpp"
#include "storage/rocks_kv.hpp"
#include "tests/system/scene.hpp"

namespace system_test {
namespace {

constexpr int kClients = 8;
constexpr int kEach = 125;  // submissions of a client
constexpr int kThings = 20;

class EchoSource final : public catena::lang::SourceFinder {
 public:
  [[nodiscard]] catena::Result<catena::lang::Source> definition(std::string_view path, std::string_view) const override {
    return catena::lang::Source{std::string{path}, R"({"additional_arguments": true, "system_event_endpoint": "builtin:echo"})"};
  }
  [[nodiscard]] catena::Result<catena::lang::Source> named(std::string_view name, std::string_view) const override { return definition(name, {}); }
  [[nodiscard]] catena::Result<std::string> program(std::string_view name, std::string_view) const override { return std::string{name}; }
};

/// A coordinator that is started again on the port that it had.
class KilledCoordinator {
 public:
  explicit KilledCoordinator(const Folder& folder) : folder_{folder} { start(); }
  KilledCoordinator(const KilledCoordinator&) = delete;
  KilledCoordinator& operator=(const KilledCoordinator&) = delete;
  ~KilledCoordinator() { end(SIGTERM); }

  [[nodiscard]] const std::string& address() const { return address_; }
  [[nodiscard]] std::string data() const { return (folder_ / "data").string(); }
  void start() {
    fs::remove(folder_ / "port");
    process_.emplace(std::vector<std::string>{"/usr/bin/env", "-u", "CATENA_CONFIG", CATENA_BINARY, "coordinator", "--listen", address_, "--slots",
                                              "2", "--port-file", (folder_ / "port").string(), "--data-dir", data()},
                     folder_ / "coordinator-out", folder_ / "coordinator-error");
    while (!fs::exists(folder_ / "port") && !process_->ended()) std::this_thread::yield();
    INFO(read_text(folder_ / "coordinator-error"));
    REQUIRE(fs::exists(folder_ / "port"));
    address_ = "127.0.0.1:" + read_lines(folder_ / "port").at(0);
  }
  void end(int signal) {
    if (!process_) return;
    process_->kill(signal);
    process_->wait();
    process_.reset();
  }

 private:
  const Folder& folder_;
  std::string address_ = "127.0.0.1:0";
  std::optional<Process> process_;
};

struct Answers {
  std::mutex mutex;
  std::map<std::string, std::set<std::string>> chains;  // by key
  std::vector<std::string> errors;
};

/// Whatever happens to the coordinator, a client goes on with the same key until it has its answer.
void submit_all(int client, const std::string& address, std::atomic<int>& done, Answers& answers) {
  EchoSource source;
  const catena::lang::Catalog catalog{{"echo"}};
  const auto package = std::make_shared<const catena::lang::Package>(catena::lang::load_package("/echo.tool", source, catalog).value());
  catena::client::ClusterOptions options;
  options.address = address;
  options.patience = options.reconnect = catena::Millis{60'000};
  for (int at = 0; at < kEach; ++at) {
    const auto thing = at % kThings;
    const auto key = fmt::format("thing-{}", thing);
    std::string chain;
    for (int tries = 0; chain.empty() && tries < 20; ++tries) {
      auto connected = catena::client::ClusterClient::connect(options);
      if (!connected) continue;
      catena::actors::Submission submission;
      submission.chain = ChainId{fmt::format("c-{}-{}-{}", client, at, tries)};
      submission.package = package;
      submission.definition = package->root;
      submission.arguments = engine::inline_payload(Json{{"thing", thing}}.dump());
      submission.key = key;
      submission.id_made = true;
      const auto submitted = (*connected)->submit(std::move(submission));
      if (submitted) chain = submitted->chain.value;
      const bool tells = !submitted && submitted.error().code != catena::Code::connection_failed;
      if (tells) {
        const std::lock_guard lock{answers.mutex};
        answers.errors.push_back(catena::render(submitted.error()));
        break;
      }
    }
    const std::lock_guard lock{answers.mutex};
    if (!chain.empty()) answers.chains[key].insert(chain);
    ++done;
  }
}

}  // namespace

TEST_CASE("a thousand submissions of twenty things by eight clients, while the coordinator is killed: twenty chains, and every answer is right") {
  const Folder folder;
  KilledCoordinator coordinator{folder};
  std::atomic<int> done = 0;
  Answers answers;
  std::vector<std::thread> clients;
  for (int client = 0; client < kClients; ++client) clients.emplace_back([&, client] { submit_all(client, coordinator.address(), done, answers); });
  int kills = 0;
  for (int next = 10; done < kClients * kEach;) {
    if (done < next) {
      std::this_thread::yield();
      continue;
    }
    coordinator.end(SIGKILL);
    ++kills;
    next = done + 60;
    coordinator.start();
  }
  for (auto& client : clients) client.join();
  CHECK(kills >= 5);
  CHECK(answers.errors == std::vector<std::string>{});
  coordinator.end(SIGTERM);
  CHECK(answers.chains.size() == kThings);
  std::set<std::string> named;
  for (const auto& [key, chains] : answers.chains) {
    INFO(key);
    CHECK(chains.size() == 1);
    named.insert(chains.begin(), chains.end());
  }
  auto kv = catena::storage::RocksKv::open(coordinator.data(), {.read_only = true});
  REQUIRE(kv);
  std::set<std::string> stored;
  REQUIRE(catena::storage::list_summaries(**kv, {}, [&](const auto& summary) { return stored.insert(summary.id.value), true; }));
  CHECK(stored == named);
}

}  // namespace system_test
