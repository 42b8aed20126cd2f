// Lists of chains, answered from a store: from the indices alone, in bounded pages.
#include <catch2/catch.hpp>

#include "coordinator/inspect/inspector.hpp"
#include "coordinator/recover.hpp"
#include "coordinator/summaries.hpp"
#include "storage/keys.hpp"
#include "tests/coordinator/asked.hpp"

namespace catena::coordinator::test {

TEST_CASE("listing chains reads the index, however many there are, and a summary for each that it shows and that has not ended") {
  Asked asked;
  constexpr int kChains = 2'500;
  for (int chain = 0; chain < kChains; ++chain) asked.add("c" + std::to_string(chain), chain % 2 == 0 ? "running" : "failed", chain);
  const auto [ids, pages] = asked.listed({});
  REQUIRE(ids.size() == kChains);
  CHECK(ids.front() == "c2499");
  CHECK(ids.back() == "c0");
  CHECK(pages == 3);
  CHECK(asked.kv.gets == kChains / 2);
  CHECK(asked.kv.scans == pages);
  CHECK(asked.kv.entries <= kChains + pages);
  const auto page = asked.inspector.answer(ListChains{.statuses = {engine::ChainStatus::running}, .limit = 10}).value();
  CHECK(page.chains.size() == 10);
  CHECK(page.chains.front().id == ChainId{"c2498"});
  CHECK(page.chains.front().steps_settled == 2);
  CHECK(page.chains.front().steps == 3);
  CHECK_FALSE(page.cursor.empty());
  CHECK(asked.kv.gets == kChains / 2 + 11);  // one more says that there are more
  CHECK(asked.inspector.answer(ListChains{.statuses = {engine::ChainStatus::running}, .only_count = true}).value().matched == kChains / 2);
  CHECK(asked.kv.gets == kChains / 2 + 11);
  CHECK(asked.inspector.answer(ListChains{.limit = 4'000'000}).value().chains.size() == kPageRowsMax);
}

TEST_CASE("a start finds unfinished chains in the index, also one whose summary cannot be read") {
  Asked asked;
  asked.add("a", "running", 1);
  asked.add("b", "paused", 2);
  asked.add("c", "failed", 3);
  asked.add("b/s", "running", 4, "b");
  storage::Batch batch;
  batch.put(storage::keys::summary({"a"}), "damage");
  REQUIRE(asked.kv.write(batch, storage::Durability::sync));
  CHECK(unfinished_chains(asked.kv).value() == std::vector<ChainId>{{"b"}, {"a"}});
  CHECK(asked.kv.gets == 0);
}

TEST_CASE("chains are listed by status, by parent and by family, and a cursor goes on behind chains that are gone") {
  Asked asked;
  asked.add("a", "succeeded", 1);
  asked.add("a/s", "running", 2, "a");
  asked.add("a/s/0", "failed", 3, "a/s");
  asked.add("ab", "failed", 4);
  asked.add("b", "paused", 4);
  using enum engine::ChainStatus;
  CHECK(asked.listed({}).first == Words{"ab", "b", "a/s/0", "a/s", "a"});
  CHECK(asked.listed({.parent = ChainId{}}).first == Words{"ab", "b", "a"});
  CHECK(asked.listed({.parent = ChainId{"a"}}).first == Words{"a/s"});
  CHECK(asked.listed({.below = ChainId{"a"}}).first == Words{"a/s", "a/s/0"});
  CHECK(asked.listed({.statuses = {failed}}).first == Words{"ab", "a/s/0"});
  CHECK(asked.listed({.statuses = {failed, paused}, .limit = 1}) == std::pair{Words{"ab", "b", "a/s/0"}, 3});
  CHECK(asked.listed({.cursor = "4.aa"}).first == Words{"ab", "b", "a/s/0", "a/s", "a"});
  CHECK(asked.listed({.cursor = "4.az"}).first == Words{"b", "a/s/0", "a/s", "a"});
  CHECK(asked.listed({.cursor = "-5.x"}).first.empty());
}

TEST_CASE("chains of several statuses are read from the indices of these, and are in one order on every page") {
  Asked asked;
  using enum engine::ChainStatus;
  constexpr int kChains = 3'000;
  Words rare;
  for (int chain = 0; chain < kChains; ++chain) {
    const auto id = "c" + std::to_string(chain);
    const auto* status = chain % 97 == 5 ? "failed" : chain % 61 == 3 ? "running" : "succeeded";
    asked.add(id, status, chain / 3);  // several began at the same time
    if (std::string_view{status} != "succeeded") rare.push_back(id);
  }
  std::ranges::sort(rare, [](const std::string& a, const std::string& b) {
    return std::pair{-(std::stoi(a.substr(1)) / 3), a} < std::pair{-(std::stoi(b.substr(1)) / 3), b};
  });
  for (const std::uint32_t limit : {1U, 2U, 7U, 1000U}) {
    INFO(limit);
    CHECK(asked.listed({.statuses = {failed, running}, .limit = limit}).first == rare);
  }
  asked.kv.entries = 0;
  CHECK(asked.inspector.answer(ListChains{.statuses = {running, failed, cancelled}, .limit = 10}).value().chains.size() == 10);
  CHECK(asked.kv.entries <= 24);
  CHECK(asked.listed({.statuses = {failed, running}, .since = 900}).first.size() ==
        static_cast<std::size_t>(std::ranges::count_if(rare, [](const std::string& id) { return std::stoi(id.substr(1)) / 3 >= 900; })));
}

TEST_CASE("a filter that few chains pass costs a bounded look for one page, and the pages have all together") {
  Asked asked{{.entries_max = 100}};
  asked.add("first", "running", 0);
  for (int chain = 0; chain < 250; ++chain) asked.add("c" + std::to_string(chain), chain % 7 == 0 ? "failed" : "running", 1, "p");
  const auto page = asked.inspector.answer(ListChains{.parent = ChainId{}}).value();
  CHECK(page.chains.empty());
  CHECK_FALSE(page.cursor.empty());
  CHECK(asked.listed({.parent = ChainId{}}) == std::pair{Words{"first"}, 3});
  CHECK(asked.listed({.statuses = {engine::ChainStatus::failed, engine::ChainStatus::running}, .parent = ChainId{}}).first == Words{"first"});
  CHECK(asked.inspector.answer(ListChains{.only_count = true}).value().matched == 100);
}

TEST_CASE("a list of several statuses loses no chain where one of them is costly to look at") {
  Asked asked;
  constexpr int kChains = 200;
  Words wanted;
  storage::Batch batch;
  for (int chain = 0; chain < kChains; ++chain) {
    storage::ChainSummary summary;
    summary.id = ChainId{"c" + std::to_string(chain)};
    summary.status = chain % 2 == 0 ? "failed" : "running";
    summary.started_at = chain;
    summary.extra = Json{{"current", true}};
    // One of them is to be read from the chain's own records.
    if (chain % 2 == 0) {
      summary.extra["context_large"] = true;
    } else {
      summary.extra["context"] = R"({"k":1})";
      wanted.insert(wanted.begin(), summary.id.value);
    }
    REQUIRE(storage::put_summary(batch, summary, {}));
  }
  REQUIRE(asked.kv.write(batch, storage::Durability::sync));
  using enum engine::ChainStatus;
  CHECK(asked.listed({.statuses = {failed, running}, .context = {{"k", "1"}}}).first == wanted);
}

TEST_CASE("a page of a list ends when its time is over, and has moved on") {
  /// Each look at it takes a second.
  class SlowClock final : public Clock {
   public:
    [[nodiscard]] UnixMillis now() const override { return now_ += 1000; }

   private:
    mutable UnixMillis now_ = 1'700'000'000'000;
  };
  Asked asked;
  const SlowClock clock;
  Inspector inspector{asked.kv, kCatalog, clock, {.time_max = Millis{1}}};
  asked.add("first", "running", 0);
  for (int chain = 0; chain < 600; ++chain) asked.add("c" + std::to_string(chain), "running", 1, "p");
  ListChains ask{.parent = ChainId{}};
  Words ids;
  int pages = 0;
  do {
    const auto page = inspector.answer(ask).value();
    for (const auto& chain : page.chains) ids.push_back(chain.id.value);
    ask.cursor = page.cursor;
  } while (!ask.cursor.empty() && ++pages < 10);
  CHECK(ids == Words{"first"});
  CHECK(pages == 2);
}

TEST_CASE(
    "the error of a listed chain says whether a further attempt may succeed as the chain does, and one of an earlier version as its code does") {
  for (const bool retryable : {true, false}) {
    engine::ChainState state;
    state.status = engine::ChainStatus::failed;
    state.error = make_error(Code::tool_failed, "no");
    state.error->retryable = retryable;
    auto summary = summary_of(ChainId{"c"}, "c", state, storage::Durability::sync, 0);
    REQUIRE(coordinator::error_of(summary));
    CHECK(coordinator::error_of(summary)->retryable == retryable);
    summary.extra["error"].erase("retryable");
    CHECK(coordinator::error_of(summary)->retryable == info(Code::tool_failed).retryable);
  }
}

TEST_CASE("a chain of an earlier version is listed as far as its journal says it has come, some for a page") {
  Asked asked;
  constexpr int kOld = 120;
  for (int chain = 0; chain < kOld; ++chain) asked.add("old" + std::to_string(chain), "running", chain, {}, /*current=*/false);
  const auto first = asked.inspector.answer(ListChains{}).value();
  CHECK(first.chains.size() < kOld);
  CHECK(first.chains.front().steps == 4);  // of the journal; the summary says 3
  CHECK(first.chains.front().steps_settled == 0);
  CHECK(asked.listed({}).first.size() == kOld);
  // One that ended has no more to say than its summary.
  asked.add("ended", "failed", 1000, {}, /*current=*/false);
  CHECK(asked.inspector.answer(ListChains{.limit = 1}).value().chains.front().steps == 3);
}

TEST_CASE("how far a running chain has come stands in the index with each step that settles, and not with items") {
  Fixture f{{.workers = {{.slots = 1}}}};
  f.script.otherwise = [](const actors::Attempted&) { return held(); };
  const auto dependencies = R"("dependencies": ["a"])";
  f.submit(pin(composite({step("a"), step("b", std::string{dependencies} + ", " + over(5))})));
  f.run();
  Beside beside{f};
  const auto settled = [&] {
    const auto chain = beside.inspector.answer(ListChains{}).value().chains.front();
    CHECK(chain.steps == 2);
    CHECK(storage::load_summary(f.kv, ChainId{"c"}).value()->extra.at("current") == true);
    return chain.steps_settled;
  };
  CHECK(settled() == 0);
  f.script.release("c/a");
  f.run();
  CHECK(settled() == 1);
  const auto written = storage::load_summary(f.kv, ChainId{"c"}).value()->last_sequence;
  f.script.release("c/b/0");
  f.run();
  CHECK(settled() == 1);
  CHECK(storage::load_summary(f.kv, ChainId{"c"}).value()->last_sequence == written);
  CHECK(f.state().seq > written);
}

}  // namespace catena::coordinator::test
