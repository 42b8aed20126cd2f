#pragma once
// Events and states at random, sensible or not: for what must bear anything.
#include "base/random.hpp"
#include "engine/engine.hpp"

namespace catena::engine::test {

class Samples {
 public:
  explicit Samples(std::uint64_t seed) : state_{mix(seed)} {}

  std::uint64_t number() { return state_ = mix(state_); }
  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(number() % bound); }
  /// Mostly small, now and then at the edge of its type.
  std::uint32_t count() { return below(20) == 0 ? UINT32_MAX - below(3) : below(12); }
  UnixMillis time() { return static_cast<UnixMillis>(below(1000)); }
  VisitId visit() { return {below(10) == 0 ? count() : below(4), below(10) == 0 ? count() : 1 + below(2)}; }
  IndexSet items() {
    IndexSet set;
    for (auto runs = below(3); runs > 0; --runs) {
      const auto from = below(8);
      set.insert(IndexSet::range(from, below(30) == 0 ? UINT32_MAX : from + below(5)));
    }
    return set;
  }
  std::optional<Error> error() {
    if (below(2) == 0) return std::nullopt;
    auto made = make_error(static_cast<Code>(below(60)), "something", {"f.tool", below(3), below(3)});
    if (below(2) == 0) made.notes = {"a note"};
    if (below(3) == 0) made.details = Json{{"exit_code", 3}};
    if (below(3) == 0) made.cause = std::make_shared<const Error>(make_error(Code::tool_failed, "deeper"));
    return made;
  }
  Payload payload() {
    if (below(3) == 0) return {};
    return below(4) == 0 ? Payload{{}, "abcdef", 70'000} : inline_payload("{\"a\":1}");
  }
  std::map<std::string, Payload> variables() {
    if (below(2) == 0) return {};
    return {{"v", inline_payload(std::to_string(below(9)))}};
  }
  template <class E>
  E status() {
    return static_cast<E>(below(8));
  }

  Terms terms() {
    Terms made;
    if (below(2) == 0) made.window = count();
    if (below(3) == 0) made.tolerated = count();
    if (below(3) == 0) made.tolerated_milli = below(200'000);
    if (below(3) == 0) made.timeout_ms = time();
    if (below(3) == 0) made.attempts = count();
    return made;
  }

  Event event() {
    const auto grant = GrantId{below(6)};
    switch (below(27)) {
      case 0: {
        ChainStarted started;
        started.package = "p";
        started.steps = below(40) == 0 ? count() : 4;
        started.entry = below(2) == 0 ? std::nullopt : std::optional{below(4)};
        started.arguments = payload();
        if (below(4) == 0) started.deadline_at = time();
        if (below(3) == 0) started.labels = {{"team", "a"}, {"stage", "prod"}};
        return started;
      }
      case 1: return VisitEntered{visit(), payload(), time(), time(), below(4) == 0 ? items() : IndexSet{}};
      case 2: return ItemsExpanded{visit(), count(), payload(), time(), time(), below(2) == 0 ? items() : IndexSet{}};
      case 3: return VisitSkipped{visit(), time()};
      case 4: return Warned{visit(), "careful", time()};
      case 5:
      case 6: return Granted{grant, visit(), WorkerId{"w"}, below(3), items(), time()};
      case 7: return AttemptsEnded{grant, visit(), items(), static_cast<Ended>(below(5)), below(2) == 0, error(), time()};
      case 8: return ItemsSettled{grant, visit(), items(), items(), error(), time(), 0, below(3) == 0 ? "ann" : "", below(3) == 0 ? "why" : ""};
      case 9: {
        RetryArmed armed{visit(), items(), {}, time()};
        if (armed.items.size() < 100) armed.items.for_each([&](ItemIndex) { armed.after.push_back(below(100)); });
        return armed;
      }
      case 10: return RetryReleased{visit(), items(), time()};
      case 11: return DoubtCleared{visit(), items(), time(), below(2) == 0 ? "ann" : "", below(2) == 0 ? "why" : ""};
      case 12: {
        VisitSettled settled{visit(), status<VisitStatus>(), payload(), error(), below(2) == 0, time()};
        if (below(4) == 0) settled.given = true, settled.by = "ann", settled.reason = "why";
        return settled;
      }
      case 13: return StateWritten{count(), variables(), time()};
      case 14: return Jumped{count(), count(), time()};
      case 15: return PauseChanged{below(2) == 0, time(), below(3) == 0 ? "why" : "", below(3) == 0 ? "ann" : "", below(2) == 0};
      case 16: return CancelRequested{"why", time(), below(2) == 0, below(2) == 0 ? "ann" : ""};
      case 17: {
        RetryRequested retry;
        for (auto rows = below(4); rows > 0; --rows)
          retry.steps.push_back({count(), time(), below(2) == 0, below(2) == 0, below(3) == 0, below(2) == 0, below(3) == 0 ? items() : IndexSet{}});
        if (below(4) == 0) retry.steps_total = count();
        retry.only_failed = below(3) == 0;
        if (below(2) == 0) retry.by = "ann", retry.reason = "why";
        return retry;
      }
      case 20: {
        Amended amended{
            below(2) == 0 ? std::nullopt : std::optional{count()}, terms(), below(3) == 0 ? std::optional{-3} : std::nullopt, "why", "ann", time()};
        if (below(3) == 0) amended.deadline_at = below(3) == 0 ? 0 : time();
        return amended;
      }
      case 21: return SignalReceived{below(8), below(3) == 0 ? "go" : "stop", payload(), below(2) == 0 ? "k" : "", "ann", "why", time()};
      case 22: return SignalConsumed{visit(), below(8), below(2) == 0, time()};
      case 23: return ApprovalAsked{visit(), items(), time(), time()};
      case 24:
        return ApprovalAnswered{visit(), items(), below(2) == 0, error(), payload(), below(2) == 0 ? "k" : "", below(2) == 0 ? "ann" : "",
                                "why",   time()};
      case 25: {
        ChainForked fork{.source = ChainId{"before"}, .cut = below(2) == 0 ? IndexSet::one(below(4)) : IndexSet{}, .at = time()};
        if (below(2) == 0) fork.back_to = below(4);
        for (auto rows = below(3); rows > 0; --rows) fork.steps.push_back({.step = count(), .anew = below(2) == 0, .keep = below(2) == 0});
        fork.arguments = payload();
        fork.later_ms = below(100);
        if (below(2) == 0) fork.by = "ann", fork.reason = "why", fork.labels = {{"team", "a"}};
        return fork;
      }
      case 19: return ItemsGiven{visit(), items(), time(), below(2) == 0 ? "ann" : "", below(2) == 0 ? "why" : ""};
      case 18: return ChainFailing{make_error(Code::internal, "no"), time()};
      default:
        return below(10) == 0 ? Event{ChainQuarantined{make_error(Code::invariant_broken, "no"), time()}}
                              : Event{ChainFinished{status<ChainStatus>(), payload(), error(), time()}};
    }
  }

 private:
  std::uint64_t state_;
};

}  // namespace catena::engine::test
