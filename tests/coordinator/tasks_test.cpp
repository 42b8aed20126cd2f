// Questions about the tasks of a step, about families and about parts of a history.
#include <catch2/catch.hpp>

#include "coordinator/inspect/describe_event.hpp"
#include "coordinator/inspect/inspector.hpp"
#include "tests/coordinator/fixture.hpp"

namespace catena::coordinator::test {
namespace {

class StillClock final : public Clock {
 public:
  [[nodiscard]] UnixMillis now() const override { return 1'700'000'000'000; }
};

/// Questions about what a fixture has run.
struct Look {
  explicit Look(const Fixture& f) : inspector{f.kv, kCatalog, clock} {}
  StillClock clock;
  Inspector inspector;
};

const ChainId kLooked{"c"};

Reply failing(const Error& error) { return {Reply::How::once, false, to_json(error).dump(), {}}; }

}  // namespace

TEST_CASE("failed items are listed alone, page by page, with what they are and the errors of each") {
  Fixture f;
  for (const int item : {1, 3, 4}) f.script.on(item_key(item), failure(Code::tool_failed));
  f.complete(pin(composite({step("a", over(5))})));
  Look look{f};
  ListItems ask{.chain = kLooked, .step = "a", .limit = 2, .statuses = {ItemStatus::failed}, .with_values = true};
  const auto first = look.inspector.answer(ask).value();
  REQUIRE(first.items.size() == 2);
  CHECK(first.items[0].item == 1);
  CHECK(first.items[0].value.is_whole());
  CHECK(Json::parse(first.items[0].value.text) == 1);
  CHECK(first.items[1].item == 3);
  ask.from = first.next;
  const auto second = look.inspector.answer(ask).value();
  REQUIRE(second.items.size() == 1);
  CHECK(second.items[0].item == 4);
  CHECK(second.next == 0);
}

TEST_CASE("errors are grouped by code and message, whatever numbers stand in them") {
  Fixture f;
  for (const int item : {0, 2, 3}) {
    auto error = make_error(Code::tool_failed, "port " + std::to_string(7000 + item * 500) + " is closed");
    f.script.on(item_key(item), failing(error));
  }
  f.script.on(item_key(5), failure(Code::tool_output_invalid));
  f.complete(pin(composite({step("a", over(6))})));
  Look look{f};
  const auto told = look.inspector.answer(GroupErrors{.chain = kLooked, .step = "a"}).value();
  REQUIRE(told.groups.size() == 2);
  CHECK(told.groups[0].count == 3);
  CHECK(told.groups[0].first == 0);
  CHECK(told.groups[0].error.message == "port 7000 is closed");
  CHECK(to_text(told.groups[0].items) == "0,2-3");
  CHECK(told.groups[1].first == 5);
  CHECK(to_text(told.groups[1].items) == "5");
  CHECK(told.others == 0);
  CHECK(told.next == 0);
}

TEST_CASE("errors of more kinds than are told apart are counted together") {
  Fixture f;
  for (int item = 0; item < 30; ++item)
    f.script.on(item_key(item), failing(make_error(Code::tool_failed, std::string(static_cast<std::size_t>(item) + 1, 'x'))));
  f.complete(pin(composite({step("a", each(numbers(30), R"("tolerated_failures": 30)"))})));
  Look look{f};
  const auto told = look.inspector.answer(GroupErrors{.chain = kLooked, .step = "a"}).value();
  CHECK(told.groups.size() == kErrorGroupsMax);
  CHECK(told.others == 30 - kErrorGroupsMax);
}

TEST_CASE("a group names the first of its items, where they come in many runs") {
  Fixture f;
  constexpr int kWidth = 2 * static_cast<int>(kErrorGroupRunsMax) + 10;
  for (int item = 0; item < kWidth; item += 2) f.script.on(item_key(item), failure(Code::tool_failed));
  f.complete(pin(composite({step("a", each(numbers(kWidth), fmt::format(R"("tolerated_failures": {})", kWidth)))})));
  Look look{f};
  const auto told = look.inspector.answer(GroupErrors{.chain = kLooked, .step = "a"}).value();
  REQUIRE(told.groups.size() == 1);
  CHECK(told.groups[0].count == kWidth / 2);
  CHECK(told.groups[0].items.ranges().size() == kErrorGroupRunsMax);
  CHECK(told.groups[0].items.ranges().back().last == 2 * kErrorGroupRunsMax - 1);
}

TEST_CASE("a task is told with the arguments of its tool, its attempts and its outcome") {
  Fixture f;
  f.script.on("c/a/1", 1, failure(Code::tool_temporary, true));
  f.complete(
      pin(composite({step("a", over(3) + R"(, "arguments": {"x": 7})", "/again.tool"), step("b", R"("arguments": {"list": "REF:a.response"})")}),
          {{"/again.tool", R"({"additional_arguments": true, "system_event_endpoint": "builtin:echo",
                                     "retry": {"max_attempts": 2, "initial_interval": "1s"}})"}}));
  Look look{f};
  const auto told = look.inspector.answer(DescribeTask{.chain = kLooked, .task = {"a", 1}}).value();
  CHECK(told.item_status == ItemStatus::succeeded);
  CHECK(Json::parse(told.arguments.text) == Json{{"i", 1}, {"x", 7}});
  CHECK(Json::parse(told.value.text) == 1);
  CHECK(told.response.is_whole());
  CHECK(told.endpoint == "builtin:echo");
  const auto rows = look.inspector.answer(ListAttempts{.chain = kLooked, .task = {"a", 1}}).value().rows;
  REQUIRE(rows.size() == 4);
  CHECK(rows[0].event == AttemptEvent::granted);
  CHECK(rows[0].worker == WorkerId{"w1"});
  CHECK(rows[1].event == AttemptEvent::failed);
  CHECK(rows[1].grant == rows[0].grant);
  CHECK(rows[1].error->code == Code::tool_temporary);
  CHECK(rows[2].event == AttemptEvent::granted);
  CHECK(rows[3].event == AttemptEvent::succeeded);

  const auto shared = look.inspector.answer(DescribeTask{.chain = kLooked, .task = {"a", {}}}).value();
  CHECK_FALSE(shared.item_status);
  CHECK(shared.items == 3);
  CHECK(Json::parse(shared.arguments.text) == Json{{"x", 7}});
  const auto plain = look.inspector.answer(DescribeTask{.chain = kLooked, .task = {"b", {}}}).value();
  CHECK(plain.item_status == ItemStatus::succeeded);
  CHECK(look.inspector.answer(ReadValue{.chain = kLooked, .what = ValueOf::task_arguments, .step = "a", .item = 1}).value().text ==
        told.arguments.text);

  const auto refusal = [&](TaskName task) { return look.inspector.answer(DescribeTask{.chain = kLooked, .task = std::move(task)}).error().message; };
  CHECK(refusal({"a", 3}).find("it has 3 items") != std::string::npos);
  CHECK(refusal({"b", 0}).find("no fan-out") != std::string::npos);
  CHECK(refusal({"aa", {}}).find("did you mean 'a'") != std::string::npos);
}

TEST_CASE("a task that calls a composite names its child chain, and families are counted and listed from their own records") {
  Fixture f;
  f.script.on("c/sub/1/one", failure(Code::tool_failed));
  f.complete(
      pin(composite({step("sub", over(3), "/sub.tool")}), {{"/sub.tool", composite({step("one", R"("arguments": {"x": "REF:arguments.i"})")})}}));
  f.complete(pin(composite({step("sub", {}, "/sub.tool")}), {{"/sub.tool", composite({step("one")})}}), "c2");
  Look look{f};
  const auto told = look.inspector.answer(DescribeTask{.chain = kLooked, .task = {"sub", 1}}).value();
  CHECK(told.child == ChainId{"c/sub/1"});
  REQUIRE(told.error);
  CHECK(told.error->details.at("chain") == "c/sub/1");
  const auto counts = look.inspector.answer(CountFamily{.chain = kLooked}).value();
  std::uint64_t all = 0;
  for (const auto& [status, chains] : counts.counts) all += chains;
  CHECK(all == 3);
  CHECK(counts.cursor.empty());
  Words ids;
  ListChains ask{.below = kLooked, .limit = 1};
  do {
    const auto page = look.inspector.answer(ask).value();
    for (const auto& chain : page.chains) {
      ids.push_back(chain.id.value);
      CHECK((chain.status == engine::ChainStatus::failed) == chain.error.has_value());
    }
    ask.cursor = page.cursor;
  } while (!ask.cursor.empty());
  CHECK(ids == Words{"c/sub/0", "c/sub/1", "c/sub/2"});
  CHECK(look.inspector.answer(ListChains{.parent = ChainId{}, .only_count = true}).value().matched == 2);
}

TEST_CASE("chains are listed by name, by time and by what their context says, however large it is") {
  Fixture f;
  const std::string large(2'000, 'x');
  f.complete(pin(composite({step("a")})), "plain");
  for (const auto& [id, context] :
       {std::pair{std::string{"small"}, Json{{"user", "ann"}}}, std::pair{std::string{"large"}, Json{{"user", "ann"}, {"x", large}}}}) {
    f.complete(pin(composite({step("a")})), id, "{}", context.dump());
  }
  Look look{f};
  const auto listed = [&](ListChains ask) {
    Words ids;
    const auto page = look.inspector.answer(ask).value();
    for (const auto& chain : page.chains) ids.push_back(chain.id.value);
    std::ranges::sort(ids);
    return ids;
  };
  CHECK(listed({.context = {{"user", R"("ann")"}}}) == Words{"large", "small"});
  CHECK(listed({.context = {{"user", R"("bob")"}}}).empty());
  CHECK(listed({.name = "no such*"}).empty());
  CHECK(listed({.name = "*"}).size() == 3);
  CHECK(listed({.since = 1'900'000'000'000}).empty());
  CHECK(listed({.since = 1}).size() == 3);
}

TEST_CASE("a history is read by step, item, kind and time, in pages that may be empty") {
  Fixture f;
  f.script.on(item_key(1), failure(Code::tool_failed));
  f.complete(pin(composite({step("a", over(3)), step("b")})));
  Look look{f};
  const auto kinds = [&](ReadHistory ask) {
    ask.chain = kLooked;
    Words found;
    const auto page = look.inspector.answer(ask).value();
    for (const auto& event : page.events) found.push_back(event.kind);
    return found;
  };
  CHECK(kinds({.kinds = {"ChainStarted", "ChainFinished"}}) == Words{"ChainStarted", "ChainFinished"});
  CHECK(kinds({.step = "b"}).front() == "VisitEntered");
  const auto of_item = look.inspector.answer(ReadHistory{.chain = kLooked, .step = "a", .item = 1}).value().events;
  REQUIRE(of_item.size() >= 3);
  for (const auto& event : of_item) {
    CHECK(event.step == "a");
    CHECK(event.fan_out);
  }
  CHECK(of_item.back().failed == 1);
  CHECK(of_item.back().problem.find("[tool_failed]") != std::string::npos);
  CHECK(kinds({.since = 1'900'000'000'000}).empty());
  CHECK(look.inspector.answer(ReadHistory{.chain = kLooked, .kinds = {"Grantd"}}).error().message.find("did you mean 'Granted'") !=
        std::string::npos);
}

TEST_CASE("an event as JSON has names, words and values, and one as words agrees with the number of its items") {
  engine::Granted granted;
  granted.visit = {0, 1};
  granted.items = IndexSet::range(0, 4);
  granted.worker = WorkerId{"w"};
  const auto package = pin(composite({step("a", over(5))}));
  const auto* program = &package->main();
  CHECK(describe(granted, program).text == "step a items 0-3 go to worker 'w' (grant 0)");
  granted.items = IndexSet::one(2);
  CHECK(describe(granted, program).text == "step a item 2 goes to worker 'w' (grant 0)");
  engine::AttemptsEnded ended;
  ended.visit = {0, 1};
  ended.items = IndexSet::range(0, 2);
  ended.how = engine::Ended::lost;
  ended.in_doubt = true;
  CHECK(describe(ended, program).text == "step a items 0-1: attempts were lost with their worker and are in doubt");
  const auto json = describe_json(ended, program);
  CHECK(json.at("step") == "a");
  CHECK(json.at("how") == "lost");
  CHECK(json.at("items") == Json::parse("[[0,1]]"));
  engine::VisitSettled settled;
  settled.visit = {0, 1};
  settled.response = engine::inline_payload(R"({"n":1})");
  CHECK(describe_json(settled, program).at("response") == Json{{"n", 1}});
  CHECK(describe_json(settled, program).at("status") == "completed");
  settled.response = {{}, "hash", 900'000};
  CHECK(describe_json(settled, program).at("response") == Json{{"bytes", 900'000}});
}

TEST_CASE("the reason of a cancelled chain stands in its description") {
  Fixture f;
  f.script.otherwise = [](const actors::Attempted&) { return held(); };
  f.submit(pin(composite({step("a")})));
  f.run();
  f.control("c", engine::Cancel{"wrong week"});
  f.run();
  Look look{f};
  CHECK(look.inspector.answer(DescribeChain{.chain = kLooked}).value().cancel_reason == "wrong week");
}

}  // namespace catena::coordinator::test
