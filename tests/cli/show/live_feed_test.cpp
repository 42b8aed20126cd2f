// How often a chain that runs is asked for and drawn.
#include "cli/show/live_feed.hpp"

#include <catch2/catch.hpp>

#include "tests/cli/terminal.hpp"

namespace catena::cli::test {
namespace {

/// One chain with a step, whose questions are counted.
class CountedChains final : public client::ChainsPort {
 public:
  [[nodiscard]] Result<client::Submitted> submit(actors::Submission) override { return client::Submitted{}; }
  [[nodiscard]] Result<coordinator::TokenTold> create_token(const actors::CreateToken&) override { return coordinator::TokenTold{}; }
  [[nodiscard]] Result<void> revoke_token(const std::string&) override { return {}; }
  [[nodiscard]] Result<actors::ScheduleDone> put_schedule(const actors::PutSchedule&) override { return actors::ScheduleDone{}; }
  [[nodiscard]] Result<actors::ScheduleDone> order_schedule(const actors::OrderSchedule&) override { return actors::ScheduleDone{}; }
  [[nodiscard]] Result<void> fork(actors::ForkChain) override { return {}; }
  [[nodiscard]] Result<void> resume(const ChainId&, const std::string&) override { return {}; }
  [[nodiscard]] Result<void> control(actors::Control) override { return {}; }
  [[nodiscard]] Result<actors::ChainsRemoved> remove(const std::vector<ChainId>&, UnixMillis, const std::string&) override {
    return actors::ChainsRemoved{};
  }
  [[nodiscard]] Result<std::optional<actors::ChainEnded>> wait(const ChainId&, std::chrono::milliseconds, const Watcher&) override {
    return std::nullopt;
  }
  [[nodiscard]] Result<std::vector<engine::Reason>> explain(const ChainId&, const std::string&) override { return std::vector<engine::Reason>{}; }
  [[nodiscard]] Result<std::vector<actors::QueueGroup>> queue() override { return std::vector<actors::QueueGroup>{}; }
  [[nodiscard]] client::Questions& questions() override { return questions_; }
  [[nodiscard]] bool elsewhere() const override { return false; }
  [[nodiscard]] int asked() const { return questions_.steps_asked; }

 private:
  struct Counted final : client::Questions {
    [[nodiscard]] Result<coordinator::Answer> answer_any(const coordinator::Question& question) override {
      if (std::holds_alternative<coordinator::DescribeChain>(question)) return coordinator::ChainDescription{};
      if (std::holds_alternative<coordinator::CountFamily>(question)) return coordinator::FamilyCounts{};
      if (std::holds_alternative<coordinator::ListChains>(question)) return coordinator::ChainPage{};
      ++steps_asked;
      return coordinator::StepPage{.steps = {{.id = "work", .status = engine::VisitStatus::running, .visit = 1, .entered_at = 1}}};
    }
    int steps_asked = 0;
  };
  Counted questions_;
};

std::size_t frames_in(const std::string& written) {
  std::size_t count = 0;
  for (auto at = written.find("one · "); at != std::string::npos; at = written.find("one · ", at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("a picture is drawn ten times a second at most, and its questions are fewer") {
  cli_test::Surroundings around{std::filesystem::current_path()};
  around.set("TERM", "xterm");
  around.set("LC_ALL", "C.UTF-8");
  around.set("NO_COLOR", "1");
  cli_test::Terminal terminal{80, 24};
  ManualClock clock;
  CountedChains chains;
  {
    Console console{{terminal.descriptor(), terminal.descriptor(), &clock}};
    LiveFeed feed{chains, ChainId{"one"}, Telling::picture, console};
    actors::Progress progress;
    progress.steps_total = 1;
    for (int tick = 0; tick < 300; ++tick) {  // three seconds
      clock.advance(Millis{10});
      feed.take(progress, clock.now());
    }
    console.clear();
  }
  CHECK(frames_in(terminal.written()) == 30);
  CHECK(terminal.screen().empty());
  CHECK(chains.asked() <= 11);
}

}  // namespace catena::cli::test
