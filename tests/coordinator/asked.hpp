#pragma once
// An inspector over a store that a test fills and that counts what is read of it, and one beside a fixture.
#include <catch2/catch.hpp>

#include "coordinator/inspect/inspector.hpp"
#include "tests/coordinator/fixture.hpp"

namespace catena::coordinator::test {

/// A store that counts what is read of it.
class CountingKv final : public storage::Kv {
 public:
  [[nodiscard]] Result<std::optional<std::string>> get(std::string_view key) const override {
    ++gets;
    return inner.get(key);
  }
  [[nodiscard]] Result<void> scan(std::string_view from, std::string_view to, const Visitor& visitor) const override {
    ++scans;
    return inner.scan(from, to, [&](std::string_view key, std::string_view value) {
      ++entries;
      return visitor(key, value);
    });
  }
  [[nodiscard]] Result<void> write(const storage::Batch& batch, storage::Durability durability) override { return inner.write(batch, durability); }
  [[nodiscard]] std::uint64_t epoch() const override { return inner.epoch(); }
  [[nodiscard]] std::uint64_t commit() const override { return inner.commit(); }
  [[nodiscard]] std::uint64_t durable_commit() const override { return inner.durable_commit(); }

  storage::MemoryKv inner;
  mutable int gets = 0;
  mutable int scans = 0;
  mutable int entries = 0;
};

class FixedClock final : public Clock {
 public:
  [[nodiscard]] UnixMillis now() const override { return 1'700'000'000'000; }
};

struct Asked {
  explicit Asked(ListBounds bounds = {}) : inspector{kv, kCatalog, clock, bounds} {}

  CountingKv kv;
  FixedClock clock;
  Inspector inspector;

  void add(const std::string& id, const std::string& status, UnixMillis started_at, const std::string& parent = {}, bool current = true) {
    storage::ChainSummary summary;
    summary.id = {id};
    summary.name = "a chain of many";
    summary.status = status;
    summary.parent = parent;
    summary.started_at = started_at;
    if (engine::terminal(engine::chain_status_named(status).value())) summary.finished_at = started_at + 1;
    summary.extra = Json{{"steps", 3}, {"settled", 2}};
    if (current) summary.extra["current"] = true;
    storage::Batch batch;
    REQUIRE(storage::put_summary(batch, summary, {}));
    engine::ChainStarted started;
    started.steps = 4;
    storage::append_events(batch, summary.id, 1, 1, engine::encode(started));
    REQUIRE(kv.write(batch, storage::Durability::sync));
  }
  /// All pages: the ids, and how many pages there were.
  std::pair<Words, int> listed(ListChains ask) {
    Words ids;
    int pages = 0;
    do {
      const auto page = inspector.answer(ask).value();
      for (const auto& chain : page.chains) ids.push_back(chain.id.value);
      ask.cursor = page.cursor;
      ++pages;
    } while (!ask.cursor.empty());
    return {ids, pages};
  }
};

/// Questions about what a fixture has run.
struct Beside {
  explicit Beside(const Fixture& f) : inspector{f.kv, kCatalog, clock} {}
  FixedClock clock;
  Inspector inspector;
};

}  // namespace catena::coordinator::test
