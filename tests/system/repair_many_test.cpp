// One in a hundred of a hundred thousand items has failed. A retry runs what it had said it would run: all of these, or those that an expression
// chooses, also while the chain runs. What ran is read from the record.
#include <algorithm>
#include <map>
#include <vector>

#include "tests/base/scale.hpp"
#include "tests/system/coordinator.hpp"

namespace system_test {
namespace {

constexpr std::size_t kMany = catena::test::scaled(100'000UL, 3'000UL);
const std::string kTimeouts = R"(error.code == "tool_timeout")";

bool many_fails(std::size_t item) { return item % 100 == 37; }
bool many_times_out(std::size_t item) { return item % 300 == 37; }
bool many_fails_otherwise(std::size_t item) { return many_fails(item) && !many_times_out(item); }

std::size_t many_that(bool (*holds)(std::size_t)) {
  std::size_t count = 0;
  for (std::size_t item = 0; item < kMany; ++item) count += holds(item) ? 1 : 0;
  return count;
}

/// One in a hundred of its items fails the first attempt of each epoch, and there is one attempt until somebody allows more. A signal holds the chain
/// open; then it fails if an item has no response.
class ManyItems {
 public:
  ManyItems(const RestartedCoordinator& coordinator, std::string chain) : coordinator_{coordinator}, chain_{std::move(chain)} {
    const Json list{{"execution_id", "list"}, {"tool_definition", cli_test::builtin("range")}, {"arguments", {{"count", kMany}}}};
    const Json each{{"execution_id", "each"},
                    {"tool_definition", cli_test::builtin("fail")},
                    {"retry", {{"initial_interval", "1ms"}}},
                    {"parallel_execution", {{"iterate_over", "REF:list.items"}, {"child_argument_name", "n"}, {"on_item_failure", "null"}}},
                    {"transform_arguments",
                     {{"transforms", {{"times", "if(n % 100 == 37, 1, 0)"}, {"code", "if(n % 300 == 37, 'tool_timeout', 'tool_temporary')"}}}}}};
    const Json hold{{"execution_id", "hold"}, {"signal", {{"name", "end"}}}};
    const Json check{
        {"execution_id", "check"},
        {"tool_definition", cli_test::builtin("fail")},
        {"arguments", {{"code", "tool_failed"}}},
        {"dependencies", {"hold"}},
        {"transform_arguments", {{"variables", {{"all", "REF:each.response"}}}, {"transforms", {{"times", "count(all, 'item == null') * 1000"}}}}}};
    const auto file = coordinator.scene().define("many.tool", cli_test::definition({list, each, hold, check}));
    REQUIRE(coordinator.run({"submit", file, "--id", chain_}).code == 0);
    REQUIRE(becomes_true([&] { return step("each").at("status") == "completed"; }));
    check_counts(many_that(many_fails));
    const auto amended = coordinator.run({"amend", chain_, "--retry-attempts", "2", "--reason", "the service is slow today"});
    INFO(amended.error);
    REQUIRE(amended.code == 0);
  }

  [[nodiscard]] Json step(const std::string& id) const {
    const auto page = coordinator_.get("/v1/chains/" + chain_ + "/steps");
    for (const auto& step : page.at("steps")) {
      if (step.at("id") == id) return step;
    }
    FAIL("no step " << id);
    return {};
  }
  [[nodiscard]] std::string status() const { return coordinator_.get("/v1/chains/" + chain_).at("status"); }
  void check_counts(std::size_t failed) const {
    CHECK(step("each").at("items") == Json{{"total", kMany}, {"ok", kMany - failed}, {"failed", failed}});
  }
  /// What `retry` would run, as it says in words for a program and for a person.
  void check_preview(const std::vector<std::string>& wish, std::size_t items) const {
    std::vector<std::string> words{"retry", chain_, "--dry-run"};
    words.insert(words.end(), wish.begin(), wish.end());
    const auto for_people = coordinator_.run(words);
    CHECK(for_people.prints(fmt::format("{} of {} items run again", items, kMany)));
    words.insert(words.end(), {"-o", "json"});
    const auto before = last_event();
    const auto told = coordinator_.run(words);
    INFO(told.error);
    REQUIRE(told.code == 0);
    const auto preview = Json::parse(told.out);
    for (const auto& step : preview.at("steps")) {
      if (step.at("id") == "each") CHECK(step.at("items") == Json{{"run", items}, {"of", kMany}});
    }
    CHECK(last_event() == before);
  }
  [[nodiscard]] std::int64_t last_event() const {
    std::int64_t last = 0;
    for_each_event(1, [&](const Json& event) { last = event.at("seq"); });
    return last;
  }
  /// Each item that the journal says was given to a worker behind that event, and how often.
  [[nodiscard]] std::map<std::size_t, int> ran_since(std::int64_t event) const {
    std::map<std::size_t, int> ran;
    for_each_event(event + 1, [&](const Json& granted) {
      if (granted.at("event") != "Granted" || granted.at("step") != "each") return;
      for (const auto& range : granted.at("items")) {
        for (auto item = range.at(0).get<std::size_t>(); item <= range.at(1).get<std::size_t>(); ++item) ++ran[item];
      }
    });
    return ran;
  }
  /// `ran` has these items alone: each failed once more, and succeeded when it was tried again.
  static void check_ran(const std::map<std::size_t, int>& ran, bool (*meant)(std::size_t)) {
    std::map<std::size_t, int> expected;
    for (std::size_t item = 0; item < kMany; ++item) {
      if (meant(item)) expected[item] = 2;
    }
    CHECK((ran == expected));  // not in words: there are a thousand
  }
  /// The response of each item says at which attempt it came; `repaired` ones at the second.
  void check_results(bool (*repaired)(std::size_t)) const {
    const auto told = coordinator_.ask("GET", "/v1/chains/" + chain_ + "/steps/each/results");
    std::size_t item = 0;
    std::size_t wrong = 0;
    for (std::size_t from = 0; from < told.body.size();) {
      const auto end = std::min(told.body.find('\n', from), told.body.size());
      const auto line = told.body.substr(from, end - from);
      from = end + 1;
      if (line.empty()) continue;
      const auto json = Json::parse(line);
      const bool right = repaired(item)     ? json.value("response", Json()) == Json{{"attempts", 2}}
                         : many_fails(item) ? json.at("status") == "failed"
                                            : json.value("response", Json()) == Json{{"attempts", 1}};
      wrong += right && json.at("index") == item ? 0 : 1;
      ++item;
    }
    CHECK(item == kMany);
    CHECK(wrong == 0);
  }
  void end() const { CHECK(coordinator_.run({"signal", chain_, "end"}).code == 0); }

 private:
  template <class Use>
  void for_each_event(std::int64_t from, const Use& use) const {
    while (true) {
      const auto page = coordinator_.get(fmt::format("/v1/chains/{}/history?limit=1000&from={}", chain_, from));
      for (const auto& event : page.at("events")) use(event);
      if (!page.contains("next")) return;
      from = page.at("next");
    }
  }

  const RestartedCoordinator& coordinator_;
  std::string chain_;
};

}  // namespace

TEST_CASE("of a hundred thousand items one in a hundred fails: retry runs exactly those, as it had said, also behind kill -9") {
  RestartedCoordinator coordinator{4};
  const ManyItems items{coordinator, "batch"};
  items.end();
  REQUIRE(becomes_true([&] { return items.status() == "failed"; }));
  items.check_preview({"--failed"}, many_that(many_fails));
  const auto before = items.last_event();
  coordinator.kill();
  coordinator.start();
  items.check_preview({"--failed"}, many_that(many_fails));
  const auto retried = coordinator.run({"retry", "batch", "--failed", "-q"});
  INFO(retried.error);
  CHECK(retried.code == 0);
  items.check_counts(0);
  ManyItems::check_ran(items.ran_since(before), many_fails);
  items.check_results(many_fails);
  const auto first = coordinator.run({"show", "batch", "--epoch", "1", "-o", "json"});
  REQUIRE(first.code == 0);
  CHECK(Json::parse(first.out).at("status") == "failed");
}

TEST_CASE("of a thousand failed items a retry chooses those that ran out of time, as it had said, while the chain runs and when it has ended") {
  const RestartedCoordinator coordinator{4};
  const ManyItems items{coordinator, "open"};
  const std::vector<std::string> timeouts{"--where", kTimeouts};
  const auto chosen = many_that(many_times_out);
  const auto others = many_that(many_fails_otherwise);
  items.check_preview(timeouts, chosen);
  items.check_preview({"--failed"}, chosen + others);
  auto before = items.last_event();
  const auto running = coordinator.begin({"retry", "open", "--where", kTimeouts, "--reason", "it answers again"});
  REQUIRE(becomes_true([&] { return items.step("each").at("items").at("ok") == kMany - others; }));
  items.check_counts(others);
  CHECK(items.status() == "running");
  ManyItems::check_ran(items.ran_since(before), many_times_out);
  items.check_results(many_times_out);

  // What is left of the failures fails the chain; of those an expression chooses one.
  items.end();
  REQUIRE(becomes_true([&] { return items.status() == "failed"; }));
  before = items.last_event();
  const std::vector<std::string> one{"--where", R"(step == "each" and error.code == "tool_temporary" and item == 137)"};
  items.check_preview(one, 1);
  CHECK(coordinator.run({"retry", "open", one[0], one[1], "-q"}).code == 1);
  ManyItems::check_ran(items.ran_since(before), [](std::size_t item) { return item == 137; });
  items.check_counts(others - 1);
  before = items.last_event();
  items.check_preview({"--failed"}, others - 1);
  CHECK(coordinator.run({"retry", "open", "--failed", "-q"}).code == 0);
  ManyItems::check_ran(items.ran_since(before), [](std::size_t item) { return many_fails_otherwise(item) && item != 137; });
  items.check_results(many_fails);
}

}  // namespace system_test
