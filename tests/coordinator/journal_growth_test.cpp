// The journal of a fan-out grows with what is decided, not with its width: ADR 3.
#include <catch2/catch.hpp>

#include "storage/keys.hpp"
#include "tests/coordinator/fixture.hpp"

namespace catena::coordinator::test {
namespace {

using engine::ChainStatus;

constexpr std::size_t kRecordsBesides = 40;  // the beginning and the end of the chain, and the orders it tries out at first

struct Journal {
  std::size_t records = 0;
  std::size_t bytes = 0;
};
Journal journal_of(const Fixture& f, const std::string& chain = "c") {
  Journal journal;
  const auto range = storage::keys::events(ChainId{chain}, 1);
  const auto scanned = f.kv.scan(range.from, range.to, [&](std::string_view, std::string_view value) {
    ++journal.records;
    journal.bytes += value.size();
    return true;
  });
  REQUIRE(scanned);
  return journal;
}

Journal run(int items, const std::string& more, std::int64_t us_per_item, const std::function<Reply(const actors::Attempted&)>& reply) {
  Fixture f{{.workers = {{.slots = 4}}, .settings = {.ticket_kept_ms = 60'000}}};
  f.script.otherwise = reply;
  f.script.reports_orders = true;
  f.script.took_us = [us_per_item](const std::string&) { return us_per_item; };
  const auto ended = f.complete(pin(composite({step("a", over(items) + more)})));
  CHECK(ended.status == ChainStatus::succeeded);
  return journal_of(f);
}

const auto kEcho = [](const actors::Attempted& attempt) { return answer(attempt.arguments); };
const auto kThirdTime = [](const actors::Attempted& attempt) {
  return attempt.attempt < 3 ? failure(Code::tool_temporary, true) : answer(attempt.arguments);
};
std::string with_retries(const std::string& pause) { return R"(, "retry": {"max_attempts": 3, "initial_interval": ")" + pause + R"("})"; }

TEST_CASE("n fast items are written in n/100 records and a few") {
  constexpr int kItems = 20'000;
  const auto journal = run(kItems, "", 20, kEcho);
  CHECK(journal.records <= kItems / 100 + kRecordsBesides);
}

TEST_CASE("n items that each take an order of their own are written in n records of less than 400 bytes and a few") {
  constexpr int kItems = 2000;
  const auto journal = run(kItems, "", 100'000, kEcho);
  CHECK(journal.records >= kItems / 2);  // they went one by one
  CHECK(journal.records <= kItems + kRecordsBesides);
  CHECK(journal.bytes <= (kItems + kRecordsBesides) * 400);
}

/// While others keep all slots busy, the next attempt is granted in the turn that takes a report.
TEST_CASE("n items that come one by one and fail twice are written in 3n records and a few") {
  constexpr int kItems = 1000;
  const auto journal = run(kItems, with_retries("20ms"), 100'000, [](const auto& attempt) { return late(Millis{10}, kThirdTime(attempt)); });
  CHECK(journal.records >= kItems);
  CHECK(journal.records <= 3 * kItems + kRecordsBesides);
}

TEST_CASE("n items that fail twice by the hundred are written in 3n/100 records and a few") {
  constexpr int kItems = 20'000;
  const auto journal = run(kItems, with_retries("1s"), 20, kThirdTime);
  CHECK(journal.records <= 3 * kItems / 100 + kRecordsBesides);
}

TEST_CASE("what is read of a journal does not depend on how many events a record holds") {
  Fixture f;
  f.script.on("c/a/1", 1, failure(Code::tool_temporary, true));
  f.submit(pin(composite({step("a", over(3) + with_retries("1s")), step("b", R"("dependencies": ["a"])")})));
  CHECK(f.finish().status == ChainStatus::succeeded);
  const auto all = f.history();
  CHECK(all.size() > journal_of(f).records);
  for (Sequence from = 1; from <= all.size() + 1; ++from) {
    CAPTURE(from);
    std::vector<engine::Event> read;
    auto expected = from;
    REQUIRE(read_history(
        f.kv, ChainId{"c"},
        [&](Sequence sequence, const engine::Event& event) {
          CHECK(sequence == expected++);
          read.push_back(event);
          return true;
        },
        from));
    REQUIRE(read.size() == all.size() + 1 - from.value);
    for (std::size_t at = 0; at < read.size(); ++at) CHECK(engine::to_json(read[at]) == engine::to_json(all[from.value - 1 + at]));
  }
}

}  // namespace
}  // namespace catena::coordinator::test
