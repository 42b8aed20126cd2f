#include "lang/package/call_cycles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace catena::lang {
namespace {

bool never_empty(const Expr& list) {
  if (const auto* literal = std::get_if<Literal>(&list.node)) return literal->value.is_array() && !literal->value.empty();
  const auto* items = std::get_if<ListExpr>(&list.node);
  return items != nullptr && !items->items.empty();
}

/// Whether a run of this sequence can succeed without entering the step.
bool can_pass(const Program& program, StepIndex avoided) {
  std::vector<bool> seen(program.steps.size());
  std::vector<StepIndex> open;
  bool ends = false;
  const auto enter = [&](StepIndex step) {
    if (step >= seen.size()) {
      ends = true;  // behind the last
    } else if (step != avoided && !seen[step]) {
      seen[step] = true;
      open.push_back(step);
    }
  };
  const auto follow = [&](const Route& route) {
    if (const auto* go = std::get_if<Go>(&route)) enter(go->target);
    ends |= std::holds_alternative<FinishOk>(route) || std::holds_alternative<Settle>(route);
  };
  enter(*program.entry);
  while (!open.empty() && !ends) {
    const auto index = open.back();
    open.pop_back();
    const auto& step = program.steps[index];
    follow(step.ok);
    follow(step.failed);
    if (step.when) enter(index + 1);  // it may be skipped
  }
  return ends;
}

class CallCycles {
 public:
  explicit CallCycles(const Package& package) : package_{package} {}

  Result<void> check() {
    for (const auto& [key, program] : package_.programs) {
      if (auto checked = visit(key, *program); !checked) return checked;
    }
    return {};
  }

 private:
  enum class Seen { open, clean };
  struct Link {
    const std::string* key;
    const Program* program;
    const Step* call = nullptr;  // that is being followed
  };

  /// The definition that the step calls in every run that succeeds, if it calls one.
  const std::string* certain_call(const Program& program, StepIndex index) const {
    const auto& step = program.steps[index];
    const auto* call = std::get_if<ProgramCall>(&step.call);
    if (call == nullptr || step.when || (step.each && !never_empty(step.each->over))) return nullptr;
    const auto target = package_.programs.find(call->definition);
    if (target == package_.programs.end() || target->second->block) return nullptr;
    const bool entered = is_entry(step);
    if (entered && (!program.entry || can_pass(program, index))) return nullptr;
    return &target->first;
  }

  Result<void> visit(const std::string& key, const Program& program) {
    const auto [known, fresh] = seen_.try_emplace(&key, Seen::open);
    if (!fresh && known->second == Seen::clean) return {};
    if (!fresh) return fail(circle(key));
    path_.push_back({&key, &program});
    // The branches of a parallel step are entered one by one, none of them by all runs.
    const bool branches = program.block && program.block->branches;
    for (StepIndex index = 0; index < program.steps.size() && !branches; ++index) {
      const auto* target = certain_call(program, index);
      if (target == nullptr) continue;
      path_.back().call = &program.steps[index];
      if (auto checked = visit(*target, *package_.programs.at(*target)); !checked) return checked;
    }
    path_.pop_back();
    seen_[&key] = Seen::clean;
    return {};
  }

  [[nodiscard]] Error circle(const std::string& key) const {
    const auto begin = std::ranges::find(path_, &key, &Link::key);
    std::string words;
    for (auto link = begin; link != path_.end(); ++link) words += fmt::format("'{}' (step '{}') calls ", link->program->name, link->call->id);
    words += fmt::format("'{}'", begin->program->name);
    return make_error(Code::call_cycle,
                      fmt::format("{} without a condition, so a chain of it could never end; put a condition on one of these calls", words),
                      path_.back().call->where);
  }

  const Package& package_;
  std::map<const std::string*, Seen> seen_;  // by the keys of the package
  std::vector<Link> path_;
};

}  // namespace

Result<void> check_call_cycles(const Package& package) { return CallCycles{package}.check(); }

}  // namespace catena::lang
