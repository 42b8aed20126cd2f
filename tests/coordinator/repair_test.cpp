// What a person's retry runs again, and what it was said to run; responses that a person gives in place of running a step.
#include <catch2/catch.hpp>

#include "coordinator/inspect/inspector.hpp"
#include "tests/coordinator/fixture.hpp"

namespace catena::coordinator::test {
namespace {

using Catch::Matchers::Contains;
using engine::ChainStatus;

const std::string kTolerant = R"("on_item_failure": "null")";

/// Fails for these, and answers everything else with its arguments.
void fail_keys(Fixture& f, std::set<std::string> keys) {
  f.script.otherwise = [keys = std::move(keys)](const actors::Attempted& attempt) {
    return keys.contains(attempt.key) ? failure(Code::tool_failed) : answer(attempt.arguments);
  };
}

std::vector<std::string> ran(Fixture& f) {
  std::vector<std::string> keys;
  for (const auto& one : f.script.executions) keys.push_back(one.key);
  std::ranges::sort(keys);
  f.script.executions.clear();
  return keys;
}

void retry(Fixture& f, actors::RepairWish wish, const Pinned& package = nullptr) {
  f.forget();
  f.tell(actors::Control{ChainId{"c"}, engine::Retry{}, package, {}, std::move(wish)});
  f.await();
}

RepairPreview previewed(Fixture& f, actors::RepairWish wish, const Pinned& package = nullptr) {
  Inspector inspector{f.kv, kCatalog, *f.services()->clock};
  auto told = inspector.answer(PreviewRepair{ChainId{"c"}, std::move(wish), package ? package->manifest : ""});
  REQUIRE(told);
  return std::move(*told);
}

/// items -> sum, where sum takes the list; both answer with their arguments.
std::string items_and_sum(const std::string& list = numbers(6), const std::string& more = {}) {
  return composite({step("items", each(list, kTolerant)), step("sum", R"("arguments": {"all": "REF:items.response"})" + more)});
}

void give(Fixture& f, const std::string& step, const std::string& response, IndexSet items = {}) {
  f.forget();
  actors::Control control{ChainId{"c"}, engine::Substitute{0, std::move(items), engine::inline_payload(response), {}}};
  control.step = step;
  f.tell(std::move(control));
  f.run();
}

}  // namespace

TEST_CASE("tolerated failures run again with --failed, and what depends on them where its arguments change") {
  Fixture f;
  fail_keys(f, {"c/items/2", "c/items/4", "c/sum"});
  CHECK(f.complete(pin(items_and_sum())).status == ChainStatus::failed);
  ran(f);
  fail_keys(f, {});
  const auto preview = previewed(f, {.only_failed = true});
  CHECK(preview.steps[0].action == RepairAction::runs);
  CHECK(preview.steps[0].items == 2);
  CHECK(preview.steps[1].action == RepairAction::compared);
  retry(f, {.only_failed = true});
  CHECK(f.finish().status == ChainStatus::succeeded);
  CHECK(ran(f) == std::vector<std::string>{"c/items/2", "c/items/4", "c/sum@2"});
}

TEST_CASE("results of the same arguments stay, item by item, when a list has changed") {
  Fixture f;
  fail_keys(f, {"c/sum"});
  CHECK(f.complete(pin(items_and_sum("[10, 20, 30]"))).status == ChainStatus::failed);
  ran(f);
  fail_keys(f, {});
  const auto longer = pin(items_and_sum("[10, 21, 30, 40]"));
  const auto preview = previewed(f, {}, longer);
  CHECK(preview.other_package);
  CHECK(preview.steps[0].action == RepairAction::compared);
  CHECK(preview.steps[0].cause == RepairCause::arguments);
  retry(f, {}, longer);
  const auto end = f.finish();
  REQUIRE(end.status == ChainStatus::succeeded);
  CHECK(ran(f) == std::vector<std::string>{"c/items@2/1", "c/items@2/3", "c/sum@2"});
  CHECK(Json::parse(end.response.text)["sum"]["all"] == Json::parse(R"([{"i":10},{"i":21},{"i":30},{"i":40}])"));
}

TEST_CASE("what stays survives a crash at any message of its comparison") {
  const auto longer = pin(items_and_sum("[10, 21, 30, 40]"));
  for (std::size_t messages = 0; messages < 40; ++messages) {
    Fixture f;
    fail_keys(f, {"c/sum"});
    CHECK(f.complete(pin(items_and_sum("[10, 20, 30]"))).status == ChainStatus::failed);
    fail_keys(f, {});
    retry(f, {}, longer);
    f.run_messages(messages);
    f.crash();
    if (f.state().status == ChainStatus::failed) {
      retry(f, {}, longer);
    } else {
      if (f.state().status == ChainStatus::running) f.resume();
      f.await();
    }
    const auto end = f.finish();
    INFO("after " << messages << " messages");
    REQUIRE(end.status == ChainStatus::succeeded);
    CHECK(Json::parse(end.response.text)["items"] == Json::parse(R"([{"i":10},{"i":21},{"i":30},{"i":40}])"));
    CHECK(f.script.count("c/items@2/0") == 0);
    CHECK(f.script.count("c/items@2/2") == 0);
  }
}

TEST_CASE("a step behind one that runs again keeps its response where that makes no difference") {
  Fixture f;
  fail_keys(f, {"c/last"});
  const auto line = [](const std::string& n) {
    return composite({step("first", R"("arguments": {"n": )" + n + "}"), step("second", R"("arguments": {"of": "REF:first.response"})"),
                      step("last", R"("arguments": {"of": "REF:second.response"})")});
  };
  CHECK(f.complete(pin(line("1")), "c", R"({"n": 1})").status == ChainStatus::failed);
  ran(f);
  fail_keys(f, {});
  SECTION("from a step on, all of it runs") {
    retry(f, {.from = {"second"}});
    CHECK(f.finish().status == ChainStatus::succeeded);
    CHECK(ran(f) == std::vector<std::string>{"c/last@2", "c/second@2"});
  }
  SECTION("of other arguments that come to the same, nothing runs but what failed") {
    retry(f, {}, pin(line(R"("REF:arguments.n")")));
    CHECK(f.finish().status == ChainStatus::succeeded);
    CHECK(ran(f) == std::vector<std::string>{"c/last@2"});
    CHECK(f.state().steps[0].visit == 2);
  }
  SECTION("of other arguments, all behind it runs that they reach") {
    retry(f, {}, pin(line("2")));
    CHECK(f.finish().status == ChainStatus::succeeded);
    CHECK(ran(f) == std::vector<std::string>{"c/first@2", "c/last@2", "c/second@2"});
  }
}

TEST_CASE("a retry that cannot be is refused, with what is wrong, and changes nothing") {
  Fixture f;
  fail_keys(f, {"c/sum"});
  const auto package = pin(items_and_sum());
  CHECK(f.complete(package).status == ChainStatus::failed);
  const auto refused = [&](actors::RepairWish wish, const Pinned& other = nullptr) {
    retry(f, std::move(wish), other);
    f.run();
    REQUIRE_FALSE(f.refused.empty());
    return f.refused.front().error.message;
  };
  const auto before = f.history().size();
  CHECK_THAT(refused({.from = {"item"}}), Contains("no step 'item'") && Contains("items"));
  CHECK_THAT(refused({.items = {{"sum", IndexSet::one(0)}}}), Contains("no fan-out"));
  CHECK_THAT(refused({.items = {{"items", IndexSet::one(6)}}}), Contains("has 6 items, from 0 on"));
  CHECK_THAT(refused({}, pin(composite({step("sum")}))), Contains("step 'items'"));
  CHECK(f.history().size() == before);
}

TEST_CASE("of failed items those run again for which an expression holds, and what depends on them") {
  Fixture f;
  f.script.otherwise = [](const actors::Attempted& attempt) {
    if (attempt.key == "c/sum") return failure(Code::tool_failed);
    if (!attempt.key.starts_with("c/items/")) return answer(attempt.arguments);
    const auto item = std::stoi(attempt.key.substr(std::string{"c/items/"}.size()));
    if (item % 100 == 7) return failure(Code::tool_timeout);
    return item % 100 == 8 ? failure(Code::tool_failed) : answer(attempt.arguments);
  };
  CHECK(f.complete(pin(items_and_sum(numbers(500)))).status == ChainStatus::failed);
  ran(f);
  fail_keys(f, {});
  const auto expected = [](std::initializer_list<int> rests) {
    std::vector<std::string> keys{"c/sum@2"};
    for (int hundred = 0; hundred < 500; hundred += 100) {
      for (const auto rest : rests) keys.push_back("c/items/" + std::to_string(hundred + rest));
    }
    std::ranges::sort(keys);
    return keys;
  };
  const auto [wish, count, keys] = GENERATE_COPY(table<actors::RepairWish, std::uint32_t, std::vector<std::string>>({
      {{.where = R"(error.code == "tool_timeout")"}, 5, expected({7})},
      {{.where = R"(error.code == "tool_failed" and step == "items" and item < 200)"}, 2, {"c/items/108", "c/items/8", "c/sum@2"}},
      {{.only_failed = true}, 10, expected({7, 8})},
  }));
  const auto preview = previewed(f, wish);
  CHECK(preview.steps[0].action == RepairAction::runs);
  CHECK(preview.steps[0].items == count);
  CHECK(preview.steps[1].action == RepairAction::compared);
  retry(f, wish);
  CHECK(f.finish().status == ChainStatus::succeeded);
  CHECK(ran(f) == keys);
  CHECK(f.state().steps[0].bad.count() == 10 - count);
}

TEST_CASE("an expression chooses of a step that failed, as long as it tolerates what is left") {
  Fixture f;
  const auto tolerant = R"("tolerated_failures": 1)";
  f.script.otherwise = [](const actors::Attempted& attempt) {
    if (attempt.key == "c/items/1") return failure(Code::tool_timeout);
    return attempt.key == "c/items/2" || attempt.key == "c/items/3" ? failure(Code::tool_failed) : answer(attempt.arguments);
  };
  CHECK(f.complete(pin(composite({step("items", each(numbers(4), tolerant))}))).status == ChainStatus::failed);
  ran(f);
  fail_keys(f, {});
  const auto failed = f.state().steps[0].bad;
  REQUIRE(failed.count() >= 2);
  REQUIRE(failed.test(1));
  actors::RepairWish wish{.where = R"(error.code == "tool_failed")"};
  const auto preview = previewed(f, wish);
  retry(f, wish);
  CHECK(f.finish().status == ChainStatus::succeeded);
  const auto keys = ran(f);
  CHECK(keys.size() == preview.steps[0].items);
  CHECK(std::ranges::find(keys, "c/items/1") == keys.end());
  CHECK(std::ranges::find(keys, "c/items/2") != keys.end());
  CHECK(f.state().steps[0].bad.count() == 1);
}

TEST_CASE("an expression that cannot choose is refused, beforehand too, and changes nothing") {
  Fixture f;
  fail_keys(f, {"c/items/1", "c/items/2", "c/sum"});
  const bool tolerated = GENERATE(true, false);
  CHECK(f.complete(pin(tolerated ? items_and_sum() : composite({step("items", each(numbers(6)))}))).status == ChainStatus::failed);
  const auto before = f.history().size();
  const auto refused = [&](const actors::RepairWish& wish) {
    Inspector inspector{f.kv, kCatalog, *f.services()->clock};
    const auto told = inspector.answer(PreviewRepair{ChainId{"c"}, wish, ""});
    REQUIRE_FALSE(told);
    retry(f, wish);
    f.run();
    REQUIRE_FALSE(f.refused.empty());
    CHECK(f.refused.front().error.message == told.error().message);
    return told.error();
  };
  CHECK_THAT(refused({.where = "error.cod =="}).message, Contains("error.cod =="));
  CHECK_THAT(refused({.where = "eror.code == 1"}).message, Contains("eror"));
  CHECK(refused({.where = "item + step"}).code != Code::internal);
  CHECK(refused({.only_failed = true, .where = "true"}).code == Code::usage);
  for (const auto* nothing : {"item > 5", "error.no_such_member == 1", R"(error.code == "tool_timeout")"})
    CHECK_THAT(refused({.where = nothing}).message, tolerated ? Contains("holds for none of the 2 failed items") : Contains("would fail again"));
  CHECK(f.history().size() == before);
}

TEST_CASE("a retry may take up a definition with another answer: a chain that failed in its last check can be repaired") {
  const std::string takes_text =
      R"("responses": [{"name": "n", "type_name": "string", "required": true}], "response_reference_map": {"n": "REF:a.n"})";
  auto takes_number = takes_text;
  takes_number.replace(takes_number.find("string"), 6, "integer");
  Fixture f;
  CHECK(f.complete(pin(composite({step("a", R"("arguments": {"n": 5})")}, takes_text))).status == ChainStatus::failed);
  ran(f);
  const auto mended = pin(composite({step("a", R"("arguments": {"n": 5})")}, takes_number));
  const auto preview = previewed(f, {}, mended);
  CHECK(preview.steps[0].action == RepairAction::stays);
  retry(f, {}, mended);
  CHECK(f.finish().status == ChainStatus::succeeded);
  CHECK(ran(f).empty());
}

TEST_CASE("a step may be given a response in place of running it, which is checked like one") {
  Fixture f;
  const std::string typed = R"({"additional_arguments": true, "responses": [{"name": "n", "type_name": "integer", "required": true}],
                               "system_event_endpoint": "builtin:echo"})";
  fail_keys(f, {"c/a"});
  CHECK(f.complete(pin(composite({step("a", {}, "/typed.tool"), step("b", R"("arguments": {"of": "REF:a.n"})")}), {{"/typed.tool", typed}})).status ==
        ChainStatus::failed);
  ran(f);
  give(f, "a", R"({"n": "five"})");
  REQUIRE(f.refused.size() == 1);
  CHECK(f.refused.front().error.code == Code::response_type);
  give(f, "b", "{}");
  REQUIRE(f.refused.size() == 1);
  CHECK_THAT(f.refused.front().error.message, Contains("has not begun"));
  give(f, "a", R"({"n": 5})");
  CHECK(f.refused.empty());
  f.await();
  const auto end = f.finish();
  CHECK(end.status == ChainStatus::succeeded);
  CHECK(arguments_of(f, "c/b")["of"] == 5);
  CHECK(ran(f) == std::vector<std::string>{"c/b"});
}

TEST_CASE("items may be given a response, and stand in the list in their places") {
  Fixture f;
  fail_keys(f, {"c/items/1", "c/items/3"});
  CHECK(f.complete(pin(composite({step("items", over(5))}))).status == ChainStatus::failed);
  ran(f);
  fail_keys(f, {});
  give(f, "items", R"({"given": true})");
  REQUIRE(f.refused.size() == 1);
  CHECK_THAT(f.refused.front().error.message, Contains("name the items"));
  give(f, "items", R"({"given": true})", IndexSet::one(1));
  CHECK(f.refused.empty());
  f.await();
  const auto end = f.finish();
  REQUIRE(end.status == ChainStatus::succeeded);
  const auto list = Json::parse(end.response.text)["items"];
  CHECK(list[1] == Json{{"given", true}});
  CHECK(list[3] == Json{{"i", 3}});
}

}  // namespace catena::coordinator::test
