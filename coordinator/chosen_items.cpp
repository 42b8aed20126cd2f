#include "coordinator/chosen_items.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/cut_text.hpp"
#include "engine/items.hpp"
#include "lang/expr/check.hpp"
#include "lang/expr/eval_text.hpp"
#include "lang/fn/value.hpp"
#include "storage/chain_store.hpp"

namespace catena::coordinator {
namespace {

using engine::VisitStatus;

constexpr std::size_t kBytesQuoted = 200;  // of an expression, in an error
// What evaluating may take: so much for each failed item, where that is more than an evaluation has anywhere else.
constexpr std::uint64_t kStepsOfItem = 2'000;
constexpr std::uint64_t kBytesOfItem = 4096;

class Chooser {
 public:
  Chooser(const lang::expr::Expression& expression, const lang::Program& program, const ChooseFrom& from, std::uint64_t failed)
      : expression_{expression}, program_{program}, from_{from} {
    limits_.steps_max = std::max(limits_.steps_max, failed * kStepsOfItem);
    limits_.bytes_max = std::max(limits_.bytes_max, failed * kBytesOfItem);
  }

  /// The items of the step that it holds for.
  Result<IndexSet> of(StepIndex step) {
    const auto& visit = from_.state.steps[step];
    IndexSet chosen;
    for (ItemIndex item = 0; item < visit.width; ++item) {  // of those that succeeded nothing is read
      if (!visit.bad.test(item)) continue;
      const auto payload = storage::load_item(from_.kv, from_.chain, {step, visit.visit}, item);
      if (!payload) return fail(payload.error());
      if (!*payload) continue;
      auto holds = holds_for(step, item, **payload);
      if (!holds) return fail(std::move(holds).error());
      if (*holds) chosen.insert(item);
    }
    return chosen;
  }

 private:
  Result<bool> holds_for(StepIndex step, ItemIndex item, std::string_view payload) {
    const auto record = storage::decode_item(payload);
    if (!record) return fail(record.error());
    auto error = Json::parse(record->text, nullptr, false);
    const Json context{{"error", error.is_discarded() ? Json{} : std::move(error)}, {"step", program_.steps[step].id}, {"item", item}};
    const lang::expr::ObjectVariables variables{context};
    const auto value = lang::expr::evaluate(expression_, {.variables = variables, .now = from_.now, .limits = limits_, .usage = &usage_});
    if (value) return lang::fn::truthy(*value);
    if (value.error().code == Code::reference_unresolved) return false;
    auto wrong = value.error();
    wrong.message = fmt::format("of item {} of step '{}': {}", item, program_.steps[step].id, wrong.message);
    return fail(std::move(wrong));
  }

  const lang::expr::Expression& expression_;
  const lang::Program& program_;
  const ChooseFrom& from_;
  lang::expr::Limits limits_;  // one bound for all items
  lang::expr::Usage usage_;
};

/// Fan-outs whose failed items may be chosen from.
bool offers(const lang::Step& step, const engine::VisitState& visit) {
  if (!visit.fan_out || visit.bad.count() == 0 || !step.each || step.each->carries) return false;
  // A sequence goes on where it failed; what it went past stays as it is.
  if (!is_entry(step) || visit.status == VisitStatus::running) return true;
  return visit.status == VisitStatus::failed && std::holds_alternative<lang::FinishFailed>(step.failed);
}

/// Of a step that failed as much has to be chosen as takes it below what it tolerates.
Result<void> check_enough(const lang::Step& step, const engine::VisitState& visit, const IndexSet& chosen) {
  const bool fails = visit.status == VisitStatus::running && engine::verdict_of(step, visit) == engine::Verdict::failed;
  if (visit.status != VisitStatus::failed && !fails) return {};
  const auto left = visit.bad.count() - chosen.size();
  const auto bearable = engine::tolerated(step, visit);
  if (left <= bearable) return {};
  return fail(Code::chain_state,
              fmt::format("step '{}' would fail again: `where` holds for {} of its {} failed items, and of the others only {} may stay "
                          "failed; choose more, give them responses with `catena skip`, or leave out --where",
                          step.id, chosen.size(), visit.bad.count(), bearable));
}

}  // namespace

Result<void> add_chosen(actors::RepairWish& wish, const ChooseFrom& from) {
  if (wish.where.empty()) return {};
  if (wish.only_failed) return fail(Code::usage, "--failed runs all failed items again, and --where some of them: name one of the two");
  const auto compiled = lang::expr::compile(wish.where, {.variables = std::vector<std::string>{"error", "item", "step"}});
  if (!compiled) {
    auto wrong = compiled.error();
    wrong.message = fmt::format("`{}`: {}", cut_text(wish.where, kBytesQuoted), wrong.message);
    return fail(std::move(wrong));
  }
  if (from.state.status == engine::ChainStatus::pending || from.state.status == engine::ChainStatus::quarantined) return {};
  const auto found = from.had.programs.find(from.state.definition);
  if (found == from.had.programs.end())
    return fail(Code::chain_state,
                fmt::format("the definition '{}' that chain '{}' runs is not in its package", from.state.definition, from.chain.value));
  const auto& program = *found->second;
  std::vector<StepIndex> offering;
  std::uint64_t failed = 0;
  for (StepIndex step = 0; step < std::min(from.state.steps.size(), program.steps.size()); ++step) {
    if (!offers(program.steps[step], from.state.steps[step])) continue;
    offering.push_back(step);
    failed += from.state.steps[step].bad.count();
  }
  if (failed > kItemsChosenFromMax)
    return fail(Code::usage, fmt::format("{} items of chain '{}' failed, and an expression chooses from {} at most: name them with --items", failed,
                                         from.chain.value, kItemsChosenFromMax));
  Chooser chooser{**compiled, program, from, failed};
  bool any = false;
  for (const auto step : offering) {
    const auto chosen = chooser.of(step);
    if (!chosen) return fail(chosen.error());
    if (auto enough = check_enough(program.steps[step], from.state.steps[step], *chosen); !enough) return enough;
    if (chosen->empty()) continue;
    any = true;
    wish.items[program.steps[step].id].insert(*chosen);
  }
  if (any) return {};
  return fail(Code::chain_state, fmt::format("`where` holds for none of the {} failed items of chain '{}'", failed, from.chain.value));
}

}  // namespace catena::coordinator
