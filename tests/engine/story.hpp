#pragma once
// A chain that a test drives by hand.
#include <catch2/catch.hpp>

#include "tests/engine/builder.hpp"
#include "tests/engine/invariants.hpp"

namespace catena::engine::test {

/// Every decision is checked.
struct Story {
  PreparedProgram prepared;
  ChainState state;
  UnixMillis now = 1000;
  Decision last;

  explicit Story(lang::Program program, Start start = {}) : prepared{prepared_of(std::move(program))} { feed(std::move(start)); }

  Story& feed(decltype(Input::what) what) {
    const auto before = state;
    const Input input{std::move(what), now};
    last = decide(prepared, state, input);
    REQUIRE(check_decision(prepared, before, input, last, state) == "");
    REQUIRE(check_codec(state) == "");
    return *this;
  }
  Story& begin(StepIndex step) { return feed(Evaluated{{step, state.steps[step].visit + 1}, Begin{inline_payload("{}")}, {}}); }
  Story& expand(StepIndex step, std::uint32_t width) { return feed(Evaluated{{step, state.steps[step].visit + 1}, Expand{width, {}}, {}}); }
  Story& offer(StepIndex step, std::uint32_t items = 1) { return feed(Offer{{step, state.steps[step].visit}, WorkerId{"w"}, 1, items}); }
  Story& run(StepIndex step) { return begin(step).offer(step); }
  Story& report(GrantId grant, ItemIndex item, Outcome outcome = Outcome::ok, bool retryable = false) {
    Report made{grant, 1, {}};
    auto& row = made.items.emplace_back();
    row.item = item;
    row.outcome = outcome;
    if (outcome == Outcome::ok) row.response = inline_payload("1");
    row.error = make_error(Code::tool_failed, "it fell over");
    row.error.retryable = retryable;
    return feed(std::move(made));
  }
  Story& lose() { return feed(WorkerLost{WorkerId{"w"}, 1, {}}); }
  Story& shape(StepIndex step, decltype(Shaped::outcome) outcome, std::vector<std::string> warnings = {}) {
    return feed(Shaped{{step, state.steps[step].visit}, std::move(outcome), std::move(warnings), {}});
  }
  Story& postpone(GrantId grant, ItemIndex item, Millis by) {
    Report made{grant, 1, {}};
    auto& row = made.items.emplace_back();
    row.item = item;
    row.outcome = Outcome::failed;
    row.error = make_error(Code::postponed, "not yet");
    row.error.details = Json{{"retry_after_ms", by.count()}};
    return feed(std::move(made));
  }
  [[nodiscard]] bool owes(const Effect& effect) const { return std::ranges::binary_search(outstanding(prepared, state), effect); }
  [[nodiscard]] VisitStatus status(StepIndex step) const { return state.steps[step].status; }
};

}  // namespace catena::engine::test
