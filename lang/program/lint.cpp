#include "lang/program/lint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "lang/program/state_uses.hpp"

namespace catena::lang {
namespace {

constexpr std::array<std::string_view, 3> kAlwaysThere{"chain_id", "chain_name", "started_at"};

bool is_written(const Place& place) { return place.line != 0; }

std::optional<StepIndex> target(const Route& route) {
  const auto* go = std::get_if<Go>(&route);
  return go == nullptr ? std::nullopt : std::optional{go->target};
}

class SequenceLint {
 public:
  SequenceLint(const Program& program, const std::vector<WrittenJumps>& jumps, Report& report) : program_{program}, jumps_{jumps}, report_{report} {}

  void unreachable() {
    if (!program_.entry || (program_.block && program_.block->branches)) return;
    std::vector<bool> reached(program_.steps.size());
    std::vector<StepIndex> open{*program_.entry};
    while (!open.empty()) {
      const auto index = open.back();
      open.pop_back();
      if (reached[index]) continue;
      reached[index] = true;
      const auto& step = program_.steps[index];
      if (step.when && index + 1U < program_.steps.size()) open.push_back(index + 1U);  // it may be skipped
      for (const auto* route : {&step.ok, &step.failed}) {
        if (const auto next = target(*route)) open.push_back(*next);
      }
    }
    for (std::size_t index = 0; index < reached.size(); ++index) {
      if (reached[index]) continue;
      const auto& step = program_.steps[index];
      report_.warn(Code::step_unreachable,
                   fmt::format("step '{}' is never reached: every step before it goes elsewhere, and no 'next' names it", step.name), step.where);
    }
  }

  void handlers() {
    std::set<StepIndex> told;
    for (StepIndex index = 0; index < jumps_.size(); ++index) {
      const auto handler = is_written(jumps_[index].on_failure) ? target(program_.steps[index].failed) : std::nullopt;
      if (!handler || *handler == 0 || !told.insert(*handler).second) continue;
      const auto& before = program_.steps[*handler - 1];
      if (is_written(jumps_[*handler - 1].on_success) || target(before.ok) != handler) continue;
      report_.warn(Code::falls_into_handler,
                   fmt::format("step '{0}' goes on into '{1}' when it succeeds, and '{1}' is where '{2}' goes when it fails; if '{1}' is only for "
                               "failures, give '{0}' an 'on_success' with 'next: end', or with the step that is to follow",
                               before.name, program_.steps[*handler].name, program_.steps[index].name),
                   before.where);
    }
  }

  void ambiguous_jumps() {
    for (const auto& step : program_.steps) ++count_[step.name];
    for (std::size_t index = 0; index < jumps_.size(); ++index) {
      ambiguous(jumps_[index].on_success, program_.steps[index].ok);
      ambiguous(jumps_[index].on_failure, program_.steps[index].failed);
    }
  }

  void retries() {
    for (const auto& step : program_.steps) {
      if (step.retry.max_attempts == 1 || step.effect != EffectClass::at_most_once) continue;
      report_.warn(Code::retry_not_idempotent,
                   fmt::format("step '{}' is tried again when it fails, but what it calls says 'effect: at_most_once': what it does may happen twice",
                               step.name),
                   step.where);
    }
  }

 private:
  void ambiguous(const Place& where, const Route& route) {
    const auto chosen = target(route);
    if (!is_written(where) || !chosen) return;
    const auto& name = program_.steps[*chosen].name;
    const auto count = count_[name];
    if (count < 2) return;
    report_.warn(Code::id_duplicate,
                 fmt::format("'next: {}' means the first of {} steps of that name (line {}); give each a 'name' of its own", name, count,
                             program_.steps[*chosen].where.line),
                 where);
  }

  const Program& program_;
  const std::vector<WrittenJumps>& jumps_;
  Report& report_;
  std::map<std::string_view, std::size_t> count_;  // steps of a name
};

using VariableNames = std::set<std::string, std::less<>>;

class VariableLint {
 public:
  VariableLint(const NestedPrograms& nested, Report& report) : nested_{nested}, report_{report} {}

  /// `there`: what the program finds in the state when it begins.
  void check(const Program& program, VariableNames there) {
    const auto written = written_by(program);
    there.insert(written.begin(), written.end());
    if (program.block && !program.block->branches) there.insert(program.block->item);
    for (const auto& step : program.steps) {
      for_each_state_use(step, [&](const StateUse& use) { check(use, there); });
      const auto* block = block_of(step);
      if (block == nullptr) continue;
      if (step.gather) collected(step, *block);
      check(*block, there);
    }
  }

 private:
  void check(const StateUse& use, const VariableNames& there) {
    if (!use.name || use.handed_on || there.contains(*use.name) || (use.in_write && *use.name == "response")) return;
    const auto* hint = lost_.contains(*use.name) ? "; the rounds of a concurrent loop keep theirs to themselves, 'collect' makes a list of them" : "";
    const std::vector<std::string> known{there.begin(), there.end()};
    report_.warn(Code::variable_unwritten,
                 fmt::format("nothing writes the variable '{}' that is read here{}{}", *use.name,
                             *hint != 0 ? std::string{} : report_.suggestion(*use.name, known), hint),
                 use.where);
  }

  void collected(const Step& step, const Program& block) {
    const auto written = written_by(block);
    for (const auto& name : step.gather->lists) {
      if (written.contains(name) || (block.block && block.block->item == name)) continue;
      report_.warn(Code::variable_unwritten, fmt::format("'collect: {}': no step of the loop writes that variable", name), step.where);
    }
  }

  /// What the program's steps leave in its state.
  VariableNames written_by(const Program& program) {
    VariableNames written;
    for (const auto& step : program.steps) {
      for (const auto& write : step.writes) written.insert(write.name);
      if (!step.retry_counter.empty()) written.insert(step.retry_counter);
      const auto* block = block_of(step);
      if (block == nullptr || !step.gather) continue;
      auto inside = written_by(*block);
      written.insert(step.gather->lists.begin(), step.gather->lists.end());
      (step.gather->state ? written : lost_).merge(inside);
    }
    return written;
  }

  [[nodiscard]] const Program* block_of(const Step& step) const {
    const auto* call = std::get_if<ProgramCall>(&step.call);
    const auto found = call == nullptr ? nested_.end() : nested_.find(call->definition);
    return found == nested_.end() || !found->second.block ? nullptr : &found->second;
  }

  const NestedPrograms& nested_;
  Report& report_;
  VariableNames lost_;  // written by rounds that keep it
};

}  // namespace

void lint_sequence(const Program& program, const std::vector<WrittenJumps>& jumps, Report& report) {
  SequenceLint lint{program, jumps, report};
  lint.unreachable();
  lint.handlers();
  lint.ambiguous_jumps();
  lint.retries();
}

void lint_variables(const Program& program, const NestedPrograms& nested, Report& report) {
  if (program.arguments.additional) return;
  VariableNames there{kAlwaysThere.begin(), kAlwaysThere.end()};
  for (const auto& field : program.arguments.fields) there.insert(field.name);
  VariableLint{nested, report}.check(program, std::move(there));
}

}  // namespace catena::lang
