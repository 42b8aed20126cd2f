#pragma once
// Spans of a chain, made from its journal once the chain has ended: nothing is held open meanwhile, and whoever makes them again makes the same.
// What tools were given and answered is never in them.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/trace_context.hpp"
#include "engine/engine.hpp"
#include "lang/program/program.hpp"

namespace catena::coordinator {

struct Span {
  std::string trace;
  std::string id;
  std::string parent;  // empty: none
  std::string name;
  UnixMillis begin = 0;
  UnixMillis end = 0;
  std::string error;  // its code; empty: none
  std::string tracestate;
  Json attributes = Json::object();  // texts, numbers and booleans
  std::vector<SpanName> links;
};

struct TraceBounds {
  std::size_t spans_max = 2'000;   // of a part of a chain
  std::size_t slowest = 20;        // attempts of one fan-out that are spans because of the time they took
  std::uint64_t one_in = 100;      // of its other attempts, by hash
  std::size_t chain_max = 10'000;  // of all parts since the chain was submitted or retried
};

struct ChainSpans {
  std::vector<Span> spans;
  std::uint64_t left_out = 0;
};

/// Folds the events of a chain in their order. O(events + attempts); what is kept is bounded.
class SpanMaker {
 public:
  explicit SpanMaker(ChainId chain, TraceBounds bounds = {});
  ~SpanMaker();
  SpanMaker(const SpanMaker&) = delete;
  SpanMaker& operator=(const SpanMaker&) = delete;

  /// `program`: what the chain ran when it ended; null where nobody knows, and steps are called by their numbers.
  void name_steps(std::shared_ptr<const lang::Program> program);
  void add(const engine::Event& event);
  /// What is known of the chain so far.
  [[nodiscard]] const engine::ChainState& state() const;
  /// Those since the chain was submitted, or retried last. None where who started it did not want it sampled.
  [[nodiscard]] ChainSpans take();

 private:
  class Maker;
  std::unique_ptr<Maker> maker_;
};

}  // namespace catena::coordinator
