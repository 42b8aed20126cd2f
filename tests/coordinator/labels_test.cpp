// Labels of chains: where they are recorded, who inherits them, how chains are found by them.
#include <catch2/catch.hpp>

#include "coordinator/inspect/inspector.hpp"
#include "coordinator/verify.hpp"
#include "storage/keys.hpp"
#include "storage/name_index.hpp"
#include "storage/record.hpp"
#include "tests/coordinator/fixture.hpp"

namespace catena::coordinator::test {
namespace {

Pinned labelled_family() {
  return pin(composite({step("sub", over(2), "/inner.tool")}),
             {{"/inner.tool", composite({step("one", R"("arguments": {"x": "REF:arguments.i"})")})}});
}

void submit_labelled(Fixture& f, const Pinned& package, const std::string& chain, ChainLabels labels) {
  actors::Submission submission;
  submission.chain = ChainId{chain};
  submission.package = package;
  submission.definition = package->root;
  submission.arguments = engine::inline_payload("{}");
  submission.labels = std::move(labels);
  f.tell(std::move(submission));
  f.await(chain);
}

Words ids_of(const Fixture& f, ListChains ask) {
  Inspector inspector{f.kv, kCatalog, *f.services()->clock};
  Words ids;
  do {
    const auto page = inspector.answer(ask).value();
    for (const auto& chain : page.chains) ids.push_back(chain.id.value);
    ask.cursor = page.cursor;
  } while (!ask.cursor.empty());
  return ids;
}

/// Lets through what is needed to list by label, and counts it.
class CountedReads final : public storage::Kv {
 public:
  explicit CountedReads(const storage::Kv& kv) : kv_{kv} {}
  [[nodiscard]] Result<std::optional<std::string>> get(std::string_view key) const override { return ++gets, kv_.get(key); }
  [[nodiscard]] Result<void> scan(std::string_view from, std::string_view to, const Visitor& visitor) const override {
    return kv_.scan(from, to, [&](std::string_view key, std::string_view value) { return ++entries, visitor(key, value); });
  }
  [[nodiscard]] Result<void> write(const storage::Batch&, storage::Durability) override { return fail(Code::internal, "read only"); }
  [[nodiscard]] std::uint64_t epoch() const override { return kv_.epoch(); }
  [[nodiscard]] std::uint64_t commit() const override { return kv_.commit(); }
  [[nodiscard]] std::uint64_t durable_commit() const override { return kv_.durable_commit(); }

  mutable int gets = 0;
  mutable int entries = 0;

 private:
  const storage::Kv& kv_;
};

}  // namespace

TEST_CASE("labels are recorded with the chain's start, inherited by its children, and found again after a crash") {
  Fixture f;
  const ChainLabels labels{{"stage", "prod"}, {"team", "a"}};
  submit_labelled(f, labelled_family(), "c", labels);
  CHECK(f.finish().status == engine::ChainStatus::succeeded);
  submit_labelled(f, labelled_family(), "d", {{"team", "b"}});
  f.finish("d");
  f.complete(labelled_family(), "e");
  CHECK(f.state().labels == labels);
  CHECK(f.state("c/sub/1").labels == labels);
  CHECK(std::get<engine::ChainStarted>(f.history().front()).labels == labels);
  f.crash();
  CHECK(ids_of(f, {.parent = ChainId{}, .labels = {{"team", "a"}}}) == Words{"c"});
  CHECK(ids_of(f, {.labels = {{"team", "a"}}}).size() == 3);
  CHECK(ids_of(f, {.parent = ChainId{}, .labels = {{"team", "*"}}}).size() == 2);
  CHECK(ids_of(f, {.parent = ChainId{}, .labels = {{"team", "?"}, {"stage", "pro*"}}}) == Words{"c"});
  CHECK(ids_of(f, {.below = ChainId{"c"}, .labels = {{"team", "a"}}}).size() == 2);
  CHECK(ids_of(f, {.below = ChainId{"c"}, .labels = {{"team", "b"}}}).empty());
  CHECK(ids_of(f, {.statuses = {engine::ChainStatus::failed}, .labels = {{"team", "*"}}}).empty());
  Inspector inspector{f.kv, kCatalog, *f.services()->clock};
  CHECK(inspector.answer(DescribeChain{.chain = ChainId{"c"}}).value().labels == labels);
  CHECK(inspector.answer(ListChains{.limit = 1, .labels = {{"team", "a"}}}).value().chains.front().labels == labels);
  CHECK_FALSE(inspector.answer(ListChains{.labels = {{"no key", "a"}}}));
  const auto verified = verify_store(f.kv, kCatalog).value();
  CHECK(verified.problems == Words{});
}

TEST_CASE("a list by label reads its entries and the chains that it finds, not the others") {
  Fixture f;
  storage::Batch batch;
  constexpr int kChains = 3'000;
  for (int chain = 0; chain < kChains; ++chain) {
    storage::ChainSummary summary;
    summary.id = ChainId{"c" + std::to_string(chain)};
    summary.status = "succeeded";
    summary.started_at = chain;
    summary.finished_at = chain + 1;
    summary.extra = Json{{"steps", 1}, {"settled", 1}, {"current", true}};
    summary.labels = {{"team", chain % 1000 == 0 ? "rare" : "usual"}};
    REQUIRE(storage::put_summary(batch, summary, {}));
  }
  REQUIRE(f.kv.write(batch, storage::Durability::sync));
  const CountedReads counted{f.kv};
  Inspector inspector{counted, kCatalog, *f.services()->clock};
  const auto page = inspector.answer(ListChains{.labels = {{"team", "rare"}}}).value();
  CHECK(page.chains.size() == 3);
  CHECK(counted.gets == 3);
  CHECK(counted.entries == 3);
  CHECK(inspector.answer(ListChains{.only_count = true, .labels = {{"team", "*"}}}).value().matched == kChains);
  // a page goes on behind the one before
  CHECK(ids_of(f, {.labels = {{"team", "u*"}}}).size() == kChains - 3);
}

TEST_CASE("a list by label and status reads as much as the rarer of the two has, of one status and of several") {
  Fixture f;
  storage::Batch batch;
  constexpr int kChains = 3'000;
  Words rare;
  for (int chain = kChains - 1; chain >= 0; --chain) {
    storage::ChainSummary summary;
    summary.id = ChainId{"c" + std::to_string(chain)};
    summary.status = chain % 1000 == 3 ? "failed" : "succeeded";
    summary.started_at = chain;
    summary.finished_at = chain + 1;
    summary.extra = Json{{"steps", 1}, {"settled", 1}, {"current", true}};
    summary.labels = {{"team", chain % 1500 == 3 ? "rare" : "usual"}};
    if (summary.status == "failed" && summary.labels["team"] == "usual") rare.push_back(summary.id.value);
    REQUIRE(storage::put_summary(batch, summary, {}));
  }
  REQUIRE(f.kv.write(batch, storage::Durability::sync));
  using enum engine::ChainStatus;
  CHECK(rare.size() == 2);
  const CountedReads counted{f.kv};
  Inspector inspector{counted, kCatalog, *f.services()->clock};
  const auto listed_ids = [&](const ListChains& ask) {
    Words ids;
    const auto page = inspector.answer(ask).value();
    for (const auto& chain : page.chains) ids.push_back(chain.id.value);
    return ids;
  };
  CHECK(listed_ids({.statuses = {failed}, .labels = {{"team", "usual"}}}) == rare);
  CHECK(listed_ids({.statuses = {failed, cancelled}, .labels = {{"team", "us*"}}}) == rare);
  CHECK(listed_ids({.statuses = {succeeded}, .labels = {{"team", "rare"}}}) == Words{"c1503"});
  CHECK(counted.gets == 0);
  CHECK(counted.entries < 400);
}

TEST_CASE("a list by name reads what chains have that name, and nothing where none has it") {
  Fixture f;
  storage::Batch batch;
  constexpr int kChains = 3'000;
  for (int chain = 0; chain < kChains; ++chain) {
    storage::ChainSummary summary;
    summary.id = ChainId{"c" + std::to_string(chain)};
    summary.name = chain % 1000 == 1 ? "nightly" : "usual";
    summary.status = "succeeded";
    summary.started_at = chain;
    summary.finished_at = chain + 1;
    summary.extra = Json{{"steps", 1}, {"settled", 1}, {"current", true}};
    summary.labels = {{"team", "a"}};
    REQUIRE(storage::put_summary(batch, summary, {}));
  }
  REQUIRE(f.kv.write(batch, storage::Durability::sync));
  const CountedReads counted{f.kv};
  Inspector inspector{counted, kCatalog, *f.services()->clock};
  const auto found = [&](const ListChains& ask) {
    const auto page = inspector.answer(ask).value();
    CHECK(page.cursor.empty());
    return page.chains.size();
  };
  CHECK(found({.name = "nobody"}) == 0);
  CHECK(found({.name = "no*"}) == 0);
  CHECK(found({.name = "nobody", .labels = {{"team", "a"}}}) == 0);
  CHECK(found({.statuses = {engine::ChainStatus::failed, engine::ChainStatus::succeeded}, .name = "nobody"}) == 0);
  CHECK(counted.entries < 10);
  CHECK(found({.name = "nightly"}) == 3);
  CHECK(found({.name = "night*", .labels = {{"team", "a"}}}) == 3);
  CHECK(counted.entries < 250);
}

TEST_CASE("labels that break the bounds are refused, and nothing is left behind") {
  Fixture f;
  submit_labelled(f, labelled_family(), "c", {{"team", "a b"}});
  f.run();
  REQUIRE_FALSE(f.refused.empty());
  CHECK(f.refused.front().error.code == Code::field_value);
  CHECK_FALSE(f.exists());
}

TEST_CASE("a store's look at itself finds labels and names that are missing, and those of nobody") {
  Fixture f;
  submit_labelled(f, labelled_family(), "c", {{"team", "a"}});
  f.finish();
  const auto at = f.state().started_at;
  storage::Batch batch;
  SECTION("missing") {
    batch.remove(storage::keys::label_entry("team=a", at, ChainId{"c"}));
    REQUIRE(f.kv.write(batch, storage::Durability::sync));
    CHECK(verify_store(f.kv, kCatalog).value().problems == Words{"1 entries of labels are missing from their index"});
  }
  SECTION("of nobody") {
    storage::put_record(batch, storage::keys::label_entry("team=b", at, ChainId{"c"}), storage::RecordKind::index, {});
    REQUIRE(f.kv.write(batch, storage::Durability::sync));
    CHECK(verify_store(f.kv, kCatalog).value().problems == Words{"the index of labels has 'team=b' for chain 'c', which does not have it"});
  }
  const auto name = storage::load_summary(f.kv, ChainId{"c"}).value()->name;
  SECTION("a name that is missing") {
    batch.remove(storage::name_entry(name, at, ChainId{"c"}));
    REQUIRE(f.kv.write(batch, storage::Durability::sync));
    CHECK(verify_store(f.kv, kCatalog).value().problems == Words{"1 entries of names are missing from their index"});
  }
  SECTION("a name of nobody") {
    storage::put_record(batch, storage::name_entry("other", 7, ChainId{"c"}), storage::RecordKind::index, {});
    REQUIRE(f.kv.write(batch, storage::Durability::sync));
    const auto problems = verify_store(f.kv, kCatalog).value().problems;
    REQUIRE(problems.size() == 1);
    CHECK(problems.front().starts_with("the index of names has nother"));
  }
}

}  // namespace catena::coordinator::test
