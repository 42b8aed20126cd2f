#include "base/trace_context.hpp"

#include <catch2/catch.hpp>

namespace catena::test {
namespace {

const std::string kGiven = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

}  // namespace

TEST_CASE("a traceparent is read as W3C Trace Context has it") {
  CHECK(read_trace_context("", "").value() == TraceContext{});
  CHECK(read_trace_context(kGiven, "a=1,b@c=2").value() == TraceContext{kGiven, "a=1,b@c=2", false});
  // of a later version: what this one knows of it
  CHECK(read_trace_context("cc" + kGiven.substr(2) + "-more", "").value().parent == kGiven);
  for (const auto& wrong : {std::string{"nonsense"}, "ff" + kGiven.substr(2), kGiven + "-more", kGiven.substr(0, 54),
                            "00-" + std::string(32, '0') + kGiven.substr(35), kGiven.substr(0, 36) + std::string(16, '0') + "-01",
                            "cc" + kGiven.substr(2) + "more", std::string{"00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01"}}) {
    INFO(wrong);
    CHECK(read_trace_context(wrong, "").error().code == Code::field_value);
    CHECK(usable_trace_context(wrong, "a=1") == TraceContext{});
  }
  for (const auto& wrong : {std::string{"a"}, std::string{"A=1"}, std::string{"a=b=c"}, "a=" + std::string(600, 'x'), std::string{"a=\x01"}}) {
    INFO(wrong);
    CHECK(read_trace_context(kGiven, wrong).error().code == Code::field_value);
    CHECK(usable_trace_context(kGiven, wrong) == TraceContext{kGiven, "", false});
  }
  CHECK(read_trace_context("", "a=1").error().code == Code::field_value);
}

TEST_CASE("a span is named by a traceparent and the other way round") {
  const auto name = span_named(kGiven).value();
  CHECK(name == SpanName{"4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7", 1});
  CHECK(traceparent_of(name) == kGiven);
  CHECK(span_named(kGiven.substr(0, 53) + "a0").value().flags == 0xa0);
  CHECK_FALSE(span_named("nonsense"));
}

TEST_CASE("a chain has the trace that it was given, and one of its own where it has none, a link, or another part") {
  const ChainId chain{"c"};
  const auto given = chain_trace(chain, 1'000, {kGiven, "a=1", false}, 0);
  CHECK(given == ChainTrace{"4bf92f3577b34da6a3ce929d0e0e4736", 1, 0, "a=1"});
  CHECK(chain_trace(chain, 1'000, {kGiven, "a=1", false}, 1).state.empty());
  CHECK(chain_trace(chain, 1'000, {kGiven, "a=1", true}, 0).state.empty());
  const auto own = chain_trace(chain, 1'000, {}, 0);
  CHECK(own.id.size() == 32);
  CHECK(own == chain_trace(chain, 1'000, {}, 0));
  CHECK(own.id == chain_trace(chain, 1'000, {kGiven, "", true}, 0).id);
  CHECK(own.id != chain_trace(chain, 1'001, {}, 0).id);
  CHECK(own.id != chain_trace(ChainId{"d"}, 1'001, {}, 0).id);
  CHECK(own.id != chain_trace(ChainId{"d"}, 1'000, {}, 0).id);
  CHECK(own.id == chain_trace(chain, 1'000, {}, 0).id);
  CHECK(own.id != chain_trace(chain, 1'000, {}, 1).id);
  CHECK(chain_trace(chain, 1'000, {kGiven, "", false}, 1).id == chain_trace(chain, 1'000, {}, 1).id);
  CHECK(chain_trace(chain, 1'000, {kGiven.substr(0, 53) + "00", "", false}, 1).flags == 0);
}

TEST_CASE("ids of spans are functions of what they are about") {
  const ChainId chain{"c"};
  const ChainTrace trace{std::string(32, '1'), 1, 0};
  const auto id = attempt_span(trace, chain, "step", 1, 0, 1);
  // golden: these ids are in the stores of receivers, and a chain that goes on under a later version has to come to the same
  CHECK(id == "8371c9a1f7b0ab9c");
  CHECK(visit_span(trace, chain, "step", 1) == "88f0111dfee9a6aa");
  CHECK(chain_span(trace, chain) == "67caf7707eb8b8c8");
  CHECK(chain_trace(chain, 1'700'000'000'000, {}, 0).id == "53bba07768dd0e6cc9f89d649b54a6a4");
  CHECK(id == attempt_span(trace, chain, "step", 1, 0, 1));
  for (const auto& other :
       {attempt_span(trace, chain, "step", 1, 0, 2), attempt_span(trace, chain, "step", 1, 1, 1), attempt_span(trace, chain, "step", 2, 0, 1),
        attempt_span(trace, chain, "other", 1, 0, 1), attempt_span(trace, ChainId{"d"}, "step", 1, 0, 1),
        attempt_span({std::string(32, '1'), 1, 1}, chain, "step", 1, 0, 1), visit_span(trace, chain, "step", 1), chain_span(trace, chain)}) {
    CHECK(other != id);
  }
}

}  // namespace catena::test
