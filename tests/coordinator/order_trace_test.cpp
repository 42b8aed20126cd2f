// What attempts and child chains are told of the trace that their chain belongs to.
#include <catch2/catch.hpp>

#include "base/limits.hpp"
#include "tests/coordinator/fixture.hpp"

namespace catena::coordinator::test {
namespace {

const std::string kTraceGiven = "4bf92f3577b34da6a3ce929d0e0e4736";
const std::string kParentGiven = "00-" + kTraceGiven + "-00f067aa0ba902b7-01";

void submit_traced(Fixture& f, const Pinned& package, TraceContext trace) {
  actors::Submission submission;
  submission.chain = ChainId{"c"};
  submission.package = package;
  submission.definition = package->root;
  submission.arguments = engine::inline_payload("{}");
  submission.context = engine::inline_payload("{}");
  submission.trace = std::move(trace);
  f.tell(std::move(submission));
  f.await();
}

TraceContext trace_kept(const Fixture& f, const std::string& chain) { return f.state(chain).trace.get(); }

/// A step, one that calls a chain, and one that calls a chain for each of two items.
Pinned traced_family() {
  return pin(composite({step("a"), step("sub", R"("dependencies": ["a"])", "/inner.tool"), step("many", over(2), "/inner.tool")}),
             {{"/inner.tool", composite({step("x")})}});
}

}  // namespace

TEST_CASE("a trace that was given goes on in attempts and in the child chain of a plain step, and items begin linked ones") {
  Fixture f;
  submit_traced(f, traced_family(), {kParentGiven, "v=1", false});
  REQUIRE(f.finish().status == engine::ChainStatus::succeeded);
  CHECK(trace_kept(f, "c") == TraceContext{kParentGiven, "v=1", false});
  CHECK(f.script.last("c/a").trace == kTraceGiven);
  CHECK(f.script.last("c/a").tracestate == "v=1");
  const ChainTrace trace{kTraceGiven, 1, 0};
  const auto below = [&](const std::string& step, ItemIndex item) {
    return traceparent_of({kTraceGiven, attempt_span(trace, ChainId{"c"}, step, 1, item, 1), 1});
  };
  CHECK(trace_kept(f, "c/sub") == TraceContext{below("sub", 0), "v=1", false});
  CHECK(f.script.last("c/sub/x").trace == kTraceGiven);
  CHECK(f.script.last("c/sub/x").tracestate == "v=1");
  for (const ItemIndex item : {0U, 1U}) {
    const auto child = "c/many/" + std::to_string(item);
    CHECK(trace_kept(f, child) == TraceContext{below("many", item), "", true});
    CHECK(f.script.last(child + "/x").trace != kTraceGiven);
    CHECK(f.script.last(child + "/x").trace.size() == kTraceGiven.size());
    CHECK(f.script.last(child + "/x").tracestate.empty());
  }
}

TEST_CASE("a chain without a trace has one of its own, after a restart too, and its child chains are linked to it") {
  Fixture f;
  f.script.on("c/a", held());
  submit_traced(f, traced_family(), {});
  f.run();
  const auto told = f.script.last("c/a").trace;
  CHECK(told == chain_trace(ChainId{"c"}, f.state().started_at, {}, 0).id);
  f.crash();
  f.script.on("c/a", answer("{}"));
  f.resume();
  f.await();
  REQUIRE(f.finish().status == engine::ChainStatus::succeeded);
  CHECK(f.script.last("c/a").trace == told);
  CHECK(trace_kept(f, "c/sub").linked);
  CHECK(span_named(trace_kept(f, "c/sub").parent)->trace == told);
  CHECK(f.script.last("c/sub/x").trace != told);
}

TEST_CASE("a retry, and what comes behind a long wait, have traces of their own") {
  Fixture f;
  f.script.on("c/a", failure(Code::tool_failed));
  submit_traced(f, pin(composite({step("a")})), {kParentGiven, "v=1", false});
  CHECK(f.finish().status == engine::ChainStatus::failed);
  CHECK(f.script.last("c/a").trace_part == 0);
  f.forget();
  f.script.on("c/a", postponed(Millis{limits::kTraceWaitMsMax + 1'000}));
  f.control("c", engine::Retry{});
  f.await();
  f.run();
  CHECK(f.script.last("c/a").trace_part == 1);
  CHECK(f.script.last("c/a").trace != kTraceGiven);
  CHECK(f.script.last("c/a").tracestate.empty());
  const auto second = f.script.last("c/a").trace;
  f.script.on("c/a", answer("{}"));
  CHECK(f.finish().status == engine::ChainStatus::succeeded);
  CHECK(f.script.last("c/a").trace_part == 2);
  CHECK(f.script.last("c/a").trace != second);
}

TEST_CASE("a trace context that is wrong is refused with the submission, and the state of a chain keeps a right one") {
  Fixture f;
  submit_traced(f, pin(composite({step("a")})), {"nonsense", "", false});
  f.run();
  REQUIRE_FALSE(f.refused.empty());
  CHECK(f.refused[0].error.code == Code::field_value);
  engine::ChainState state;
  state.trace = KeptTrace{{kParentGiven, "v=1", true}};
  state.trace_part = 3;
  CHECK(engine::decode_state(engine::encode(state)).value() == state);
}

}  // namespace catena::coordinator::test
