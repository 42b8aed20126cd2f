#include "coordinator/substitution.hpp"

#include <fmt/format.h>

#include <memory>

#include "coordinator/evaluation.hpp"
#include "coordinator/named_step.hpp"
#include "coordinator/repair.hpp"
#include "coordinator/wrong_member.hpp"
#include "engine/outstanding.hpp"

namespace catena::coordinator {
namespace {

using engine::VisitStatus;

Result<void> check_plain(const std::string& name, StepIndex step, const SubstituteIn& in) {
  const auto& visit = in.state.steps[step];
  const auto refuse = [&](std::string_view why) { return fail(Code::chain_state, fmt::format("step '{}' {}", name, why)); };
  const bool ended = engine::terminal(in.state.status);
  if (visit.status == VisitStatus::completed) return refuse("has a response already; `catena retry --from` runs it again");
  if (settled(visit.status) && visit.status != VisitStatus::failed && !ended) return refuse("has ended, and the chain has gone on behind it");
  const bool begins = visit.status == VisitStatus::blocked || (visit.status == VisitStatus::failed && visit.entered_at == 0);
  if (begins && in.state.status == engine::ChainStatus::paused)
    return refuse("has not begun, and nothing begins while the chain is paused; `catena unpause` lets it go on");
  if (visit.status == VisitStatus::blocked && (ended || !engine::gate_open(in.prepared, in.state, step)))
    return refuse("has not begun: it waits for others, and can be skipped when its turn has come");
  return {};
}

/// Items that run at the moment.
IndexSet on_their_way(const engine::ChainState& state, const VisitId& visit) {
  IndexSet items;
  for (const auto& [id, grant] : state.grants) {
    if (grant.visit == visit) items.insert(grant.open);
  }
  return items;
}

Result<void> check_items(const std::string& name, StepIndex step, const IndexSet& items, const SubstituteIn& in) {
  const auto& visit = in.state.steps[step];
  const auto refuse = [&](const std::string& why) { return fail(Code::chain_state, fmt::format("step '{}': {}", name, why)); };
  if (visit.entered_at == 0) return refuse("its list is not known yet, so none of its items can be skipped");
  if (in.prepared.program->steps[step].each->carries) return refuse("its rounds go on from one another: none can be skipped");
  if (!engine::terminal(in.state.status) && visit.status == VisitStatus::blocked) return refuse("it has not begun anew yet");
  if (items.empty()) return fail(Code::usage, fmt::format("step '{0}' is a fan-out: name the items, as in {0}/3 or {0}/3,7-9", name));
  if (!IndexSet::range(0, visit.width).contains(items))
    return fail(Code::usage, fmt::format("step '{}' has {} items, from 0 on; not all of {} are among them", name, visit.width, to_text(items)));
  IndexSet have;
  items.for_each([&](ItemIndex item) {
    if (visit.ok.test(item)) have.insert(item);
  });
  if (!have.empty()) return refuse(fmt::format("{} {} a response already", to_text(have), have.size() == 1 ? "has" : "have"));
  if (const auto flying = both(items, on_their_way(in.state, {step, visit.visit})); !flying.empty())
    return refuse(fmt::format("{} {} at the moment: try again when {} ended", to_text(flying), flying.size() == 1 ? "runs" : "run",
                              flying.size() == 1 ? "it has" : "they have"));
  return {};
}

/// What has failed in a chain that goes on is opened again before it has a response.
Result<void> check_opening(const engine::Substitute& given, const SubstituteIn& in) {
  if (engine::terminal(in.state.status)) return {};
  const auto opening = engine::opening_of(in.state, given);
  if (!opening) {
    if (!engine::is_cut_off(in.prepared, in.state, given.step)) return {};
    return fail(Code::chain_state, fmt::format("chain '{}' is about to end; what it has left can be skipped when it has ended", in.chain.value));
  }
  const auto plan = engine::plan_repair(in.prepared, in.state, *opening);
  const auto hindrance = engine::obstacle_of(in.prepared, in.state, *opening, plan);
  if (hindrance) return fail(refusal_of(*hindrance, in.chain, *in.prepared.program));
  return {};
}

}  // namespace

Result<engine::Substitute> substitute_of(const actors::Control& control, const SubstituteIn& in, Records& records) {
  auto given = std::get<engine::Substitute>(control.what);
  const auto step = named_step(*in.prepared.program, in.chain, control.step);
  if (!step) return fail(of_member("step", step.error()));
  given.step = *step;
  if (in.prepared.program->steps[*step].each) {
    if (auto fits = check_items(control.step, *step, given.items, in); !fits) return fail(std::move(fits).error());
  } else {
    if (!given.items.empty())
      return fail(of_member("items", make_error(Code::usage, fmt::format("step '{}' is no fan-out: it has no items", control.step))));
    if (auto fits = check_plain(control.step, *step, in); !fits) return fail(std::move(fits).error());
    given.items = IndexSet::one(0);
  }
  if (auto opens = check_opening(given, in); !opens) return fail(std::move(opens).error());
  given.reason = control.reason;
  ChainScope scope{in.sources, in.chain, *in.prepared.program, in.state};
  auto variables = evaluate_given(*in.prepared.program, *step, scope, lang::JsonText{given.response.text}, records);
  if (!variables) return fail(of_member("response", std::move(variables).error()));
  given.variables = std::move(*variables);
  given.response = records.write(std::move(given.response.text));
  return given;
}

Result<void> check_substitute(const actors::Control& control, const SubstituteIn& in) {
  Records unwritten{[](const Records::Batch&) {}, std::make_shared<ContentHolds>()};
  return substitute_of(control, in, unwritten).map([](const auto&) {});
}

}  // namespace catena::coordinator
