// Repairs of chains that still run: what is out goes on, what failed runs again, and what cannot be is refused before it is recorded.
#include <catch2/catch.hpp>

#include "coordinator/inspect/inspector.hpp"
#include "tests/coordinator/fixture.hpp"

namespace catena::coordinator::test {
namespace {

using Catch::Matchers::Contains;
using engine::ChainStatus;

const std::string kBearing = R"("on_item_failure": "null")";

actors::Control retry_control(actors::RepairWish wish) {
  actors::Control control{ChainId{"c"}, engine::Retry{.by = "ann"}, nullptr, {}, std::move(wish)};
  control.reason = "the service is back";
  return control;
}

void retry_running(Fixture& f, actors::RepairWish wish) {
  f.forget();
  f.tell(retry_control(std::move(wish)));
  f.run();
}

std::string refusal_of_repair(Fixture& f, actors::RepairWish wish) {
  const auto before = f.history().size();
  retry_running(f, std::move(wish));
  REQUIRE(f.refused.size() == 1);
  CHECK(f.refused.front().error.code == Code::chain_state);
  CHECK(f.history().size() == before);
  return f.refused.front().error.message;
}

void give_running(Fixture& f, const std::string& step, const std::string& response, IndexSet items = {}) {
  f.forget();
  actors::Control control{ChainId{"c"}, engine::Substitute{0, std::move(items), engine::inline_payload(response), {}}};
  control.step = step;
  f.tell(std::move(control));
  f.run();
}

/// Six items, of which 1 and 4 have failed, and 5 is out.
void begin_items(Fixture& f) {
  f.script.on("c/items/1", 1, failure(Code::tool_failed));
  f.script.on("c/items/4", 1, failure(Code::tool_timeout));
  f.script.on("c/items/5", 1, held());
  f.submit(pin(composite({step("items", each(numbers(6), kBearing))})));
  f.run();
  REQUIRE(f.state("c").status == ChainStatus::running);
  for (const std::string key : {"c/items/1", "c/items/4"}) f.script.on(key, 1, answer(R"({"mended": true})"));
}

}  // namespace

TEST_CASE("items that failed run again while another is out, which counts when it has ended") {
  Fixture f;
  begin_items(f);
  const auto [wish, again] = GENERATE(table<actors::RepairWish, std::vector<std::uint32_t>>({
      {{}, {1, 4}},
      {{.only_failed = true}, {1, 4}},
      {{.items = {{"items", IndexSet::one(4)}}}, {4}},
      {{.where = R"(error.code == "tool_timeout")"}, {4}},
  }));
  Inspector inspector{f.kv, kCatalog, *f.services()->clock};
  const auto preview = inspector.answer(PreviewRepair{ChainId{"c"}, wish, ""});
  REQUIRE(preview);
  CHECK(preview->steps[0].action == RepairAction::runs);
  CHECK(preview->steps[0].items == again.size());
  retry_running(f, wish);
  CHECK(f.refused.empty());
  for (std::uint32_t item = 0; item < 6; ++item) {
    const bool ran = std::ranges::find(again, item) != again.end();
    CHECK(f.script.count("c/items/" + std::to_string(item)) == (ran ? 2U : 1U));
  }
  CHECK(f.state("c").status == ChainStatus::running);
  f.script.release("c/items/5");
  f.await();
  CHECK(f.finish().status == ChainStatus::succeeded);
}

TEST_CASE("a retry of a chain that runs says who asked and why, and is an epoch of its own") {
  Fixture f;
  begin_items(f);
  retry_running(f, {});
  int opened = 0;
  for (const auto& event : f.history()) {
    const auto* retried = std::get_if<engine::RetryRequested>(&event);
    if (retried == nullptr) continue;
    ++opened;
    CHECK(retried->by == "ann");
    CHECK(retried->reason == "the service is back");
  }
  CHECK(opened == 1);
}

TEST_CASE("a repair of a chain that runs is refused in words where it cannot be, and nothing is recorded") {
  Fixture f;
  SECTION("what is named is out") {
    begin_items(f);
    CHECK_THAT(refusal_of_repair(f, {.items = {{"items", IndexSet::range(4, 6)}}}), Contains("step 'items'") && Contains("5"));
    CHECK_THAT(refusal_of_repair(f, {.from = {"items"}}), Contains("step 'items' runs"));
  }
  SECTION("something runs that depends on it") {
    f.script.on("c/items/1", 1, failure(Code::tool_failed));
    f.script.on("c/sum", 1, held());
    f.submit(pin(composite({step("items", each(numbers(3), kBearing)), step("sum", R"("arguments": {"all": "REF:items.response"})")})));
    f.run();
    CHECK_THAT(refusal_of_repair(f, {.only_failed = true}), Contains("step 'items'") && Contains("while step 'sum' runs"));
  }
  SECTION("nothing has failed") {
    f.script.on("c/a", 1, held());
    f.submit(pin(composite({step("a")})));
    f.run();
    CHECK_THAT(refusal_of_repair(f, {}), Contains("nothing in it has failed"));
  }
  SECTION("it is being cancelled") {
    begin_items(f);
    f.control("c", engine::Cancel{"enough"});
    f.forget();
    f.tell(retry_control({}));
    f.run();
    REQUIRE(f.refused.size() == 1);
    CHECK(f.refused.front().error.code == Code::chain_state);
  }
}

TEST_CASE("an item that failed may be given a response while another is out, and a paused chain be repaired") {
  Fixture f;
  begin_items(f);
  give_running(f, "items", R"({"given": true})", IndexSet::one(1));
  CHECK(f.refused.empty());
  f.control("c", engine::Pause{});
  f.run();
  retry_running(f, {});
  CHECK(f.refused.empty());
  CHECK(f.state("c").status == ChainStatus::paused);
  CHECK(f.script.count("c/items/4") == 1);
  f.control("c", engine::Unpause{});
  f.run();
  CHECK(f.script.count("c/items/4") == 2);
  f.script.release("c/items/5");
  f.await();
  const auto end = f.finish();
  REQUIRE(end.status == ChainStatus::succeeded);
  CHECK(Json::parse(end.response.text)["items"][1] == Json{{"given", true}});
}

TEST_CASE("an epoch that is over stays readable, as the chain stood at its end") {
  Fixture f;
  f.script.on("c/a", 1, failure(Code::tool_failed));
  f.submit(pin(composite({step("a")})));
  f.run();
  REQUIRE(f.state("c").status == ChainStatus::failed);
  f.script.on("c/a", 1, answer(R"({"n": 1})"));
  retry_running(f, {});
  f.await();
  REQUIRE(f.finish().status == ChainStatus::succeeded);
  Inspector inspector{f.kv, kCatalog, *f.services()->clock};
  const auto first = inspector.answer(DescribeChain{.chain = ChainId{"c"}, .epoch = 1});
  REQUIRE(first);
  CHECK(first->status == ChainStatus::failed);
  CHECK(first->error->code == Code::tool_failed);
  CHECK(inspector.answer(ListSteps{.chain = ChainId{"c"}, .epoch = 1})->steps[0].status == engine::VisitStatus::failed);
  CHECK(inspector.answer(DescribeChain{.chain = ChainId{"c"}, .epoch = 2})->status == ChainStatus::succeeded);
  CHECK(inspector.answer(DescribeChain{.chain = ChainId{"c"}})->status == ChainStatus::succeeded);
  const auto none = inspector.answer(DescribeChain{.chain = ChainId{"c"}, .epoch = 3});
  REQUIRE_FALSE(none);
  CHECK_THAT(none.error().message, Contains("has 2 epochs"));
}

TEST_CASE("a retry of a chain that runs is neither lost nor done twice, wherever it crashes") {
  for (std::size_t messages = 0; messages < 120; messages += 5) {
    INFO(messages << " messages behind the retry");
    Fixture f;
    begin_items(f);
    f.forget();
    f.tell(retry_control({.items = {{"items", IndexSet::one(4)}}}));
    f.run_messages(messages);
    f.crash();
    f.resume();
    f.run();
    const auto opened = std::ranges::count_if(f.history(), [](const auto& event) { return std::holds_alternative<engine::RetryRequested>(event); });
    CHECK(opened <= 1);
    CHECK(f.script.count("c/items/1") == 1);
    CHECK((f.script.count("c/items/4") > 1) == (opened == 1));
  }
}

}  // namespace catena::coordinator::test
