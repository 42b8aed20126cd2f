// What attempts print, on its way over a worker's link: with credit, behind reports, and lost without harm. In virtual time.
#include <catch2/catch.hpp>

#include "tests/worker/uplink_stage.hpp"

namespace catena::worker::test {
namespace {

constexpr std::uint64_t kPieceCost = 1000 + actors::kLogPieceCost;

actors::LogPiece piece_of(std::uint32_t item) { return {"c", 1, item, 1, actors::LogStream::standard_error, 0, std::string(1000, 'x')}; }

struct LogStage : Stage {
  explicit LogStage(std::uint64_t credit = actors::kLogCreditBytes) {
    actors::Welcome welcome{actors::kProtocolMost, 1, "store", "life", 10, "1.2.3", kLease.count(), kBeat.count()};
    welcome.logs = actors::LogKeep::all;
    welcome.log_attempt_max = 5000;
    welcome.log_credit = credit;
    welcome_with(welcome);
  }
  void print(std::uint32_t item) {
    logs->offer(piece_of(item));
    run();
  }
  [[nodiscard]] std::vector<std::uint32_t> came() {
    std::vector<std::uint32_t> items;
    for (const auto& message : far().all<actors::LogPieces>()) {
      for (const auto& piece : message.pieces) items.push_back(piece.item);
    }
    return items;
  }
};

}  // namespace

TEST_CASE("a coordinator says what workers keep, and one of an earlier version gets nothing") {
  LogStage stage;
  CHECK(stage.logs->keep() == actors::LogKeep::all);
  CHECK(stage.logs->attempt_max() == 5000);
  stage.print(1);
  CHECK(stage.came() == std::vector<std::uint32_t>{1});
  stage.lose_link();
  stage.welcome();  // without a word about it
  CHECK(stage.logs->keep() == actors::LogKeep::none);
  stage.print(2);
  CHECK(stage.came().empty());
}

TEST_CASE("what attempts print leaves as far as there is credit, and goes on when there is more") {
  LogStage stage{2 * kPieceCost};
  for (std::uint32_t item = 0; item < 5; ++item) stage.print(item);
  CHECK(stage.came() == std::vector<std::uint32_t>{0, 1});
  stage.say(actors::LogCredit{kPieceCost});
  CHECK(stage.came() == std::vector<std::uint32_t>{0, 1, 2});
  stage.say(actors::LogCredit{10 * kPieceCost});
  CHECK(stage.came() == std::vector<std::uint32_t>{0, 1, 2, 3, 4});
}

TEST_CASE("a report leaves before what attempts printed earlier, and does not wait for it") {
  LogStage stage{0};
  stage.order({0, 1});
  for (std::uint32_t item = 0; item < 100; ++item) stage.print(item);
  stage.finish(0);
  CHECK(stage.far().reported() == Items{0});
  CHECK(stage.came().empty());
  // The link is full of a report: the credit that comes then is not used before the rest of it has left.
  stage.line()->mute = true;
  stage.finish(1, 0, '"' + std::string(3UL << 20U, 'r') + '"');
  CHECK(stage.far().reported() == Items{0});
  stage.line()->mute = false;
  stage.say(actors::LogCredit{kPieceCost});
  stage.advance(Stage::kBeat);
  CHECK(stage.far().reported() == Items{0, 1});
  CHECK(stage.came() == std::vector<std::uint32_t>{0});
  const auto& heard = stage.far().heard;
  const auto is_log = [](const auto& message) { return std::holds_alternative<actors::LogPieces>(message); };
  const auto log = std::ranges::find_if(heard, is_log);
  const auto reports_behind =
      std::count_if(log, heard.end(), [](const auto& message) { return std::holds_alternative<actors::WorkReport>(message); });
  CHECK(reports_behind == 0);
}

TEST_CASE("what is printed without a link waits as far as there is room, and comes with the next one, with what was dropped") {
  LogStage stage;
  stage.order({0});
  stage.lose_link();
  const auto pieces = static_cast<std::uint32_t>(LogBuffer::kBytesMax / kPieceCost + 10);
  for (std::uint32_t item = 0; item < pieces; ++item) stage.print(item);
  actors::Welcome welcome{actors::kProtocolMost, 1, "store", "life", 10, "1.2.3", Stage::kLease.count(), Stage::kBeat.count()};
  welcome.logs = actors::LogKeep::all;
  welcome.log_attempt_max = 5000;
  welcome.log_credit = 2 * kPieceCost;
  stage.welcome_with(welcome);
  const auto came = stage.far().all<actors::LogPieces>();
  REQUIRE(came.size() == 1);
  CHECK(came.front().pieces.size() == 2);
  CHECK(came.front().dropped > 0);
  CHECK(came.front().dropped % 1000 == 0);
}

TEST_CASE("a worker that drains sends what its attempts printed before it leaves") {
  LogStage stage{kPieceCost};
  stage.print(1);
  stage.print(2);
  CHECK(stage.came() == std::vector<std::uint32_t>{1});
  stage.line()->mute = true;
  stage.tell(Drain{});
  stage.line()->mute = false;
  stage.say(actors::LogCredit{kPieceCost});
  stage.advance(Stage::kBeat * 3);
  CHECK(stage.came() == std::vector<std::uint32_t>{1, 2});
  CHECK(stage.far().all<actors::Goodbye>().size() == 1);
}

}  // namespace catena::worker::test
