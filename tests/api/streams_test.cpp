// Streams of the real binary, over real sockets.
#include <random>

#include "tests/api/server.hpp"
#include "tests/api/support.hpp"

namespace catena::api::test {
namespace {

const std::string kAsLines = "Accept: application/x-ndjson\r\n";
const std::string kAsEvents = "Accept: text/event-stream\r\n";

/// A client that reads a stream.
class StreamReader {
 public:
  StreamReader(std::uint16_t port, const std::string& target, const std::string& headers, int receive_bytes = 0) : connection_{port, receive_bytes} {
    REQUIRE(connection_.ask("GET", target, {}, headers));
    const auto head = connection_.hear_head();
    REQUIRE(head);
    head_ = *head;
    CHECK(head_.status == 200);
  }
  [[nodiscard]] const Received& head() const { return head_; }

  /// The next line with something in it. Nothing: the stream is over, or its server is gone.
  std::optional<Json> line() {
    while (true) {
      const auto text = up_to("\n");
      if (!text) return std::nullopt;
      if (!text->empty()) return Json::parse(*text);
    }
  }
  struct Event {
    std::string kind;
    Json data;
  };
  /// The next event, in the form of browsers.
  std::optional<Event> event() {
    while (true) {
      const auto text = up_to("\n\n");
      if (!text) return std::nullopt;
      Event event;
      for (std::size_t at = 0; at < text->size();) {
        const auto end = std::min(text->find('\n', at), text->size());
        const auto row = text->substr(at, end - at);
        if (row.starts_with("id: ")) id_ = row.substr(4);
        if (row.starts_with("event: ")) event.kind = row.substr(7);
        if (row.starts_with("data: ")) event.data = Json::parse(row.substr(6));
        at = end + 1;
      }
      if (!event.kind.empty()) return event;
    }
  }
  /// Until the first piece has come, which says where the stream is.
  void wait_for_id() {
    while (id_.empty()) {
      const auto text = up_to("\n\n");
      REQUIRE(text);
      id_ = text->substr(text->rfind("id: ") + 4);
    }
  }
  /// With which a client comes back.
  [[nodiscard]] const std::string& id() const { return id_; }
  [[nodiscard]] bool is_whole() const { return whole_; }

 private:
  std::optional<std::string> up_to(const std::string& end) {
    auto found = came_.find(end, at_);
    while (found == std::string::npos) {
      came_.erase(0, std::exchange(at_, 0));
      const auto chunk = connection_.hear_chunk();
      whole_ = chunk && chunk->empty();
      if (!chunk || chunk->empty()) return std::nullopt;
      came_ += *chunk;
      found = came_.find(end);
    }
    auto text = came_.substr(at_, found - at_);
    at_ = found + end.size();
    return text;
  }
  Connection connection_;
  Received head_;
  std::string came_;
  std::size_t at_ = 0;  // what stands before is read
  std::string id_;
  bool whole_ = false;
};

/// Numbers of all events of the feed, by its pages.
std::vector<std::uint64_t> numbers_in_pages(const Server& server) {
  std::vector<std::uint64_t> numbers;
  for (std::string from; true;) {
    const auto page = server.ask("GET", "/v1/events?limit=1000" + from).json();
    for (const auto& event : page["events"]) numbers.push_back(event["number"].get<std::uint64_t>());
    if (!page["more"].get<bool>()) return numbers;
    from = fmt::format("&from={}", page["next"].get<std::uint64_t>());
  }
}

std::string wide(std::size_t items) {
  std::string list = "[0";
  for (std::size_t item = 1; item < items; ++item) list += fmt::format(",{}", item);
  return R"({"instructions": [{"execution_id": "each", "tool_definition_path": "/tools/core/math.tool", "arguments": {"operation": "add", "a": 1},
    "parallel_execution": {"child_argument_name": "b", "iterate_over": )" +
         list + "]}}]}";
}

}  // namespace

TEST_CASE("streams: events of all chains come as they are written, in both forms") {
  const Folder folder;
  Server server{folder};
  REQUIRE(server.ask("POST", "/v1/chains?wait=30", submission("before", kEchoes)).status == 200);
  StreamReader events{server.port(), "/v1/events", kAsEvents};
  events.wait_for_id();
  StreamReader lines{server.port(), "/v1/events?after=" + events.id(), kAsLines};
  StreamReader ends{server.port(), "/v1/events?kind=ended&after=0", kAsLines};
  CHECK(events.head().headers.at("content-type") == "text/event-stream");
  CHECK(events.head().headers.at("x-accel-buffering") == "no");
  CHECK(lines.head().headers.at("content-type") == "application/x-ndjson");
  CHECK(ends.line().value()["chain_id"] == "before");
  REQUIRE(server.ask("POST", "/v1/chains?wait=30", submission("one", kEchoes)).status == 200);
  for (const auto* kind : {"started", "step_began", "step_settled", "ended"}) {
    const auto event = events.event();
    REQUIRE(event);
    CHECK(event->kind == kind);
    CHECK(fits(event->data, "FeedEvent"));
    CHECK(event->data["chain_id"] == "one");
    CHECK(events.id() == std::to_string(event->data["number"].get<std::uint64_t>()));
    CHECK(lines.line().value() == event->data);
  }
  CHECK(ends.line().value()["chain_id"] == "one");
  server.process().kill(SIGTERM);
  while (const auto last = lines.line()) CHECK(last->at("event") == "closed");
  CHECK(server.process().wait() == 0);
}

TEST_CASE("streams: the events of a chain are those of its history, live, until it has ended") {
  const Folder folder;
  std::vector<Json> told;
  {
    Server server{folder};
    REQUIRE(server.ask("POST", "/v1/chains", submission("long", kWaits)).status == 202);
    StreamReader lines{server.port(), "/v1/chains/long/events", {}};
    for (std::string kind; kind != "Granted"; kind = told.back()["event"]) told.push_back(lines.line().value());
    server.process().kill(SIGKILL);
    while (auto line = lines.line()) told.push_back(std::move(*line));
    CHECK_FALSE(lines.is_whole());
    server.process().wait();
  }
  const Server server{folder};
  StreamReader lines{server.port(), fmt::format("/v1/chains/long/events?after={}", told.back()["seq"].get<std::uint64_t>()), {}};
  StreamReader events{server.port(), "/v1/chains/long/events", kAsEvents};
  CHECK(server.ask("POST", "/v1/chains/long:cancel").status <= 202);
  while (auto line = lines.line()) told.push_back(std::move(*line));
  CHECK(lines.is_whole());
  CHECK(told.back()["event"] == "end");
  CHECK(told.back()["status"] == "cancelled");
  told.pop_back();
  const auto history = server.ask("GET", "/v1/chains/long/history?limit=1000").json()["events"];
  CHECK(Json(told) == history);
  for (const auto& expected : history) {
    const auto event = events.event();
    REQUIRE(event);
    CHECK(event->kind == expected["event"].get<std::string>());
    CHECK(event->data == expected);
    CHECK(events.id() == std::to_string(expected["seq"].get<std::uint64_t>()));
  }
  CHECK(events.event().value().kind == "end");
  CHECK_FALSE(events.event());
  CHECK(events.is_whole());
  // whoever comes back behind the end is told again that it has ended
  StreamReader again{server.port(), "/v1/chains/long/events", kAsEvents + "Last-Event-ID: " + events.id() + "\r\n"};
  CHECK(again.event().value().kind == "end");
  CHECK(server.ask("GET", "/v1/chains/nobody/events").status == 404);
  CHECK(server.ask("GET", "/v1/chains/long/events?step=nothing").status == 404);
}

TEST_CASE("streams: a hundred disconnects and two deaths of the coordinator leave no gap and no duplicate") {
  const Folder folder;
  auto server = std::make_unique<Server>(folder);
  std::mt19937 random{7};
  std::vector<std::uint64_t> numbers;
  std::string id = "0";
  int chains = 0;
  const auto submit = [&](const std::string& wait) {
    const auto name = fmt::format("c{}", chains++);
    CHECK(server->ask("POST", "/v1/chains" + wait, submission(name, kEchoes)).status <= 202);
  };
  const auto take = [&](StreamReader& reader) {
    const auto event = reader.event();
    if (!event) return false;
    CHECK(event->kind == event->data["kind"].get<std::string>());
    numbers.push_back(event->data["number"].get<std::uint64_t>());
    id = reader.id();
    return true;
  };
  constexpr int kDisconnects = 100;
  for (int disconnect = 0; disconnect < kDisconnects; ++disconnect) {
    const bool dies = disconnect == 33 || disconnect == 66;
    submit("?wait=30");
    StreamReader reader{server->port(), "/v1/events?after=5", kAsEvents + "Last-Event-ID: " + id + "\r\n"};
    submit("");  // while the stream is open
    for (auto events = 1 + random() % 7; events > 0; --events) REQUIRE(take(reader));
    if (!dies) continue;
    submit("");
    server->process().kill(SIGKILL);
    while (take(reader)) {
    }
    server->process().wait();
    server = std::make_unique<Server>(folder);
  }
  StreamReader reader{server->port(), "/v1/events", kAsEvents + "Last-Event-ID: " + id + "\r\n"};
  for (int chain = 0; chain < chains; ++chain)
    CHECK(server->ask("GET", fmt::format("/v1/chains/c{}?wait=30", chain)).json()["status"] == "succeeded");
  const auto all = numbers_in_pages(*server);
  while (numbers.size() < all.size()) REQUIRE(take(reader));
  CHECK(numbers == all);
  CHECK(all.size() >= static_cast<std::size_t>(4 * chains));
}

TEST_CASE("streams: a thousand idle ones hold no thread, and each hears of what happens") {
  const auto files = raise_file_limit();
  const auto streams = std::min<std::size_t>(1000, files / 4);
  const Folder folder;
  const Server server{folder};
  REQUIRE(server.ask("POST", "/v1/chains", submission("long", kWaits)).status == 202);
  const auto before = server.threads();
  std::vector<std::unique_ptr<StreamReader>> readers;
  for (std::size_t stream = 0; stream < streams; ++stream) {
    const bool one = stream % 2 == 0;
    readers.push_back(std::make_unique<StreamReader>(server.port(), one ? "/v1/chains/long/events" : "/v1/events?kind=ended", kAsEvents));
    readers.back()->wait_for_id();
  }
  CHECK(server.threads() == before);
  CHECK(server.ask("POST", "/v1/chains/long:cancel").status <= 202);
  for (auto& reader : readers) {
    auto event = reader->event();
    while (event && event->kind != "end" && event->kind != "ended") event = reader->event();
    REQUIRE(event);
    CHECK(event->data["status"] == "cancelled");
  }
  CHECK(server.threads() == before);
}

TEST_CASE("streams: a hundred thousand results arrive whole, can be taken up anywhere, and wait in the store for who does not read") {
  constexpr std::size_t kItems = 100'000;
  const Folder folder;
  Server server{folder};
  REQUIRE(server.ask("POST", "/v1/chains?wait=60", submission("wide", wide(kItems))).status <= 202);
  while (server.ask("GET", "/v1/chains/wide?wait=60").status == 202) {
  }
  const std::string target = "/v1/chains/wide/steps/each/results";
  const auto read_all = [&] {
    StreamReader results{server.port(), target, {}};
    CHECK(results.head().headers.at("content-type") == "application/x-ndjson");
    std::size_t index = 0;
    bool right = true;
    while (const auto line = results.line()) {
      right = right && line->at("index") == index && line->at("status") == "succeeded" && line->at("response").at("result") == index + 1;
      ++index;
    }
    CHECK(right);
    CHECK(index == kItems);
    CHECK(results.is_whole());
  };
  read_all();
  StreamReader end{server.port(), fmt::format("{}?from={}", target, kItems - 2), {}};
  CHECK(end.line().value()["index"] == kItems - 2);
  CHECK(end.line().value()["index"] == kItems - 1);
  CHECK_FALSE(end.line());
  StreamReader none{server.port(), target + "?status=failed", {}};
  CHECK_FALSE(none.line());
  CHECK(none.is_whole());
  CHECK(server.ask("GET", "/v1/chains/wide/steps/nothing/results").status == 404);

  // Who does not read gets as much as the system's buffers have room for, and no more is read from the store for it.
  const auto before = resident_kib(server);
  std::vector<std::unique_ptr<StreamReader>> lazy;
  for (int client = 0; client < 60; ++client) lazy.push_back(std::make_unique<StreamReader>(server.port(), target, "", 4096));
  read_all();
  const auto grown = resident_kib(server) - std::min(before, resident_kib(server));
  INFO(before << " KiB, and " << grown << " more");
  CHECK(grown < 64U << 10U);  // of 390 MiB that they ask for
}

TEST_CASE("streams: one whose token is revoked ends at its next heartbeat") {
  const Folder folder;
  const auto file = [&](const std::string& name) { return (folder / name).string(); };
  const Server server{folder, {"--http-tokens", "--port-file", file("port")}};
  const auto token = [&](std::vector<std::string> words) {
    auto port = read_text(file("port"));
    port.resize(port.find_last_not_of('\n') + 1);
    words.insert(words.begin(), {CATENA_BINARY, "token"});
    words.insert(words.end(), {"--cluster", "127.0.0.1:" + port});
    Process process{words, file("made"), file("said")};
    REQUIRE(process.wait() == 0);
    return read_text(file("made"));
  };
  const auto made = Json::parse(token({"create", "--role", "viewer", "-o", "json"}));
  const auto other = Json::parse(token({"create", "--role", "viewer", "-o", "json"}));
  const auto shown = [](const Json& one) { return fmt::format("Authorization: Bearer {}\r\n", one["token"].get<std::string>()); };
  CHECK(server.ask("GET", "/v1/events", {}, kAsLines).status == 401);
  StreamReader revoked{server.port(), "/v1/events", kAsLines + shown(made)};
  StreamReader stays{server.port(), "/v1/events", kAsEvents + shown(other)};
  stays.wait_for_id();
  token({"revoke", made["id"].get<std::string>()});
  const auto last = revoked.line();
  REQUIRE(last);
  CHECK(last->at("event") == "closed");
  CHECK_FALSE(revoked.line());
  CHECK(revoked.is_whole());
  REQUIRE(server.ask("POST", "/v1/chains", submission("one", kEchoes), shown(Json::parse(token({"create", "--role", "operator", "-o", "json"}))))
              .status == 202);
  CHECK(stays.event().value().kind == "started");
}

TEST_CASE("streams: more of them than there is room for are told so") {
  raise_file_limit();
  const Folder folder;
  const Server server{folder};
  std::vector<std::unique_ptr<StreamReader>> readers;
  while (readers.size() < 2000) readers.push_back(std::make_unique<StreamReader>(server.port(), "/v1/events", kAsLines));
  const auto refused = server.ask("GET", "/v1/events", {}, kAsLines);
  CHECK(refused.status == 503);
  CHECK(refused.json()["code"] == "overloaded");
  CHECK(refused.headers.contains("retry-after"));
  CHECK(server.is_alive());
}

}  // namespace catena::api::test
