// Why nothing moves, in lines.
#include "cli/show/standstill.hpp"

#include <catch2/catch.hpp>

namespace catena::cli::test {
namespace {

using engine::Reason;
using engine::ReasonCode;
using Lines = std::vector<std::string>;

Lines texts(const std::vector<StandstillLine>& lines) {
  Lines all;
  for (const auto& line : lines) all.push_back(line.text);
  return all;
}

}  // namespace

TEST_CASE("what holds up a chain is said, and what runs is not") {
  FamilyReasons family;
  family.own.chain = ChainId{"x"};
  family.own.now = 5'000;
  const Reason runs{.code = ReasonCode::attempts, .step = "a", .count = 3};
  const Reason blocked{.code = ReasonCode::steps, .step = "b", .names = {"a"}, .count = 1};
  const Reason retry{.code = ReasonCode::backoff, .step = "c", .item = 4, .at = 60'000};
  auto another = retry;
  another.item = 5;
  const Reason lacks{.code = ReasonCode::not_offered, .step = "numbers", .text = "no worker has label gpu=h100; w1 lacks only that"};
  family.own.reasons = {{.code = ReasonCode::paused, .text = "lunch", .by = "ann"}, lacks, retry, another, blocked, runs};
  CHECK(texts(standstill_lines(family)) == Lines{"it is paused by ann: lunch; `catena unpause x` lets it go on",
                                                 "numbers: no worker has label gpu=h100; w1 lacks only that",
                                                 "c: next attempt at 1970-01-01T00:01:00.000Z"});
  CHECK(reason_lines(family)[2] == "c/4: next attempt in 55s (1970-01-01T00:01:00.000Z)");
  family.own.reasons = {blocked, runs};
  CHECK(standstill_lines(family).empty());
  const Reason busy{.code = ReasonCode::workers_busy, .step = "a", .names = {"w1"}, .count = 1};
  family.own.reasons = {busy, runs};
  CHECK(standstill_lines(family).empty());  // some of its own run
  family.own.reasons = {busy, blocked};
  CHECK(texts(standstill_lines(family)) == Lines{"a: all workers that fit are busy: w1"});
  family.below = {{ChainId{"x/s/1"}, 2, lacks}};
  CHECK(texts(standstill_lines(family)).back() == "chain 'x/s/1' and 2 more: numbers: no worker has label gpu=h100; w1 lacks only that");
}

namespace {

/// Chains that stand still and say why.
class StillChains final : public client::ChainsPort {
 public:
  [[nodiscard]] Result<client::Submitted> submit(actors::Submission) override { return client::Submitted{}; }
  [[nodiscard]] Result<coordinator::TokenTold> create_token(const actors::CreateToken&) override { return coordinator::TokenTold{}; }
  [[nodiscard]] Result<void> revoke_token(const std::string&) override { return {}; }
  [[nodiscard]] Result<actors::ScheduleDone> put_schedule(const actors::PutSchedule&) override { return actors::ScheduleDone{}; }
  [[nodiscard]] Result<actors::ScheduleDone> order_schedule(const actors::OrderSchedule&) override { return actors::ScheduleDone{}; }
  [[nodiscard]] Result<void> fork(actors::ForkChain) override { return {}; }
  [[nodiscard]] Result<void> resume(const ChainId&, const std::string&) override { return {}; }
  [[nodiscard]] Result<actors::ChainsRemoved> remove(const std::vector<ChainId>&, UnixMillis, const std::string&) override {
    return actors::ChainsRemoved{};
  }
  [[nodiscard]] Result<void> control(actors::Control) override { return {}; }
  [[nodiscard]] Result<std::optional<actors::ChainEnded>> wait(const ChainId&, std::chrono::milliseconds, const Watcher&) override {
    return std::nullopt;
  }
  [[nodiscard]] Result<std::vector<Reason>> explain(const ChainId&, const std::string&) override { return reasons; }
  [[nodiscard]] Result<std::vector<actors::QueueGroup>> queue() override { return std::vector<actors::QueueGroup>{}; }
  [[nodiscard]] client::Questions& questions() override { return questions_; }
  [[nodiscard]] bool elsewhere() const override { return false; }

  std::vector<Reason> reasons;

 private:
  class NoAnswers final : public client::Questions {
    [[nodiscard]] Result<coordinator::Answer> answer_any(const coordinator::Question& question) override {
      if (std::holds_alternative<coordinator::AskWaits>(question)) {
        coordinator::ChainWaits waits;
        waits.workers_decide = true;
        return waits;
      }
      return coordinator::ChainPage{};
    }
  };
  NoAnswers questions_;
};

}  // namespace

TEST_CASE("a standstill is told after two seconds, each reason once, and again after the chain has moved") {
  StillChains chains;
  chains.reasons = {{.code = ReasonCode::workers_busy, .step = "a", .names = {"w1"}, .count = 1}};
  Standstill standstill{chains, ChainId{"c"}, 0};
  actors::Progress progress;
  const Lines busy{"a: all workers that fit are busy: w1"};
  CHECK(standstill.look(std::nullopt, 5'000).empty());
  CHECK(standstill.look(progress, 1'900).empty());
  CHECK(standstill.look(progress, 2'000) == busy);
  CHECK(standstill.look(progress, 60'000).empty());
  chains.reasons.push_back({.code = ReasonCode::backoff, .step = "b", .at = 70'000});
  CHECK(standstill.look(progress, 66'000) == Lines{"b: next attempt at 1970-01-01T00:01:10.000Z"});
  chains.reasons.back().at = 90'000;
  CHECK(standstill.look(progress, 72'000).empty());  // the same reason at another time
  progress.steps_settled = 1;
  CHECK(standstill.look(progress, 80'000).empty());
  CHECK(standstill.look(progress, 83'000).size() == 2);
}

}  // namespace catena::cli::test
