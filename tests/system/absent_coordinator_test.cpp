// Signals and approvals that are given while the coordinator is away: the command waits for it, and what it says counts once.
#include <algorithm>

#include "base/failpoint.hpp"
#include "tests/system/coordinator.hpp"

namespace system_test {
namespace {

/// Takes signals of one name twice, and then asks for an approval; each of its tools writes down that it ran.
class AwaitingChain {
 public:
  AwaitingChain(const RestartedCoordinator& coordinator, std::string chain) : coordinator_{coordinator}, id_{std::move(chain)} {
    const auto& scene = coordinator.scene();
    const auto signal = [](const std::string& id) { return Json{{"execution_id", id}, {"signal", {{"name", "go"}}}}; };
    const auto counted = [&](const std::string& id, Json more) {
      more["arguments"] = {{"step", id}};
      return cli_test::step(id, scene.tool("count", "cat >>ran\necho >>ran\necho '{}'\n"), more);
    };
    auto second = signal("second");
    second["dependencies"] = {"load"};
    scene.write("ran", "");
    const auto file =
        scene.define("awaiting.tool", cli_test::definition({signal("first"), counted("load", {{"dependencies", {"first"}}}), second,
                                                            counted("pay", {{"dependencies", {"load"}}, {"approve", {{"who", "accounting"}}}})}));
    REQUIRE(coordinator.run({"submit", file, "--id", id_}).code == 0);
    REQUIRE(becomes_true([&] { return step("first").value("waits_for_signal", "") == "go"; }));
  }
  [[nodiscard]] std::string file() const { return coordinator_.scene().path("awaiting.tool"); }
  [[nodiscard]] Json step(const std::string& id) const {
    const auto page = coordinator_.get("/v1/chains/" + id_ + "/steps");
    for (const auto& step : page.at("steps")) {
      if (step.at("id") == id) return step;
    }
    return {};
  }
  [[nodiscard]] int runs(const std::string& id) const {
    const auto lines = read_lines(coordinator_.scene().path("ran"));
    return static_cast<int>(std::ranges::count(lines, fmt::format(R"({{"step":"{}"}})", id)));
  }
  [[nodiscard]] int events(const std::string& kind) const {
    const auto events = coordinator_.get("/v1/chains/" + id_ + "/history?limit=1000").at("events");
    return static_cast<int>(std::ranges::count_if(events, [&](const Json& event) { return event.at("event") == kind; }));
  }

 private:
  const RestartedCoordinator& coordinator_;
  std::string id_;
};

/// Begins the command while the coordinator is away, and starts that again once the command says that it waits.
void give_to_absent(RestartedCoordinator& coordinator, const cli_test::Words& words) {
  const auto error = coordinator.scene().folder() / "started-error";
  std::ofstream{error}.flush();
  auto command = coordinator.scene().start(words);
  const bool waits = wait_for_writes(error, command, [&] { return read_text(error).find("trying again for") != std::string::npos; });
  INFO(read_text(error));
  REQUIRE(waits);
  coordinator.start();
  const auto code = command.wait();
  INFO(read_text(error));
  CHECK(code == 0);
}

}  // namespace

TEST_CASE("a signal, an approval and a submission with a key that are given while the coordinator is away arrive when it is back, and count once") {
  RestartedCoordinator coordinator{2};
  const AwaitingChain chain{coordinator, "order"};
  const auto& scene = coordinator.scene();
  REQUIRE(scene.run({"profile", "add", "http", "--url", coordinator.url()}).code == 0);
  const auto place = GENERATE(cli_test::Words{"--cluster"}, cli_test::Words{"--profile", "http"});
  const auto at = [&](cli_test::Words words) {
    words.insert(words.end(), place.begin(), place.end());
    if (words.back() == "--cluster") words.push_back(coordinator.address());
    return words;
  };
  coordinator.kill();
  give_to_absent(coordinator, at({"signal", "order", "go", "--reason", "it came in"}));
  REQUIRE(becomes_true([&] { return chain.step("pay").value("waits_for_approval", 0) == 1; }));
  CHECK(chain.events("SignalReceived") == 1);
  CHECK(chain.step("second").at("waits_for_signal") == "go");

  coordinator.kill();
  give_to_absent(coordinator, at({"approve", "order", "pay", "--idempotency-key", "answer-17"}));
  REQUIRE(becomes_true([&] { return chain.step("pay").at("status") == "completed"; }));
  // a person who is not sure says it once more
  CHECK(scene.run(at({"approve", "order", "pay", "--idempotency-key", "answer-17"})).code == 0);
  CHECK(scene.run(at({"signal", "order", "go"})).code == 0);
  CHECK(coordinator.ask("GET", "/v1/chains/order?wait=60").json().at("status") == "succeeded");
  CHECK(chain.events("ApprovalAnswered") == 1);
  CHECK(chain.runs("load") == 1);
  CHECK(chain.runs("pay") == 1);

  coordinator.kill();
  give_to_absent(coordinator, at({"submit", chain.file(), "--id", "other", "--idempotency-key", "order-18"}));
  CHECK(coordinator.get("/v1/chains").at("chains").size() == 2);
}

TEST_CASE("an answer to a coordinator that stays away is given up after --connect-timeout, and what only looks is not waited for") {
  const cli_test::Scene scene;
  const auto refused = scene.run({"approve", "order", "pay", "--cluster", "127.0.0.1:1", "--connect-timeout", "300ms"});
  CHECK(refused.code == 1);
  CHECK(refused.says("nothing answers at 127.0.0.1:1; trying again for 300ms"));
  CHECK(refused.says("error[connection_failed]: no connection to the coordinator at 127.0.0.1:1"));
  const auto looked = scene.run({"approvals", "--cluster", "127.0.0.1:1"});
  CHECK(looked.code == 1);
  CHECK_FALSE(looked.says("trying again"));
}

#ifdef CATENA_FAILPOINTS
TEST_CASE("a signal whose coordinator dies at any commit of it is sent again by the command, and counts once") {
  RestartedCoordinator coordinator{2};
  int chains = 0;
  int deaths = 0;
  for (const std::string point : {"journal.before_sync", "journal.after_sync"}) {
    bool lived = false;
    for (int nth = 1; !lived; ++nth) {
      INFO(point << ":" << nth);
      const auto id = fmt::format("order-{}", ++chains);
      const AwaitingChain chain{coordinator, id};
      coordinator.kill();
      if (coordinator.start_with({fmt::format("CATENA_FAILPOINT_AT={}:{}", point, nth)})) {
        auto command = coordinator.begin({"signal", id, "go"});
        REQUIRE(becomes_true([&] { return coordinator.ended() || command.ended(); }));
        lived = !coordinator.ended();
        deaths += lived ? 0 : 1;
        if (lived) coordinator.kill();
        coordinator.start();
        const auto code = command.wait();
        INFO(read_text(coordinator.scene().folder() / "started-error"));
        CHECK(code == 0);
        REQUIRE(becomes_true([&] { return chain.step("pay").value("waits_for_approval", 0) == 1; }));
        CHECK(chain.events("SignalReceived") == 1);
        CHECK(chain.step("second").at("waits_for_signal") == "go");
      } else {
        coordinator.start();
      }
      CHECK(coordinator.ask("POST", "/v1/chains/" + id + ":kill").status / 100 == 2);
    }
  }
  CHECK(deaths >= 2);
}
#endif

}  // namespace system_test
