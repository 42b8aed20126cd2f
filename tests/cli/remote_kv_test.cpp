#include "cli/remote_kv.hpp"

#include <catch2/catch.hpp>

#include "coordinator/recover.hpp"
#include "storage/chain_store.hpp"
#include "storage/memory_kv.hpp"

namespace catena::cli::test {
namespace {

/// A coordinator's store, and how often a client asked for something of it.
struct Counted {
  storage::MemoryKv kv;
  int gets = 0;
  int pages = 0;

  [[nodiscard]] RemoteKv remote() {
    return RemoteKv{[this](const coordinator::ClientAsk& ask) -> Result<std::string> {
      if (const auto* get = std::get_if<coordinator::GetCall>(&ask)) {
        ++gets;
        return coordinator::encode_answer(coordinator::Value{kv.get(get->key).value()});
      }
      const auto& scan = std::get<coordinator::ScanCall>(ask);
      ++pages;
      coordinator::PageWriter page;
      REQUIRE(kv.scan(scan.from, scan.to, [&](std::string_view key, std::string_view value) { return page.add(key, value); }));
      return coordinator::encode_answer(std::move(page).take());
    }};
  }

  void add(const std::string& id, const std::string& status, UnixMillis started_at) {
    storage::ChainSummary summary;
    summary.id = {id};
    summary.name = "a chain of many";
    summary.status = status;
    summary.started_at = started_at;
    summary.extra = Json{{"steps", 3}, {"settled", 2}};
    storage::Batch batch;
    REQUIRE(storage::put_summary(batch, summary, {}));
    engine::ChainStarted started;
    started.steps = 3;
    storage::append_event(batch, summary.id, 1, engine::encode(started));
    REQUIRE(kv.write(batch, storage::Durability::sync));
  }
};

}  // namespace

TEST_CASE("listing the chains of a cluster asks for pages of the index, however many chains there are") {
  Counted store;
  constexpr int kChains = 2'000;
  for (int chain = 0; chain < kChains; ++chain) store.add("c" + std::to_string(chain), chain % 2 == 0 ? "succeeded" : "failed", chain);
  const auto kv = store.remote();
  int listed = 0;
  REQUIRE(storage::list_summaries(kv, {}, [&](const storage::ChainSummary& summary) {
    CHECK(summary.id.value == "c" + std::to_string(kChains - ++listed));
    CHECK(summary.extra["settled"] == 2);
    return true;
  }));
  CHECK(listed == kChains);
  CHECK(store.gets == 0);
  CHECK(store.pages <= 4);
  store.pages = 0;
  REQUIRE(storage::list_summaries(kv, {.statuses = {"failed"}, .count_max = 10}, [](const storage::ChainSummary&) { return true; }));
  CHECK(store.gets == 0);
  CHECK(store.pages == 1);
}

TEST_CASE("how far a running chain has come is asked for twice: its checkpoint, and the journal behind it") {
  Counted store;
  store.add("c", "running", 1);
  const auto kv = store.remote();
  REQUIRE(storage::list_summaries(kv, {}, [&](const storage::ChainSummary& summary) {
    store.gets = store.pages = 0;
    const auto recovered = coordinator::recover_state(kv, summary);
    REQUIRE(recovered);
    CHECK(recovered->state.steps.size() == 3);
    return true;
  }));
  CHECK(store.gets == 1);
  CHECK(store.pages == 1);
}

}  // namespace catena::cli::test
