// What attempts print, from a worker's link into the store and out of it again.
#include <catch2/catch.hpp>

#include "coordinator/inspect/inspector.hpp"
#include "storage/log_store.hpp"
#include "tests/coordinator/far_end.hpp"

namespace catena::coordinator::test {
namespace {

constexpr Millis kStoredAfter{200};

class LogClock final : public Clock {
 public:
  [[nodiscard]] UnixMillis now() const override { return 1'700'000'000'000; }
};

struct LogLook {
  explicit LogLook(const Fixture& f) : inspector{f.kv, kCatalog, clock} {}
  LogPage page(const ReadLogs& ask) {
    auto page = inspector.answer(ask);
    if (!page) FAIL(render(page.error()));
    return std::move(*page);
  }
  LogClock clock;
  Inspector inspector;
};

actors::LogPiece said_by(const actors::WorkOrder& order, std::uint32_t item, std::string text, std::uint64_t offset = 0) {
  actors::LogPiece piece;
  piece.chain = order.chain;
  piece.grant = order.grant;
  piece.item = item;
  piece.offset = offset;
  piece.text = std::move(text);
  return piece;
}

std::uint64_t credit_of(const FarEnd& far) {
  std::uint64_t bytes = 0;
  for (const auto& credit : far.all<actors::LogCredit>()) bytes += credit.bytes;
  return bytes;
}

const ChainId kPrinting{"c"};

}  // namespace

TEST_CASE("what a worker's attempts print is stored while they run, and the worker gets its credit back") {
  Cluster c;
  FarEnd far{c.f.system};
  c.greet(far);
  REQUIRE(far.welcomes.front().logs == actors::LogKeep::all);
  CHECK(far.welcomes.front().log_credit == actors::kLogCreditBytes);
  c.f.submit(pin(composite({step("a", over(3))})));
  c.f.run();
  const auto order = far.all<actors::WorkOrder>().front();
  const auto first = said_by(order, 0, "one\n");
  far.say(actors::LogPieces{{first}, 0});
  c.f.run();
  CHECK(credit_of(far) == 0);
  c.pass(kStoredAfter, {&far});
  CHECK(credit_of(far) == first.cost());
  LogLook look{c.f};
  auto page = look.page({.chain = kPrinting});
  REQUIRE(page.rows.size() == 1);
  const auto& row = page.rows.front();
  CHECK(row.step == "a");
  CHECK(row.visit == 1);
  CHECK(row.item == 0U);
  CHECK(row.attempt == 1);
  CHECK(row.text == "one\n");
  CHECK(row.at > 0);
  CHECK_FALSE(page.more);
  // What comes later begins there; also behind the report, and of another attempt.
  far.script = echo;
  far.answer_all();
  auto again = said_by(order, 0, "two\n", 4);
  again.attempt = 2;
  far.say(actors::LogPieces{{said_by(order, 0, "end\n", 4), again}, 0});
  CHECK(c.f.finish().status == engine::ChainStatus::succeeded);
  c.pass(kStoredAfter, {&far});
  page = look.page({.chain = kPrinting, .first = page.next});
  REQUIRE(page.rows.size() == 2);
  CHECK(page.rows[0].text == "end\n");
  CHECK(page.rows[1].attempt == 2);
  CHECK(look.page({.chain = kPrinting, .first = page.next}).rows.empty());
}

TEST_CASE("pieces for what a worker was not given are not stored, and cost it nothing") {
  Cluster c;
  FarEnd far{c.f.system};
  c.greet(far);
  c.f.submit(pin(composite({step("a")})));
  c.f.run();
  auto order = far.all<actors::WorkOrder>().front();
  far.answer_all();
  CHECK(c.f.finish().status == engine::ChainStatus::succeeded);
  order.grant = GrantId{order.grant.value + 100};
  const auto piece = said_by(order, 0, "a lie\n");
  far.say(actors::LogPieces{{piece}, 0});
  c.pass(kStoredAfter, {&far});
  CHECK(credit_of(far) == piece.cost());
  LogLook look{c.f};
  CHECK(look.page({.chain = kPrinting}).rows.empty());
  CHECK(far.linked());
}

TEST_CASE("a worker that sends more than it has credit for has it dropped") {
  Cluster c;
  FarEnd far{c.f.system};
  c.greet(far);
  c.f.submit(pin(composite({step("a")})));
  c.f.run();
  const auto order = far.all<actors::WorkOrder>().front();
  const std::string text(actors::kLogPieceBytes, 'x');
  for (std::uint64_t at = 0; at < 20; ++at) far.say(actors::LogPieces{{said_by(order, 0, text, at * text.size())}, 0});
  c.pass(kStoredAfter, {&far});
  LogLook look{c.f};
  const auto stored = look.page({.chain = kPrinting}).rows.size();
  CHECK(stored > 0);
  CHECK(stored <= actors::kLogCreditBytes / text.size());
  far.answer_all();
  CHECK(c.f.finish().status == engine::ChainStatus::succeeded);
}

TEST_CASE("logs are read in pages, by step, item, attempt and stream") {
  Fixture f;
  f.complete(pin(composite({step("a", over(3)), step("b")})));
  storage::Batch batch;
  std::uint64_t number = 1;
  const std::string text(10'000, 'x');
  for (std::uint32_t item = 0; item < 3; ++item) {
    for (std::uint32_t attempt = 1; attempt <= 2; ++attempt) {
      for (std::uint8_t stream = 0; stream < 2; ++stream) {
        for (std::uint64_t part = 0; part < 5; ++part) {
          storage::LogSegment segment{"a", 1, item, attempt, stream, part * text.size(), 1000, text};
          storage::put_segment(batch, kPrinting, number++, segment);
        }
      }
    }
  }
  storage::put_segment(batch, kPrinting, number++, {"b", 1, 0, 1, 0, 0, 1000, "of b"});
  storage::put_log_totals(batch, kPrinting, {1, number, 0, 77});
  REQUIRE(f.kv.write(batch, storage::Durability::sync));
  LogLook look{f};
  ReadLogs ask{.chain = kPrinting};
  std::size_t rows = 0;
  std::size_t pages = 0;
  for (bool more = true; more; ++pages) {
    const auto page = look.page(ask);
    CHECK(page.dropped == 77);
    CHECK(page.rows.size() * text.size() < 2 * kPageBytesMax);
    rows += page.rows.size();
    ask.first = page.next;
    more = page.more;
  }
  CHECK(rows == 61);
  CHECK(pages >= 3);
  CHECK(look.page({.chain = kPrinting, .step = "a", .item = 1U, .attempt = 2}).rows.size() == 10);
  CHECK(look.page({.chain = kPrinting, .step = "a", .item = 1U, .attempt = 2, .stream = actors::LogStream::standard_output}).rows.size() == 5);
  const auto plain = look.page({.chain = kPrinting, .step = "b"});
  REQUIRE(plain.rows.size() == 1);
  CHECK_FALSE(plain.rows.front().item);
  CHECK(plain.rows.front().text == "of b");
  const auto wrong = look.inspector.answer(ReadLogs{.chain = kPrinting, .step = "aa"});
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().code == Code::usage);
  CHECK(look.inspector.answer(ReadLogs{.chain = ChainId{"no"}}).error().code == Code::chain_not_found);
}

}  // namespace catena::coordinator::test
