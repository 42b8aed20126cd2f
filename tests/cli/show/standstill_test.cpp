// Why nothing moves, in lines.
#include "cli/show/standstill.hpp"

#include <catch2/catch.hpp>

namespace catena::cli::test {
namespace {

using coordinator::Wait;
using coordinator::WaitKind;
using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("what holds up a chain is said, and what runs is not") {
  coordinator::ChainWaits waits;
  waits.now = 5'000;
  Wait runs{.kind = WaitKind::attempts, .step = "a", .count = 3};
  Wait blocked{.kind = WaitKind::steps, .step = "b", .steps = {"a"}, .count = 1};
  Wait retry{.kind = WaitKind::retry, .step = "c", .item = 4, .at = 60'000};
  auto another = retry;
  another.item = 5;
  waits.waits = {runs, blocked, retry, another, {.kind = WaitKind::paused}};
  CHECK(standstill_lines(ChainId{"x"}, {"step 'numbers': no worker has label gpu=h100; w1 lacks only that"}, waits) ==
        Lines{"step 'numbers': no worker has label gpu=h100; w1 lacks only that", "step 'c' waits for its next attempt, at 1970-01-01T00:01:00.000Z",
              "it is paused; `catena resume x` goes on"});
  waits.waits = {runs, blocked};
  CHECK(standstill_lines(ChainId{"x"}, {}, waits).empty());
  const std::string busy = "step 'a': all workers that fit are busy: w1";
  CHECK(standstill_lines(ChainId{"x"}, {busy}, waits).empty());  // some of its own run
  waits.waits = {blocked};
  CHECK(standstill_lines(ChainId{"x"}, {busy}, waits) == Lines{busy});
}

namespace {

/// Chains that stand still and say why.
class StillChains final : public client::ChainsPort {
 public:
  [[nodiscard]] Result<client::Submitted> submit(actors::Submission) override { return client::Submitted{}; }
  [[nodiscard]] Result<coordinator::TokenTold> create_token(const actors::CreateToken&) override { return coordinator::TokenTold{}; }
  [[nodiscard]] Result<void> revoke_token(const std::string&) override { return {}; }
  [[nodiscard]] Result<void> resume(const ChainId&, const std::string&) override { return {}; }
  [[nodiscard]] Result<actors::ChainsRemoved> remove(const std::vector<ChainId>&, UnixMillis, const std::string&) override {
    return actors::ChainsRemoved{};
  }
  [[nodiscard]] Result<void> control(actors::Control) override { return {}; }
  [[nodiscard]] Result<std::optional<actors::ChainEnded>> wait(const ChainId&, std::chrono::milliseconds, const Watcher&) override {
    return std::nullopt;
  }
  [[nodiscard]] Result<Lines> explain(const ChainId&) override { return words; }
  [[nodiscard]] client::Questions& questions() override { return questions_; }
  [[nodiscard]] bool elsewhere() const override { return false; }

  Lines words;

 private:
  class NoAnswers final : public client::Questions {
    [[nodiscard]] Result<coordinator::Answer> answer_any(const coordinator::Question& question) override {
      if (std::holds_alternative<coordinator::AskWaits>(question)) return coordinator::ChainWaits{};
      return coordinator::ChainPage{};
    }
  };
  NoAnswers questions_;
};

}  // namespace

TEST_CASE("a standstill is told after two seconds, each reason once, and again after the chain has moved") {
  StillChains chains;
  chains.words = {"all workers that fit are busy: w1"};
  Standstill standstill{chains, ChainId{"c"}, 0};
  actors::Progress progress;
  CHECK(standstill.look(std::nullopt, 5'000).empty());
  CHECK(standstill.look(progress, 1'900).empty());
  CHECK(standstill.look(progress, 2'000) == chains.words);
  CHECK(standstill.look(progress, 60'000).empty());
  chains.words.push_back("no worker has registered");
  CHECK(standstill.look(progress, 66'000) == Lines{"no worker has registered"});
  progress.steps_settled = 1;
  CHECK(standstill.look(progress, 70'000).empty());
  CHECK(standstill.look(progress, 73'000) == chains.words);
}

}  // namespace catena::cli::test
