// Ten thousand chains of one coordinator that wait for people and programs: what they take while they wait, and what is left of them behind kill -9.
#include <algorithm>
#include <optional>
#include <set>

#include "tests/base/scale.hpp"
#include "tests/system/coordinator.hpp"

namespace system_test {
namespace {

constexpr int kCrowd = catena::test::scaled(10'000, 400);
constexpr int kByCommand = 5;  // of each kind; the others are answered over HTTP

/// Writes down for whom it was called; no process for each call.
constexpr const char* kCounter = R"(#!/bin/sh
while IFS= read -r line; do
  id=${line#*'"id":'}
  key=${line#*'"idempotency_key":"'}
  printf '%s\n' "${key%%'"'*}" >> "$1"
  printf '{"jsonrpc":"2.0","id":%s,"result":{}}\n' "${id%%[,\}]*}"
done
)";

std::string signalled(int number) { return fmt::format("signalled-{:05}", number); }
std::string approved(int number) { return fmt::format("approved-{:05}", number); }

class Crowd {
 public:
  explicit Crowd(const RestartedCoordinator& coordinator) : coordinator_{coordinator}, effects_{coordinator.scene().path("effects")} {
    using cli_test::step;
    std::ofstream{effects_}.flush();
    coordinator.scene().folder().write("tools/count.sh", kCounter, true);
    const Json counter{{"additional_arguments", true}, {"system_event_endpoint", "serve:count.sh " + effects_}};
    const Json go{{"execution_id", "go"}, {"signal", {{"name", "go"}, {"timeout", "30d"}}}};
    coordinator.scene().define("tools/counted.tool", cli_test::definition({step("count", counter)}));
    coordinator.scene().define("tools/signalled.tool", cli_test::definition({go, step("count", counter, {{"dependencies", {"go"}}})}));
    coordinator.scene().define("tools/approved.tool", cli_test::definition({step("count", counter, {{"approve", {{"who", "anybody"}}}})}));
  }

  void submit() const {
    std::string lines;
    for (int number = 0; number < kCrowd / 2; ++number) {
      lines += fmt::format("{{\"name\": \"signalled\", \"id\": \"{}\"}}\n", signalled(number));
      lines += fmt::format("{{\"name\": \"approved\", \"id\": \"{}\"}}\n", approved(number));
    }
    const auto told = coordinator_.ask("POST", "/v1/chains:batch", lines, "Content-Type: application/x-ndjson\r\n");
    REQUIRE(told.status == 200);
    CHECK(std::ranges::count(told.body, '\n') == kCrowd);
    CHECK(told.body.find("\"problem\"") == std::string::npos);
  }
  [[nodiscard]] bool sleeps() const {
    return coordinator_.metric(R"(catena_chains_live{state="asleep"})") == kCrowd && coordinator_.metric(R"(catena_chains_live{state="awake"})") == 0;
  }
  /// Ids, as the pages of a list have them.
  [[nodiscard]] std::set<std::string> listed(const std::string& what, const std::string& target) const {
    std::set<std::string> ids;
    std::string cursor;
    do {
      const auto page = coordinator_.get(target + "limit=1000&fields=chain_id" + (cursor.empty() ? "" : "&cursor=" + cursor));
      for (const auto& row : page.at(what)) CHECK(ids.insert(row.at("chain_id").get<std::string>()).second);
      cursor = page.value("cursor", "");
    } while (!cursor.empty());
    return ids;
  }
  void check_listed() const {
    std::set<std::string> all, for_approval;
    for (int number = 0; number < kCrowd / 2; ++number) {
      for_approval.insert(approved(number));
      all.insert({signalled(number), approved(number)});
    }
    CHECK(listed("chains", "/v1/chains?status=running&") == all);
    CHECK(listed("approvals", "/v1/approvals?") == for_approval);
    const auto page = coordinator_.get("/v1/explain");
    for (const auto& reason : page.at("reasons")) {
      CAPTURE(reason.dump());
      CHECK((reason.at("code") == "signal" || reason.at("code") == "approval"));
      CHECK(reason.at("chains") == kCrowd / 2);
    }
  }
  /// Many at a time, as many people and programs would.
  void answer_all() const {
    constexpr int kTogether = 64;
    std::vector<Connection> connections;
    for (int number = 0; number < kTogether; ++number) connections.push_back(coordinator_.connect());
    for (int first = kByCommand; first < kCrowd / 2; first += kTogether / 2) {
      const auto end = std::min(first + kTogether / 2, kCrowd / 2);
      auto to = connections.begin();
      for (int number = first; number < end; ++number) {
        REQUIRE(to++->ask("POST", "/v1/chains/" + signalled(number) + ":signal", R"({"name": "go", "data": {}})"));
        REQUIRE(to++->ask("POST", "/v1/chains/" + approved(number) + ":approve", R"({"step": "count"})"));
      }
      for (auto from = connections.begin(); from != to; ++from) {
        const auto told = from->hear();
        REQUIRE(told);
        INFO(told->body);
        REQUIRE(told->status / 100 == 2);
      }
    }
    for (int number = 0; number < kByCommand; ++number) {
      CHECK(coordinator_.run({"signal", signalled(number), "go"}).code == 0);
      CHECK(coordinator_.run({"approve", approved(number), "count"}).code == 0);
    }
  }
  [[nodiscard]] std::vector<std::string> effects() const {
    auto lines = read_lines(effects_);
    std::ranges::sort(lines);
    return lines;
  }

 private:
  const RestartedCoordinator& coordinator_;
  std::string effects_;
};

}  // namespace

TEST_CASE("ten thousand chains wait for signals and approvals: they hold no slot and little memory, and none is lost or answered twice by kill -9") {
  RestartedCoordinator coordinator{1, {"CATENA_CHAINS__SLEEP_AFTER=1s"}};
  const Crowd crowd{coordinator};
  const auto run_another = [&](const std::string& id) {
    const auto told = coordinator.ask("POST", "/v1/chains?wait=60", fmt::format(R"({{"name": "counted", "id": "{}"}})", id));
    INFO(told.body);
    CHECK(told.status == 200);
    CHECK(told.json()["status"] == "succeeded");
  };
  run_another("before");
  const auto before = coordinator.resident_bytes();
  crowd.submit();
  run_another("beside");
  REQUIRE(becomes_true([&] { return crowd.sleeps(); }));
#ifndef CATENA_SANITIZED
  constexpr std::size_t kEachMost = 8192;
  // With what the store holds of them, and what of the batch the allocator gives back later.
  const auto each = [&] { return (std::max(coordinator.resident_bytes(), before) - before) / kCrowd; };
  CHECK(becomes_true([&] { return each() < kEachMost; }));
#endif
  CHECK(coordinator.metric("catena_slots") == 1);
  CHECK(coordinator.metric("catena_slots_used") == 0);
  run_another("besides");
  crowd.check_listed();

  coordinator.kill();
  coordinator.start();
  crowd.check_listed();
  REQUIRE(becomes_true([&] { return crowd.sleeps(); }));
  crowd.check_listed();
  CHECK(coordinator.metric("catena_attempts_granted_total") == 0);

  crowd.answer_all();
  CHECK(becomes_true([&] { return coordinator.metric(R"(catena_chains_ended_total{status="succeeded"})") == kCrowd; }));
  CHECK(coordinator.metric("catena_attempts_granted_total") == kCrowd);
  std::vector<std::string> expected{"before/count", "beside/count", "besides/count"};
  for (int number = 0; number < kCrowd / 2; ++number) {
    expected.push_back(signalled(number) + "/count");
    expected.push_back(approved(number) + "/count");
  }
  std::ranges::sort(expected);
  CHECK(crowd.effects() == expected);
  CHECK(coordinator.get("/v1/approvals").at("approvals").empty());
}

}  // namespace system_test
