// Streams between readers, the journal and clients, in virtual time.
#include "api/stream_desk.hpp"

#include <caf/all.hpp>
#include <caf/scheduler/test_coordinator.hpp>

#include "tests/api/support.hpp"

namespace catena::api::test {
namespace {

/// A client that takes what it is sent when the test says so.
class HeldOutlet final : public Outlet {
 public:
  void write(std::string piece, std::function<void(bool)> written) override {
    pieces.push_back(std::move(piece));
    written_ = std::move(written);
  }
  void end(std::string text) override { last = std::move(text); }
  /// False: the client is gone.
  bool take(bool taken = true) {
    const auto written = std::exchange(written_, nullptr);
    if (!written) return false;
    written(taken);
    return true;
  }
  std::vector<std::string> pieces;
  std::optional<std::string> last;

 private:
  std::function<void(bool)> written_;
};

struct StageConfig : caf::actor_system_config {
  StageConfig() {
    set("scheduler.policy", caf::atom("testing"));
    set("logger.verbosity", caf::atom("quiet"));
  }
};

class StreamStage {
 public:
  explicit StreamStage(StreamLimits limits = {}) {
    questions_.on<coordinator::ReadFeed>([this](const coordinator::ReadFeed& ask) {
      ++reads;
      coordinator::FeedPage page;
      page.next = std::max(ask.first, end);
      for (auto number = ask.first; number < end; ++number) page.rows.push_back({number, {}});
      return Result<coordinator::FeedPage>{page};
    });
    questions_.on<coordinator::DescribeChain>([](const coordinator::DescribeChain& ask) {
      coordinator::ChainDescription chain;
      chain.chain = ask.chain;
      chain.status = engine::ChainStatus::running;
      return Result<coordinator::ChainDescription>{chain};
    });
    questions_.on<coordinator::ReadHistory>(
        [](const coordinator::ReadHistory&) { return Result<coordinator::HistoryPage>{coordinator::HistoryPage{}}; });
    journal_ = system_.spawn([this](caf::event_based_actor*) -> caf::behavior {
      return {[this](const actors::FollowFeed&) { told.emplace_back("feed"); },
              [this](const actors::FollowChain& follow) { told.push_back("+" + follow.chain.value); },
              [this](const actors::StopFollowingChain& stop) { told.push_back("-" + stop.chain.value); }};
    });
    reader_ = system_.spawn([this](caf::event_based_actor* self) -> caf::behavior {
      return {[this, self](const ReadStream& next) {
        self->send(desk_, StreamRead{next.stream, std::make_shared<Piece>(next.stream->source.read(questions_, {}))});
      }};
    });
    desk_ = system_.spawn([this, limits](caf::event_based_actor* self) -> caf::behavior {
      const auto streams = std::make_shared<StreamDesk>(self, journal_, limits, [this]() -> const caf::actor& { return reader_; });
      return {[this, streams](const RequestRead& read) { entered = streams->enter(*read.asking, std::move(*read.stream)); },
              [=](const StreamRead& read) { streams->take_piece(read); },
              [=](const StreamWritten& written) { streams->take_written(written); },
              [=](const StreamsDue& due) { streams->take_time(due); },
              [=](const actors::FeedGrew&) { streams->grow({}); },
              [=](const WaitOver&) { streams->end(); }};
    });
    run();
  }
  ~StreamStage() {
    for (const auto& actor : {desk_, reader_, journal_}) caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
    pass(Millis{60'000});
  }
  StreamStage(const StreamStage&) = delete;
  StreamStage& operator=(const StreamStage&) = delete;

  std::shared_ptr<HeldOutlet> enter(StreamSource::What what, std::function<bool()> allowed = {}) {
    auto outlet = std::make_shared<HeldOutlet>();
    auto asking = std::make_shared<Asking>();
    asking->begin = [outlet](const Answer&) { return outlet; };
    asking->allowed = std::move(allowed);
    caf::anon_send(desk_, RequestRead{asking, nullptr, std::make_shared<StreamSource>(StreamForm::lines, std::move(what))});
    run();
    return outlet;
  }
  void grow(std::uint64_t to) {
    end = to;
    caf::anon_send(desk_, actors::FeedGrew{to});
    run();
  }
  void end_all() {
    caf::anon_send(desk_, WaitOver{});
    run();
  }
  [[nodiscard]] std::size_t timers() { return scheduler().clock().schedule().size(); }
  void run() { scheduler().run(); }
  void pass(Millis time) {
    scheduler().advance_time(time);
    run();
  }

  std::vector<std::string> told;  // to the journal
  std::uint64_t end = 1;          // of the feed
  int reads = 0;
  bool entered = false;

 private:
  caf::scheduler::test_coordinator& scheduler() { return dynamic_cast<caf::scheduler::test_coordinator&>(system_.scheduler()); }
  StageConfig config_;
  caf::actor_system system_{config_};
  SaidQuestions questions_;
  caf::actor journal_;
  caf::actor reader_;
  caf::actor desk_;
};

const FeedSource kFromStart{{.first = 1}};
ChainSource chain_source(const char* chain) { return ChainSource{{.chain = ChainId{chain}}}; }
constexpr Millis kBeat{15'000};

}  // namespace

TEST_CASE("for a client that does not read, one piece is read, however much comes") {
  StreamStage stage;
  const auto client = stage.enter(kFromStart);
  CHECK(stage.entered);
  REQUIRE(client->pieces.size() == 1);
  REQUIRE(client->take());
  for (std::uint64_t number = 2; number < 1000; ++number) {
    stage.grow(number);
    stage.pass(Millis{100});
  }
  CHECK(client->pieces.size() == 2);
  CHECK(stage.reads == 2);
  while (client->take()) stage.pass(Millis{100});
  std::ptrdiff_t events = 0;
  for (const auto& piece : client->pieces) {
    CHECK(piece.size() < 2 * PieceLimits{}.bytes);
    events += std::ranges::count(piece, '\n');
  }
  CHECK(events == 998);
}

TEST_CASE("however often the feed grows, timers do not pile up") {
  StreamStage stage;
  const auto client = stage.enter(kFromStart);
  for (std::uint64_t number = 2; number < 500; ++number) {
    while (client->take()) stage.run();
    stage.grow(number);
    stage.pass(Millis{10});
  }
  CHECK(stage.timers() <= 3);
}

TEST_CASE("a client hears a heartbeat when nothing happens, and one whose token is no longer valid is told and left") {
  StreamStage stage;
  bool valid = true;
  const auto client = stage.enter(kFromStart, [&] { return valid; });
  REQUIRE(client->take());
  stage.pass(kBeat);
  REQUIRE(client->pieces.size() == 2);
  CHECK(client->pieces.back() == "\n");
  stage.pass(kBeat);
  CHECK(client->pieces.size() == 2);  // it has not taken that
  REQUIRE(client->take());
  stage.pass(kBeat);
  CHECK(client->pieces.size() == 3);
  valid = false;
  stage.pass(kBeat);
  CHECK(client->last == "{\"event\":\"closed\",\"reason\":\"the access token is not valid any more\"}\n");
  stage.grow(7);
  stage.pass(kBeat);
  CHECK(client->pieces.size() == 3);
}

TEST_CASE("the journal is asked for the feed once, and for a chain as long as somebody follows it") {
  StreamStage stage;
  const auto feed = stage.enter(kFromStart);
  const auto more = stage.enter(kFromStart);
  const auto nap = stage.enter(chain_source("nap"));
  const auto nap_too = stage.enter(chain_source("nap"));
  CHECK(stage.told == std::vector<std::string>{"feed", "+nap"});
  REQUIRE(nap->take(false));
  stage.run();
  CHECK(stage.told.size() == 2);
  REQUIRE(nap_too->take(false));
  stage.run();
  CHECK(stage.told.back() == "-nap");
  const auto again = stage.enter(chain_source("nap"));
  CHECK(stage.told.back() == "+nap");
  stage.end_all();
  for (const auto& client : {feed, more, again}) CHECK(client->last == "{\"event\":\"closed\",\"reason\":\"the coordinator ends\"}\n");
  CHECK_FALSE(nap->last);
}

TEST_CASE("a client that is gone makes room for another") {
  StreamStage stage{{.streams = 1}};
  const auto client = stage.enter(kFromStart);
  stage.enter(kFromStart);
  CHECK_FALSE(stage.entered);
  REQUIRE(client->take(false));
  stage.run();
  stage.enter(kFromStart);
  CHECK(stage.entered);
}

}  // namespace catena::api::test
