// Which failed items an expression chooses, of a large fan-out.
#include "coordinator/chosen_items.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "coordinator/repair.hpp"
#include "engine/repair.hpp"
#include "storage/chain_store.hpp"
#include "storage/memory_kv.hpp"
#include "tests/engine/builder.hpp"

namespace catena::coordinator::test {
namespace {

using engine::test::graph;
using engine::test::S;

/// Of 100,000 items one in a hundred has failed, every other of them by its timeout; the step behind them failed too.
struct LargeFanOut {
  static constexpr std::uint32_t kWidth = 100'000;
  ChainId chain{"c"};
  storage::MemoryKv kv;
  lang::Package package;
  engine::ChainState state;

  LargeFanOut() {
    package.root = "main";
    package.programs["main"] = std::make_shared<const lang::Program>(graph({S("each").each().tolerate(kWidth), S("sum").after({0})}));
    state.status = engine::ChainStatus::failed;
    state.definition = "main";
    state.steps.resize(2);
    auto& visit = state.steps[0];
    visit.visit = 1;
    visit.status = engine::VisitStatus::completed;
    visit.fan_out = true;
    visit.width = visit.next = kWidth;
    visit.ok = visit.bad = IndexBits{kWidth};
    visit.entered_at = visit.settled_at = 1;
    storage::Batch batch;
    for (ItemIndex item = 0; item < kWidth; ++item) {
      if (item % 100 != 0) {
        visit.ok.set(item);
        continue;
      }
      visit.bad.set(item);
      auto error = make_error(item % 200 == 0 ? Code::tool_timeout : Code::tool_failed, "it fell over");
      error.details = Json{{"status", item % 1000 == 0 ? 503 : 500}};
      storage::put_item(batch, chain, {0, 1}, item, storage::encode({false, to_json(error).dump(), {}}));
    }
    state.steps[1].visit = 1;
    state.steps[1].status = engine::VisitStatus::failed;
    state.steps[1].entered_at = 1;
    REQUIRE(kv.write(batch, storage::Durability::sync));
  }

  [[nodiscard]] Result<actors::RepairWish> chosen(actors::RepairWish wish) const {
    return add_chosen(wish, {chain, state, package, kv, 5}).map([&] { return wish; });
  }
};

}  // namespace

TEST_CASE("of 100,000 items those run again for which the expression holds, as is said beforehand") {
  const LargeFanOut all;
  const auto [where, count] = GENERATE(table<std::string, std::uint32_t>({
      {R"(error.code == "tool_timeout")", 500},
      {R"(error.code == "tool_failed" and item < 1000)", 5},
      {"error.details.status == 503", 100},
      {R"(step == "each")", 1000},
  }));
  const auto wish = all.chosen({.where = where});
  REQUIRE(wish);
  const auto& items = wish->items.at("each");
  CHECK(items.size() == count);
  items.for_each([&](ItemIndex item) { REQUIRE(all.state.steps[0].bad.test(item)); });
  const auto preview = preview_repair(*wish, {all.chain, all.state, all.package, all.package});
  REQUIRE(preview);
  CHECK(preview->steps[0].items == count);
  const auto retry = repair_of(*wish, {all.chain, all.state, all.package, all.package});
  REQUIRE(retry);
  CHECK(retry->items.at(0) == items);
  CHECK(retry->failures_stand);
}

TEST_CASE("what an expression cannot choose is an error, and without one nothing is chosen") {
  LargeFanOut all;
  CHECK(all.chosen({}).value().items.empty());
  CHECK(all.chosen({.where = "item < 0"}).error().code == Code::chain_state);
  CHECK(all.chosen({.where = "error.details.nothing == 1"}).error().code == Code::chain_state);
  CHECK(all.chosen({.where = "error.code =="}).error().code == Code::expression_syntax);
  CHECK(all.chosen({.where = "item < error"}).error().code == Code::expression_value);
  CHECK(all.chosen({.only_failed = true, .where = "item < 5"}).error().code == Code::usage);
  all.state.status = engine::ChainStatus::pending;
  CHECK(all.chosen({.where = "item < 500"}).value().items.empty());
}

}  // namespace catena::coordinator::test
