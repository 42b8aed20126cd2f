// What a stream tells, in both forms, piece by piece.
#include "api/stream_source.hpp"

#include "tests/api/support.hpp"

namespace catena::api::test {
namespace {

coordinator::FeedRow fed(std::uint64_t number, storage::NoticeKind kind = storage::NoticeKind::started) {
  coordinator::FeedRow row{number, {}};
  row.notice.kind = kind;
  row.notice.chain = ChainId{"nap"};
  return row;
}

/// A feed that has these; a page has two.
void offer_feed(SaidQuestions& questions, const std::vector<coordinator::FeedRow>& rows) {
  questions.on<coordinator::ReadFeed>([&rows](const coordinator::ReadFeed& ask) {
    coordinator::FeedPage page;
    const auto oldest = rows.empty() ? 0 : rows.front().number;
    page.lost = ask.first != 0 && oldest > ask.first;
    page.next = std::max({ask.first, oldest, std::uint64_t{1}});
    for (const auto& row : rows) {
      if (row.number < page.next) continue;
      if (page.rows.size() == 2) {
        page.more = true;
        break;
      }
      page.rows.push_back(row);
      page.next = row.number + 1;
    }
    return Result<coordinator::FeedPage>{page};
  });
}

std::vector<Json> lines_of(const std::string& text) {
  std::vector<Json> lines;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = text.find('\n', at);
    REQUIRE(end != std::string::npos);
    lines.push_back(Json::parse(text.substr(at, end - at)));
    at = end + 1;
  }
  return lines;
}

}  // namespace

TEST_CASE("the form of a stream is the one that Accept names first") {
  CHECK_FALSE(stream_form_for(""));
  CHECK_FALSE(stream_form_for("*/*"));
  CHECK_FALSE(stream_form_for("application/json"));
  CHECK(stream_form_for("text/event-stream") == StreamForm::events);
  CHECK(stream_form_for("application/x-ndjson, text/event-stream") == StreamForm::lines);
  CHECK(stream_form_for("application/json, text/event-stream;q=0.5") == StreamForm::events);
}

TEST_CASE("a stream of the feed goes on where its last piece ended") {
  SaidQuestions questions;
  std::vector<coordinator::FeedRow> rows{fed(4), fed(5), fed(9)};
  offer_feed(questions, rows);
  StreamSource source{StreamForm::lines, FeedSource{{.first = 5}}};
  auto piece = source.read(questions, {});
  CHECK_FALSE(piece.more);
  CHECK_FALSE(piece.over);
  auto lines = lines_of(piece.text);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0]["number"] == 5);
  CHECK(fits(lines[0], "FeedEvent"));
  CHECK(source.read(questions, {}).text.empty());
  CHECK(source.heartbeat() == "\n");
  rows.push_back(fed(12));
  piece = source.read(questions, {});
  REQUIRE(lines_of(piece.text).size() == 1);
  CHECK(lines_of(piece.text)[0]["number"] == 12);
}

TEST_CASE("events have numbers, kinds and one line of data, and a heartbeat says how far the stream is") {
  SaidQuestions questions;
  std::vector<coordinator::FeedRow> rows{fed(7, storage::NoticeKind::ended)};
  offer_feed(questions, rows);
  StreamSource source{StreamForm::events, FeedSource{{.first = 7}}};
  CHECK_THAT(source.read(questions, {}).text, Catch::StartsWith(": heartbeat\nid: 6\n\nid: 7\nevent: ended\ndata: {") && Catch::EndsWith("}\n\n"));
  CHECK(source.heartbeat() == ": heartbeat\nid: 7\n\n");
}

TEST_CASE("a piece ends when it is large enough, and the next begins there") {
  SaidQuestions questions;
  std::vector<coordinator::FeedRow> rows{fed(1), fed(2), fed(3)};
  offer_feed(questions, rows);
  StreamSource source{StreamForm::lines, FeedSource{{.first = 1}}};
  for (std::uint64_t number = 1; number <= 3; ++number) {
    const auto piece = source.read(questions, {.bytes = 1});
    REQUIRE(lines_of(piece.text).size() == 1);
    CHECK(lines_of(piece.text)[0]["number"] == number);
    CHECK(piece.more == (number < 3));
  }
}

TEST_CASE("a stream says where it goes on when what lies between is not kept any more") {
  SaidQuestions questions;
  std::vector<coordinator::FeedRow> rows{fed(100), fed(101)};
  offer_feed(questions, rows);
  StreamSource lines{StreamForm::lines, FeedSource{{.first = 5}}};
  const auto told = lines_of(lines.read(questions, {}).text);
  REQUIRE(told.size() == 3);
  CHECK(told[0] == Json{{"event", "reset"}, {"next", 100}});
  StreamSource events{StreamForm::events, FeedSource{{.first = 5}}};
  CHECK_THAT(events.read(questions, {}).text, Catch::Contains("id: 99\nevent: reset\ndata: {\"next\":100}\n\nid: 100\n"));
}

TEST_CASE("a reader of a feed in which nothing stands yet is not told that something is lost when it begins") {
  SaidQuestions questions;
  std::vector<coordinator::FeedRow> rows;
  offer_feed(questions, rows);
  StreamSource source{StreamForm::lines, FeedSource{{.first = 0}}};
  CHECK(source.read(questions, {}).text.empty());
  rows.push_back(fed(std::uint64_t{1} << 32U));
  const auto told = lines_of(source.read(questions, {}).text);
  REQUIRE(told.size() == 1);
  CHECK(told[0]["kind"] == "started");
}

TEST_CASE("a stream of a chain ends behind the event with which the chain has ended") {
  SaidQuestions questions;
  auto status = engine::ChainStatus::running;
  Sequence last = 2;
  questions.on<coordinator::DescribeChain>([&](const coordinator::DescribeChain&) {
    coordinator::ChainDescription chain;
    chain.status = status;
    chain.last_event = last;
    return Result<coordinator::ChainDescription>{chain};
  });
  Sequence written = 2;
  questions.on<coordinator::ReadHistory>([&](const coordinator::ReadHistory& ask) {
    CHECK(ask.in_full);
    coordinator::HistoryPage page;
    for (auto sequence = ask.from; sequence <= written; ++sequence) {
      coordinator::HistoryEvent event;
      event.sequence = sequence;
      event.kind = "Happened";
      event.json = R"({"event": "Happened"})";
      page.events.push_back(event);
    }
    return Result<coordinator::HistoryPage>{page};
  });
  StreamSource source{StreamForm::lines, ChainSource{{.chain = ChainId{"nap"}, .in_full = true}}};
  auto piece = source.read(questions, {});
  REQUIRE(lines_of(piece.text).size() == 2);
  CHECK(fits(lines_of(piece.text)[1], "Event"));
  CHECK_FALSE(piece.over);
  CHECK(source.read(questions, {}).text.empty());
  // It goes on while it is read: the status is of event 3, and 4 is written before the history is read.
  status = engine::ChainStatus::failed;
  last = 3;
  written = 4;
  piece = source.read(questions, {});
  CHECK(lines_of(piece.text).size() == 2);
  CHECK_FALSE(piece.over);
  last = 4;
  piece = source.read(questions, {});
  CHECK(piece.over);
  CHECK(lines_of(piece.text) == std::vector{Json{{"event", "end"}, {"chain_id", "nap"}, {"status", "failed"}, {"seq", 4}}});
  CHECK(source.topic() == ChainId{"nap"});
  // a client may come with a number that the chain never had
  StreamSource beyond{StreamForm::lines, ChainSource{{.chain = ChainId{"nap"}, .from = 900, .in_full = true}}};
  CHECK(beyond.read(questions, {}).over);
  status = engine::ChainStatus::running;
  StreamSource early{StreamForm::lines, ChainSource{{.chain = ChainId{"nap"}, .from = 900, .in_full = true}}};
  CHECK_FALSE(early.read(questions, {}).over);
}

TEST_CASE("results are lines with what became of each item, and a larger response is a link") {
  SaidQuestions questions;
  Visit visit = 1;
  questions.on<coordinator::ListItems>([&](const coordinator::ListItems& ask) {
    coordinator::ItemPage page;
    page.visit = visit;
    page.width = 5;
    using enum coordinator::ItemStatus;
    const std::vector<coordinator::ItemRow> all{{.item = 0, .status = succeeded, .response = R"({"half":1})"},
                                                {.item = 1, .status = failed, .error = make_error(Code::tool_failed, "no")},
                                                {.item = 2, .status = succeeded},
                                                {.item = 3, .status = running},
                                                {.item = 4, .status = not_needed}};
    for (auto item = ask.from; item < 5; ++item) {
      if (page.items.size() == 2) {
        page.next = item;
        break;
      }
      page.items.push_back(all[item]);
    }
    return Result<coordinator::ItemPage>{page};
  });
  const auto results = [&](ItemIndex from) {
    return StreamSource{StreamForm::lines, ResultSource{{.chain = ChainId{"a/b"}, .step = "each", .from = from}}};
  };
  auto source = results(0);
  std::vector<Json> lines;
  for (Piece piece; !piece.over;) {
    piece = source.read(questions, {});
    for (auto& line : lines_of(piece.text)) lines.push_back(std::move(line));
  }
  REQUIRE(lines.size() == 5);
  for (const auto& line : lines) CHECK(fits(line, "ItemResult"));
  CHECK(lines[0] == Json::parse(R"({"index": 0, "status": "succeeded", "response": {"half": 1}})"));
  CHECK(lines[1]["error"]["code"] == "tool_failed");
  CHECK(lines[2]["response_at"] == "/v1/chains/a%2Fb/steps/each/items/2/response");
  CHECK(lines[3] == Json{{"index", 3}, {"status", "running"}});
  auto later = results(4);
  CHECK(lines_of(later.read(questions, {}).text).size() == 1);
  // The step is entered again while its results are read: the items that come are others.
  auto again = results(0);
  CHECK(again.read(questions, {}).more);
  visit = 2;
  const auto piece = again.read(questions, {});
  CHECK(piece.over);
  CHECK(lines_of(piece.text) == std::vector{Json{{"event", "reset"}, {"visit", 2}}});
}

TEST_CASE("what goes wrong while a stream is read is its last event") {
  SaidQuestions questions;
  questions.on<coordinator::ReadFeed>(
      [](const coordinator::ReadFeed&) -> Result<coordinator::FeedPage> { return fail(Code::storage_corrupt, "it cannot be read"); });
  StreamSource source{StreamForm::events, FeedSource{}};
  const auto piece = source.read(questions, {});
  CHECK(piece.over);
  CHECK_THAT(piece.text, Catch::Contains("event: error\ndata: {\"problem\":{"));
  CHECK(closing_remark(StreamForm::lines, "it is over") == "{\"event\":\"closed\",\"reason\":\"it is over\"}\n");
}

TEST_CASE("a request for a stream says where it begins") {
  Scene scene;
  scene.questions.on<coordinator::ReadFeed>([](const coordinator::ReadFeed& ask) {
    coordinator::FeedPage page;
    page.next = ask.from_now ? 40 : ask.first + 1;
    page.rows.push_back(fed(ask.first));
    return Result<coordinator::FeedPage>{page};
  });
  const auto begins = [&](const std::string& target, const std::string& last_id = {}) {
    auto made = request("GET", target);
    made.headers["accept"] = "text/event-stream";
    if (!last_id.empty()) made.headers["last-event-id"] = last_id;
    const auto found = routed(std::move(made));
    REQUIRE(found);
    auto worked = scene.work(*found);
    if (!worked) return to_answer(worked.error()).body;
    REQUIRE(std::holds_alternative<StreamSource>(*worked));
    return std::get<StreamSource>(*worked).heartbeat();
  };
  CHECK(begins("/v1/events") == ": heartbeat\nid: 39\n\n");
  CHECK(begins("/v1/events?after=7") == ": heartbeat\nid: 7\n\n");
  CHECK(begins("/v1/events?from=7") == ": heartbeat\nid: 6\n\n");
  CHECK(begins("/v1/events?after=7", "12") == ": heartbeat\nid: 12\n\n");
  CHECK(begins("/v1/events?from_now=true", "12") == ": heartbeat\nid: 12\n\n");
  CHECK(begins("/v1/events?from_now=true") == ": heartbeat\nid: 39\n\n");
  CHECK(begins("/v1/events?after=0") == ": heartbeat\nid: 0\n\n");
  CHECK_THAT(begins("/v1/events", "last"), Catch::Contains("Last-Event-ID"));
  CHECK(parsed(scene.answer("GET", "/v1/events?after=7"))["events"][0]["number"] == 8);
}

}  // namespace catena::api::test
