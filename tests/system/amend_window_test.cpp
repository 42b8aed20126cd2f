// How many items of a fan-out run at once is changed while they run: real processes, which hold until the test lets them go.
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <set>

#include "base/fd.hpp"
#include "tests/system/coordinator.hpp"

namespace system_test {
namespace {

constexpr int kHeldItems = 24;

/// Says that it runs, and ends when somebody writes to its gate.
constexpr const char* kHeldTool = R"(#!/bin/sh
IFS= read -r arguments || :
n=${arguments#*'"n":'}
n=${n%%[,\}]*}
: > "$1/began-$n"
IFS= read -r line < "$1/gate-$n"
echo '{}'
)";

class HeldItems {
 public:
  explicit HeldItems(const RestartedCoordinator& coordinator) : coordinator_{coordinator}, room_{coordinator.scene().path("room")} {
    fs::create_directory(room_);
    auto list = Json::array();
    for (int item = 0; item < kHeldItems; ++item) {
      list.push_back(item);
      REQUIRE(::mkfifo(gate(item).c_str(), 0600) == 0);
    }
    const auto program = coordinator.scene().folder().write("held.sh", kHeldTool, true);
    const Json tool{{"additional_arguments", true}, {"system_event_endpoint", "exec:" + program.string() + " " + room_.string()}};
    const Json each{{"parallel_execution", {{"iterate_over", list}, {"child_argument_name", "n"}, {"max_concurrency", 2}}}};
    const auto file = coordinator.scene().define("held.tool", cli_test::definition({cli_test::step("each", tool, each)}));
    REQUIRE(coordinator.run({"submit", file, "--id", "held"}).code == 0);
  }

  /// Those that have begun and have not been let go.
  [[nodiscard]] std::set<int> held() const {
    std::set<int> items;
    for (int item = 0; item < kHeldItems; ++item) {
      if (!let_go_.contains(item) && fs::exists(room_ / fmt::format("began-{}", item))) items.insert(item);
    }
    return items;
  }
  [[nodiscard]] bool holds(std::size_t count) const {
    return becomes_true([&] { return held().size() == count; });
  }
  /// Lets one go that is held, and waits until that stands in the record: what is given out because of it does, too, then.
  void let_one_go() {
    const auto item = *held().begin();
    std::optional<catena::Fd> gate_end;
    REQUIRE(becomes_true([&] {
      catena::Fd opened{::open(gate(item).c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC)};  // fails until it is read
      if (opened.is_open()) gate_end = std::move(opened);
      return gate_end.has_value();
    }));
    REQUIRE(::write(gate_end->get(), "go\n", 3) == 3);
    let_go_.insert(item);
    REQUIRE(becomes_true([&] { return coordinator_.get("/v1/chains/held/steps").at("steps").at(0).at("items").at("ok") == let_go_.size(); }));
  }
  void amend(int window) const {
    const auto amended = coordinator_.run({"amend", "held", "each", "--max-concurrency", std::to_string(window)});
    INFO(amended.error);
    REQUIRE(amended.code == 0);
  }
  [[nodiscard]] bool is_over() const { return let_go_.size() == kHeldItems; }
  /// Items that are out, by the journal; none is given out beyond the window of that moment. How many were out at most under each window.
  [[nodiscard]] std::vector<std::pair<int, int>> most_out() const {
    std::vector<std::pair<int, int>> most{{2, 0}};
    int out = 0;
    const auto page = coordinator_.get("/v1/chains/held/history?limit=1000");
    for (const auto& event : page.at("events")) {
      const auto& kind = event.at("event");
      const auto count = [&](const char* member) {
        int items = 0;
        for (const auto& range : event.value(member, Json::array())) items += range.at(1).get<int>() - range.at(0).get<int>() + 1;
        return items;
      };
      if (kind == "Amended") most.emplace_back(event.at("terms").at("window").get<int>(), 0);
      if (kind == "ItemsSettled") out -= count("ok") + count("failed");
      if (kind != "Granted") continue;
      out += count("items");
      most.back().second = std::max(most.back().second, out);
    }
    CHECK(out == 0);
    return most;
  }

 private:
  [[nodiscard]] fs::path gate(int item) const { return room_ / fmt::format("gate-{}", item); }
  const RestartedCoordinator& coordinator_;
  fs::path room_;
  std::set<int> let_go_;
};

}  // namespace

TEST_CASE("amend --max-concurrency changes how many items of a running fan-out are on their way, up at once and down as they end") {
  const RestartedCoordinator coordinator{8};
  HeldItems items{coordinator};
  REQUIRE(items.holds(2));
  items.amend(6);
  REQUIRE(items.holds(6));
  items.amend(1);
  for (std::size_t left = 5; left > 0; --left) {
    items.let_one_go();
    CHECK(items.held().size() == left);
  }
  for (int more = 0; more < 3; ++more) {
    items.let_one_go();
    REQUIRE(items.holds(1));
  }
  items.amend(4);
  REQUIRE(items.holds(4));
  while (!items.is_over()) {
    REQUIRE(becomes_true([&] { return !items.held().empty(); }));
    items.let_one_go();
  }
  CHECK(coordinator.ask("GET", "/v1/chains/held?wait=60").json().at("status") == "succeeded");
  CHECK(items.most_out() == std::vector<std::pair<int, int>>{{2, 2}, {6, 6}, {1, 1}, {4, 4}});
}

}  // namespace system_test
