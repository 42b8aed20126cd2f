// Requests of OTLP over HTTP in their JSON form, and who sends them.
#include "coordinator/traces/otlp.hpp"

#include <catch2/catch.hpp>

#include "coordinator/traces/teller.hpp"
#include "storage/feed_store.hpp"
#include "tests/coordinator/fixture.hpp"
#include "tests/coordinator/otlp_checker.hpp"

namespace catena::coordinator::test {
namespace {

/// A receiver, and what is told to it.
class TellerScene {
 public:
  explicit TellerScene(Fixture& f, std::size_t spans_at_once = 512, const storage::Kv* kv = nullptr) {
    options.kv = kv == nullptr ? &f.kv : kv;
    options.catalog = kCatalog;
    options.metrics = std::make_shared<Metrics>();
    options.spans_at_once = spans_at_once;
    options.tell = [this](const std::string& body) {
      ++requests;
      if (answer.outcome == Telling::Outcome::taken) check_otlp(Json::parse(body), spans);
      return answer;
    };
    options.record = [this](std::uint64_t next) -> Result<void> {
      recorded = next;
      return {};
    };
  }

  /// Until there is nothing more to tell now.
  void tell_all(TraceTeller& teller) const {
    while (teller.turn().value() == Millis{0}) {
    }
  }
  [[nodiscard]] std::int64_t count(Metric metric, std::size_t label = 0) const {
    for (const auto& sample : options.metrics->copy()) {
      if (sample.metric == metric && sample.value == label) return sample.number;
    }
    return -1;
  }

  TellerOptions options;
  Telling answer;
  SpansById spans;
  std::size_t requests = 0;
  std::uint64_t recorded = 0;
};

void run_chains(Fixture& f, int from, int to) {
  const auto package = pin(composite({step("a"), step("b", R"("dependencies": ["a"])")}));
  for (int chain = from; chain < to; ++chain) f.complete(package, fmt::format("t{}", chain));
}
constexpr std::size_t kSpansOfOne = 5;

const Settings kTold{.feed_keep = 100'000};

}  // namespace

TEST_CASE("pairs of the variables of OTLP") {
  CHECK(read_pairs("") == std::map<std::string, std::string>{});
  CHECK(read_pairs("a=b, c=d%20e,nothing,=x,f=1=2") == std::map<std::string, std::string>{{"a", "b"}, {"c", "d e"}, {"f", "1=2"}});
  CHECK(read_pairs("a=%zz%4") == std::map<std::string, std::string>{{"a", "%zz%4"}});
}

TEST_CASE("a request of OTLP: golden") {
  Span span;
  span.trace = std::string(32, 'a');
  span.id = std::string(16, 'b');
  span.parent = std::string(16, 'c');
  span.name = "invoke_workflow x";
  span.begin = 1'700'000'000'000;
  span.end = 1'700'000'000'250;
  span.error = "tool_failed";
  span.tracestate = "v=1";
  span.attributes = {{"catena.attempt", 2}, {"catena.chain.id", "c"}};
  span.links.push_back({std::string(32, 'd'), std::string(16, 'e'), 1});
  const std::vector<Span> spans{span};
  const auto body = Json::parse(otlp_json(spans, {{"service.name", "catena"}}, "1.2.3"));
  SpansById seen;
  check_otlp(body, seen);
  CHECK(body == Json::parse(R"({"resourceSpans": [{
    "resource": {"attributes": [{"key": "service.name", "value": {"stringValue": "catena"}}]},
    "schemaUrl": "https://opentelemetry.io/schemas/1.37.0",
    "scopeSpans": [{"scope": {"name": "catena", "version": "1.2.3"}, "schemaUrl": "https://opentelemetry.io/schemas/1.37.0", "spans": [{
      "traceId": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "spanId": "bbbbbbbbbbbbbbbb", "parentSpanId": "cccccccccccccccc", "traceState": "v=1",
      "name": "invoke_workflow x", "kind": 1, "startTimeUnixNano": "1700000000000000000", "endTimeUnixNano": "1700000000250000000",
      "attributes": [{"key": "catena.attempt", "value": {"intValue": "2"}}, {"key": "catena.chain.id", "value": {"stringValue": "c"}},
                     {"key": "catena.error.code", "value": {"stringValue": "tool_failed"}},
                     {"key": "error.type", "value": {"stringValue": "tool_failed"}}],
      "links": [{"traceId": "dddddddddddddddddddddddddddddddd", "spanId": "eeeeeeeeeeeeeeee"}],
      "status": {"code": 2, "message": "tool_failed"}}]}]}]})"));
}

TEST_CASE("telling traces: all chains that ended, in requests of a bounded size, and the place is recorded") {
  Fixture f{{.settings = kTold}};
  run_chains(f, 0, 20);
  TellerScene scene{f, 7};
  TraceTeller teller{scene.options, 1};
  scene.tell_all(teller);
  CHECK(scene.spans.size() == 20 * kSpansOfOne);
  CHECK(orphans_of(scene.spans).empty());
  CHECK(scene.requests >= 20 * kSpansOfOne / 7);
  CHECK(scene.recorded == end_of_feed(f.kv).value());
  CHECK(scene.count(Metric::trace_spans, 0) == static_cast<std::int64_t>(20 * kSpansOfOne));
  const auto requests = scene.requests;
  CHECK(teller.turn().value() > Millis{0});
  CHECK(scene.requests == requests);
  // what is told again from any place has the same ids
  TraceTeller again{scene.options, 1};
  scene.tell_all(again);
  CHECK(scene.spans.size() == 20 * kSpansOfOne);
  run_chains(f, 20, 21);
  scene.tell_all(teller);
  CHECK(scene.spans.size() == 21 * kSpansOfOne);
}

TEST_CASE("telling traces: a receiver that is gone is asked less and less, as late as it says, and meanwhile no more than one request is held") {
  Fixture f{{.settings = kTold}};
  run_chains(f, 0, 3);
  TellerScene scene{f, 4};
  scene.answer = {Telling::Outcome::later, {}};
  TraceTeller teller{scene.options, 1};
  CHECK(teller.turn().value() == Millis{1'000});
  CHECK(teller.turn().value() == Millis{2'000});
  run_chains(f, 3, 40);
  for (int turn = 0; turn < 10; ++turn) {
    CHECK(teller.turn().value() <= Millis{60'000});
    CHECK(teller.held() <= kSpansOfOne);
  }
  CHECK(scene.recorded == 0);
  CHECK(scene.count(Metric::trace_failures) == 12);
  scene.answer.after = Millis{90'000};
  CHECK(teller.turn().value() == Millis{90'000});
  scene.answer.after = Millis{86'400'000};
  CHECK(teller.turn().value() == Millis{300'000});
  scene.answer = {};
  scene.tell_all(teller);
  CHECK(scene.spans.size() == 40 * kSpansOfOne);
  CHECK(orphans_of(scene.spans).empty());
}

TEST_CASE("telling traces: a receiver that is gone for longer than the feed is kept makes nothing grow, and what it missed is counted") {
  constexpr int kChains = 60;
  Fixture f{{.settings = kTold}};
  TellerScene scene{f, 4};
  scene.answer = {Telling::Outcome::later, Millis{1'000}};
  TraceTeller teller{scene.options, 1};
  for (int chain = 0; chain < kChains; ++chain) {
    run_chains(f, chain, chain + 1);
    CHECK(teller.turn().value() > Millis{0});
    CHECK(teller.held() <= kSpansOfOne);
  }
  CHECK(scene.requests == kChains);
  CHECK(scene.count(Metric::trace_failures) == kChains);
  CHECK(scene.count(Metric::trace_gaps) == 0);
  // the feed lets go of what is old, as the journal does it
  storage::Batch batch;
  const auto oldest = storage::first_notice(f.kv).value();
  storage::remove_notices(batch, oldest, end_of_feed(f.kv).value() - 20);
  REQUIRE(f.kv.write(batch, storage::Durability::sync));
  scene.answer = {};
  scene.tell_all(teller);
  // the chain that was held, and those whose notices are kept
  CHECK(scene.count(Metric::trace_gaps) == 1);
  CHECK(scene.spans.size() > kSpansOfOne);
  CHECK(scene.spans.size() < kChains * kSpansOfOne);
  CHECK(scene.count(Metric::trace_spans, 0) == static_cast<std::int64_t>(scene.spans.size()));
  CHECK(orphans_of(scene.spans).empty());
  CHECK(scene.recorded == end_of_feed(f.kv).value());
}

TEST_CASE("telling traces: spans that are refused are counted and dropped, and the next ones go on") {
  Fixture f{{.settings = kTold}};
  run_chains(f, 0, 1);
  TellerScene scene{f};
  scene.answer = {Telling::Outcome::refused, {}};
  TraceTeller teller{scene.options, 1};
  scene.tell_all(teller);
  CHECK(scene.count(Metric::trace_spans, 1) == static_cast<std::int64_t>(kSpansOfOne));
  scene.answer = {};
  run_chains(f, 1, 2);
  scene.tell_all(teller);
  CHECK(scene.spans.size() == kSpansOfOne);
}

TEST_CASE("telling traces: a chain that was removed is a gap, and a read that fails is made again") {
  Fixture f{{.settings = kTold}};
  run_chains(f, 0, 3);
  f.tell(actors::RemoveChains{.chains = {ChainId{"t1"}}, .reason = ""});
  f.run();
  TellerScene scene{f, 512, &f.reads};
  TraceTeller teller{scene.options, 1};
  f.reads.refuse = [](std::string_view) { return true; };
  CHECK_FALSE(teller.turn());
  f.reads.refuse = nullptr;
  scene.tell_all(teller);
  CHECK(scene.spans.size() == 2 * kSpansOfOne);
  CHECK(scene.count(Metric::trace_gaps) == 1);
}

}  // namespace catena::coordinator::test
