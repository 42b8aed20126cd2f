// Spans of chains, made from their journals.
#include "coordinator/traces/spans.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "actors/worker_offer.hpp"
#include "base/limits.hpp"
#include "coordinator/traces/otlp.hpp"
#include "tests/coordinator/fixture.hpp"

namespace catena::coordinator::test {
namespace {

constexpr UnixMillis kSpansBegin = 1'700'000'000'000;
const std::string kSpansTrace = "4bf92f3577b34da6a3ce929d0e0e4736";
const std::string kSpansParent = "00-" + kSpansTrace + "-00f067aa0ba902b7-01";
const ChainId kSpansChain{"c"};
const WorkerId kSpansWorker{"w"};

/// Those since the last retry, with the names of the package's steps.
ChainSpans spans_of(const Fixture& f, const std::string& chain, const Pinned& package, const std::string& definition = {}) {
  SpanMaker maker{ChainId{chain}};
  for (const auto& event : f.history(chain)) maker.add(event);
  maker.name_steps(package->programs.at(definition.empty() ? package->root : definition));
  return maker.take();
}

ChainSpans spans_of(const std::vector<engine::Event>& events, TraceBounds bounds = {}) {
  SpanMaker maker{kSpansChain, bounds};
  for (const auto& event : events) maker.add(event);
  return maker.take();
}

/// Every parent is a span of the same trace, or the one that was given; ids are there once.
void check_family(const ChainSpans& made, const std::string& given = {}) {
  std::set<std::pair<std::string, std::string>> ids;
  for (const auto& span : made.spans) CHECK(ids.emplace(span.trace, span.id).second);
  for (const auto& span : made.spans) {
    INFO(span.name);
    CHECK((span.parent.empty() || span.parent == given || ids.contains({span.trace, span.parent})));
    CHECK(span.begin <= span.end);
  }
}

engine::ChainStarted started_with(TraceContext trace, std::uint32_t steps = 1) {
  engine::ChainStarted event;
  event.steps = steps;
  event.at = kSpansBegin;
  event.trace = std::move(trace);
  return event;
}

engine::ItemsExpanded expanded(std::uint32_t width) {
  engine::ItemsExpanded event;
  event.visit = {0, 1};
  event.width = width;
  event.at = kSpansBegin + 1;
  return event;
}

engine::Granted granted(GrantId grant, IndexSet items, UnixMillis at, const WorkerId& worker = kSpansWorker) {
  return {grant, {0, 1}, worker, 1, std::move(items), at};
}

engine::ItemsSettled settled_items(GrantId grant, IndexSet ok, IndexSet bad, UnixMillis at) {
  engine::ItemsSettled event;
  event.grant = grant;
  event.visit = {0, 1};
  if (!bad.empty()) event.error = make_error(Code::tool_failed, "the secret word");
  event.ok = std::move(ok);
  event.bad = std::move(bad);
  event.at = at;
  return event;
}

/// A fan-out whose items all come in orders of a thousand; each hundred-thousandth fails.
std::vector<engine::Event> large_fan_out(std::uint32_t width, std::uint32_t fails_each, const WorkerId& worker = kSpansWorker,
                                         TraceContext trace = {}) {
  constexpr std::uint32_t kOrder = 1'000;
  std::vector<engine::Event> events{started_with(std::move(trace)), expanded(width)};
  std::uint32_t orders = 0;
  for (std::uint32_t first = 0; first < width; first += kOrder) {
    const auto all = IndexSet::range(first, std::min(first + kOrder, width));
    events.emplace_back(granted(++orders, all, kSpansBegin + first, worker));
    IndexSet bad;
    all.for_each([&](ItemIndex item) {
      if (item % fails_each == fails_each - 1) bad.insert(item);
    });
    auto ok = all;
    ok.erase(bad);
    events.emplace_back(settled_items(orders, ok, bad, kSpansBegin + first + 1 + orders % 97));
  }
  engine::VisitSettled visit;
  visit.visit = {0, 1};
  visit.at = kSpansBegin + width + 100;
  events.emplace_back(visit);
  engine::ChainFinished finished;
  finished.at = visit.at;
  events.emplace_back(finished);
  return events;
}

std::map<std::string, std::size_t> count_names(const ChainSpans& made) {
  std::map<std::string, std::size_t> names;
  for (const auto& span : made.spans) ++names[span.name];
  return names;
}

}  // namespace

TEST_CASE("spans of a chain: one for it, one for each visit, one for each attempt, each below the other") {
  Fixture f;
  f.script.on("c/a", 1, failure(Code::tool_temporary, true));
  f.script.on("c/b", failure(Code::tool_failed));
  const auto package =
      pin(composite({step("a", R"("retry": {"max_attempts": 2, "initial_interval": "1s", "jitter": 0})"), step("b", R"("dependencies": ["a"])")},
                    R"("name": "orders")"));
  actors::Submission submission;
  submission.chain = kSpansChain;
  submission.package = package;
  submission.definition = package->root;
  submission.arguments = engine::inline_payload(R"({"secret": "word"})");
  submission.context = engine::inline_payload("{}");
  submission.trace = {kSpansParent, "v=1", false};
  f.tell(std::move(submission));
  f.await();
  CHECK(f.finish().status == engine::ChainStatus::failed);
  const auto made = spans_of(f, "c", package);
  check_family(made, "00f067aa0ba902b7");
  REQUIRE(made.spans.size() == 6);
  CHECK(made.left_out == 0);
  const ChainTrace trace{kSpansTrace, 1, 0, {}};
  const auto& root = made.spans[0];
  CHECK(root.name == "invoke_workflow orders");
  CHECK(root.id == chain_span(trace, kSpansChain));
  CHECK(root.parent == "00f067aa0ba902b7");
  CHECK(root.error == "tool_failed");
  CHECK(root.tracestate == "v=1");
  CHECK(root.attributes == Json{{"catena.chain.id", "c"},
                                {"catena.chain.status", "failed"},
                                {"catena.definition", "orders"},
                                {"catena.trace.part", 0},
                                {"gen_ai.operation.name", "invoke_workflow"}});
  CHECK(made.spans[1].name == "a");
  CHECK(made.spans[1].id == visit_span(trace, kSpansChain, "a", 1));
  CHECK(made.spans[1].parent == root.id);
  const auto attempt = std::ranges::find(made.spans, attempt_span(trace, kSpansChain, "a", 1, 0, 1), &Span::id);
  REQUIRE(attempt != made.spans.end());
  CHECK(attempt->parent == made.spans[1].id);
  CHECK(attempt->error == "tool_temporary");
  CHECK(attempt->attributes["catena.attempt"] == 1);
  CHECK(attempt->attributes["catena.attempt.outcome"] == "failed");
  CHECK(attempt->attributes["catena.step"] == "a");
  CHECK(attempt->attributes["gen_ai.operation.name"] == "execute_tool");
  CHECK(attempt->attributes.contains("catena.worker"));
  CHECK_FALSE(attempt->attributes.contains("catena.item"));
  CHECK(std::ranges::count(made.spans, attempt_span(trace, kSpansChain, "a", 1, 0, 2), &Span::id) == 1);
  CHECK(otlp_json(made.spans, {}, "1").find("word") == std::string::npos);
  CHECK(otlp_json(made.spans, {}, "1") == otlp_json(spans_of(f, "c", package).spans, {}, "1"));
}

TEST_CASE("spans of a child chain are below the attempt that it is where a trace was given, and linked to it where not") {
  const auto package =
      pin(composite({step("sub", {}, "/inner.tool"), step("many", over(3), "/inner.tool")}), {{"/inner.tool", composite({step("x")})}});
  for (const auto& given : {kSpansParent, std::string{}}) {
    INFO(given);
    Fixture f;
    actors::Submission submission;
    submission.chain = kSpansChain;
    submission.package = package;
    submission.definition = package->root;
    submission.arguments = engine::inline_payload("{}");
    submission.context = engine::inline_payload("{}");
    submission.trace.parent = given;
    f.tell(std::move(submission));
    f.await();
    CHECK(f.finish().status == engine::ChainStatus::succeeded);
    const auto parent = spans_of(f, "c", package);
    check_family(parent, "00f067aa0ba902b7");
    const auto above = [&](const std::string& step) { return std::ranges::find(parent.spans, "chain of " + step, &Span::name); };
    const auto definition = f.state("c/sub").definition;
    const auto root = spans_of(f, "c/sub", package, definition).spans.at(0);
    REQUIRE(above("sub") != parent.spans.end());
    CHECK((root.parent == above("sub")->id) == !given.empty());
    CHECK((root.trace == above("sub")->trace) == !given.empty());
    CHECK((root.links == std::vector{SpanName{above("sub")->trace, above("sub")->id, 1}}) == given.empty());
    CHECK(root.attributes["catena.parent.chain.id"] == "c");
    const auto item = spans_of(f, "c/many/1", package, definition).spans.at(0);
    CHECK(item.parent.empty());
    REQUIRE(item.links.size() == 1);
    CHECK(item.links[0].trace == parent.spans[0].trace);
    CHECK(item.trace != parent.spans[0].trace);
  }
}

TEST_CASE("a retry and a long wait begin traces that are linked to the one before, and no span is told twice with another content") {
  Fixture f;
  const auto package = pin(composite({step("a"), step("b", R"("dependencies": ["a"])")}));
  f.script.on("c/b", failure(Code::tool_failed));
  f.submit(package);
  CHECK(f.finish().status == engine::ChainStatus::failed);
  const auto before = spans_of(f, "c", package);
  f.forget();
  f.script.on("c/b", 1, postponed(Millis{limits::kTraceWaitMsMax + 1'000}));
  f.script.on("c/b", answer("{}"));
  f.control("c", engine::Retry{});
  f.await();
  CHECK(f.finish().status == engine::ChainStatus::succeeded);
  const auto after = spans_of(f, "c", package);
  check_family(after);
  std::set<std::string> ids;
  for (const auto& span : before.spans) ids.insert(span.id);
  for (const auto& span : after.spans) CHECK_FALSE(ids.contains(span.id));
  std::vector<const Span*> roots;
  for (const auto& span : after.spans) {
    if (span.parent.empty()) roots.push_back(&span);
  }
  REQUIRE(roots.size() == 2);
  CHECK(roots[0]->links == std::vector{SpanName{before.spans[0].trace, before.spans[0].id, 1}});
  CHECK(roots[1]->links == std::vector{SpanName{roots[0]->trace, roots[0]->id, 1}});
  CHECK(roots[0]->attributes["catena.trace.part"] == 1);
  CHECK_FALSE(roots[0]->attributes.contains("catena.chain.status"));
  CHECK(roots[1]->attributes["catena.chain.status"] == "succeeded");
}

TEST_CASE("a trace that nobody samples has no spans") {
  auto unsampled = kSpansParent;
  unsampled.back() = '0';
  CHECK(spans_of(large_fan_out(10, 100, kSpansWorker, {unsampled, "", false})).spans.empty());
  CHECK_FALSE(spans_of(large_fan_out(10, 100, kSpansWorker, {kSpansParent, "", false})).spans.empty());
}

TEST_CASE("of a fan-out over a million items there are at most 2,000 spans: its errors, its slowest, some by hash, and the counts") {
  const auto made = spans_of(large_fan_out(1'000'000, 100'000));
  check_family(made);
  CHECK(made.spans.size() <= 2'000);
  CHECK(made.spans.size() > 1'000);
  CHECK(made.left_out == 1'000'002 - made.spans.size());
  CHECK(made.spans[0].attributes["catena.spans.left_out"] == made.left_out);
  CHECK(made.spans[1].attributes["catena.items"] == 1'000'000);
  CHECK(made.spans[1].attributes["catena.attempts"] == 1'000'000);
  CHECK(made.spans[1].attributes["catena.attempts.failed"] == 10);
  CHECK(std::ranges::count(made.spans, std::string{"tool_failed"}, &Span::error) == 10);
  CHECK(otlp_json(made.spans, {}, "1").find("secret word") == std::string::npos);

  // all fail: no more than there is room for
  CHECK(spans_of(large_fan_out(10'000, 1)).spans.size() == 2'000);
  // one in a hundred, the slowest, and no failure
  const auto few = spans_of(large_fan_out(10'000, 1'000'000));
  CHECK(few.spans.size() > 2 + 20 + 50);
  CHECK(few.spans.size() < 2 + 20 + 200);
}

TEST_CASE("branches that go on in a trace are below attempts that are spans, each of them") {
  const auto branches = spans_of(large_fan_out(200, 1'000, WorkerId{std::string{actors::kChainsWorkerName}}, {kSpansParent, "", false}));
  CHECK(branches.spans.size() == 202);
  CHECK(count_names(branches)["chain of 0"] == 200);
}

}  // namespace catena::coordinator::test
