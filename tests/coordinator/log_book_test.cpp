// What is stored of what attempts print, and what goes for it: whatever workers send, bounds hold.
#include "coordinator/log_book.hpp"

#include <catch2/catch.hpp>

#include "coordinator/session_logs.hpp"
#include "storage/chain_summary.hpp"
#include "storage/keys.hpp"
#include "storage/memory_kv.hpp"

namespace catena::coordinator::test {
namespace {

struct Book {
  explicit Book(const LogLimits& limits, const std::vector<std::string>& chains = {"c"}) {
    book.emplace(kv, limits);
    storage::Batch batch;
    for (const auto& chain : chains) {
      storage::ChainSummary summary;
      summary.id = ChainId{chain};
      summary.status = "running";
      REQUIRE(storage::put_summary(batch, summary, {}));
    }
    REQUIRE(kv.write(batch, storage::Durability::sync));
  }
  void add(const std::vector<actors::LogPiece>& pieces) {
    storage::Batch batch;
    for (const auto& piece : pieces) REQUIRE(book->add(batch, piece, 1000));
    book->finish(batch);
    REQUIRE(kv.write(batch, storage::Durability::async));
    book->settle();
  }
  [[nodiscard]] std::vector<storage::LogSegment> stored(const std::string& chain = "c") const {
    std::vector<storage::LogSegment> segments;
    REQUIRE(storage::scan_segments(kv, ChainId{chain}, 1, [&](std::uint64_t, const storage::LogSegment& segment) {
      segments.push_back(segment);
      return true;
    }));
    return segments;
  }
  [[nodiscard]] storage::LogTotals totals(const std::string& chain = "c") const { return storage::load_log_totals(kv, ChainId{chain}).value(); }
  storage::MemoryKv kv;
  std::optional<LogBook> book;
};

actors::LogPiece printed(std::uint32_t item, std::uint64_t offset, std::size_t bytes, const std::string& chain = "c") {
  actors::LogPiece piece;
  piece.chain = chain;
  piece.step = "a";
  piece.visit = 1;
  piece.item = item;
  piece.offset = offset;
  piece.text = std::string(bytes, 'x');
  return piece;
}

std::uint64_t sum_of(const std::vector<storage::LogSegment>& segments) {
  std::uint64_t bytes = 0;
  for (const auto& segment : segments) bytes += segment.text.size() + actors::kLogPieceCost;
  return bytes;
}

}  // namespace

TEST_CASE("of an attempt the beginning and the end stay, however long it prints") {
  Book book{{.attempt_max = 1000}};
  for (std::uint64_t offset = 0; offset < 10'000; offset += 100) book.add({printed(3, offset, 100)});
  const auto stored = book.stored();
  REQUIRE(stored.size() == 10);
  for (std::size_t at = 0; at < 5; ++at) {
    CHECK(stored[at].offset == at * 100);
    CHECK(stored[at + 5].offset == 9500 + at * 100);
  }
  CHECK(book.totals().bytes == sum_of(stored));
}

TEST_CASE("of a chain the newest stay, and how much went is known") {
  Book book{{.attempt_max = 1U << 20U, .chain_max = 10'000}};
  for (std::uint32_t item = 0; item < 100; ++item) book.add({printed(item, 0, 400)});
  const auto stored = book.stored();
  CHECK(sum_of(stored) <= 10'000 + 400 + actors::kLogPieceCost);
  CHECK(sum_of(stored) > 8'000);
  CHECK(stored.back().item == 99);
  CHECK(stored.front().item == 100 - stored.size());
  const auto totals = book.totals();
  CHECK(totals.bytes == sum_of(stored));
  CHECK(totals.first == 101 - stored.size());
  CHECK(totals.dropped == (100 - stored.size()) * 400);
}

TEST_CASE("a book that begins anew goes on with the numbers and bounds of what is stored") {
  Book book{{.attempt_max = 1U << 20U, .chain_max = 10'000}};
  book.add({printed(0, 0, 400), printed(1, 0, 400)});
  book.book.emplace(book.kv, LogLimits{.chain_max = 10'000});
  book.add({printed(2, 0, 400)});
  CHECK(book.stored().size() == 3);
  CHECK(book.totals().next == 4);
  CHECK(book.totals().bytes == sum_of(book.stored()));
}

TEST_CASE("nothing is stored of a chain that does not exist, or that was removed meanwhile") {
  Book book{{}, {"c", "d"}};
  book.add({printed(0, 0, 10, "gone"), printed(0, 0, 10), printed(0, 0, 10, "d")});
  CHECK(book.stored("gone").empty());
  CHECK(book.stored().size() == 1);
  storage::Batch batch;
  batch.remove(storage::keys::summary(ChainId{"c"}));
  batch.remove(storage::keys::log_segment(ChainId{"c"}, 0));
  batch.remove(storage::keys::log_segment(ChainId{"c"}, 1));
  REQUIRE(book.kv.write(batch, storage::Durability::sync));
  book.add({printed(0, 10, 10), printed(1, 0, 10, "d")});
  CHECK(book.stored().empty());
  CHECK(book.totals() == storage::LogTotals{});
  CHECK(book.stored("d").size() == 2);
}

TEST_CASE("a chain that has the id of one that was removed begins with nothing of it") {
  Book book{{.attempt_max = 1000, .chain_max = 100'000}};
  for (std::uint64_t offset = 0; offset < 5000; offset += 100) book.add({printed(3, offset, 100)});
  const auto logs = storage::keys::logs_of(ChainId{"c"});
  storage::Batch batch;
  REQUIRE(book.kv.scan(logs.from, logs.to, [&](std::string_view key, std::string_view) {
    batch.remove(key);
    return true;
  }));
  storage::ChainSummary again;
  again.id = ChainId{"c"};
  again.status = "running";
  again.started_at = 7;
  REQUIRE(storage::put_summary(batch, again, {}));
  REQUIRE(book.kv.write(batch, storage::Durability::sync));
  for (std::uint64_t offset = 0; offset < 600; offset += 100) book.add({printed(3, offset, 100)});
  CHECK(book.stored().size() == 6);
  CHECK(book.totals() == storage::LogTotals{1, 7, sum_of(book.stored()), 0});
}

TEST_CASE("a worker may store only for orders that it was given, and no more than it has credit for") {
  SessionLogs logs;
  actors::Welcome welcome;
  logs.begin_link(welcome, {.keep = actors::LogKeep::failed, .attempt_max = 77});
  CHECK(welcome.logs == actors::LogKeep::failed);
  CHECK(welcome.log_attempt_max == 77);
  CHECK(welcome.log_credit == actors::kLogCreditBytes);
  actors::WorkOrder order;
  order.chain = "c";
  order.grant = 5;
  order.step = "fetch";
  order.visit = 3;
  CHECK(logs.add(order).pieces.empty());
  auto own = printed(1, 0, 100);
  own.grant = 5;
  own.step = "a lie";
  auto foreign = printed(1, 0, 100, "other");
  foreign.grant = 5;
  auto large = printed(1, 0, actors::kLogPieceBytes + 1);
  large.grant = 5;
  const auto came = logs.accept({{own, foreign, large}, 0}, /*unclaimed=*/false);
  REQUIRE(came.pieces.size() == 1);
  CHECK(came.pieces.front().step == "fetch");
  CHECK(came.pieces.front().visit == 3);
  CHECK(came.bytes == own.cost() + foreign.cost() + large.cost());
  // More than it has credit for.
  actors::LogPieces much;
  for (int at = 0; at < 20; ++at) {
    auto piece = printed(1, 0, actors::kLogPieceBytes - actors::kLogPieceCost);
    piece.grant = 5;
    much.pieces.push_back(piece);
  }
  const auto accepted = logs.accept(much, /*unclaimed=*/false);
  CHECK(accepted.pieces.size() == 6);
  CHECK(accepted.bytes == 20 * actors::kLogPieceBytes);
  const auto credit = logs.stored({came.bytes, came.link});
  REQUIRE(credit);
  CHECK(credit->bytes == came.bytes);
  logs.begin_link(welcome, {});
  CHECK_FALSE(logs.stored({came.bytes, came.link}));  // of the link before
}

TEST_CASE("what a worker printed while the coordinator was away waits until its orders are claimed") {
  SessionLogs logs;
  actors::Welcome welcome;
  logs.begin_link(welcome, {});
  auto early = printed(1, 0, 100);
  early.grant = 5;
  auto other = printed(1, 0, 100, "other");
  CHECK(logs.accept({{early, other}, 0}, /*unclaimed=*/true).pieces.empty());
  actors::WorkOrder order;
  order.chain = "c";
  order.grant = 5;
  order.step = "fetch";
  order.visit = 3;
  const auto came = logs.add(order);
  REQUIRE(came.pieces.size() == 1);
  CHECK(came.pieces.front().step == "fetch");
  CHECK(came.bytes == early.cost());
  CHECK(logs.add(order).pieces.empty());
  const auto dropped = logs.drop_waiting();
  CHECK(dropped.bytes == other.cost());
  CHECK(logs.drop_waiting().bytes == 0);
}

}  // namespace catena::coordinator::test
