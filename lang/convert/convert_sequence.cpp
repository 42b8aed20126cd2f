#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "lang/convert/convert_parts.hpp"

namespace catena::lang::convert {
namespace {

/// Follows a sequence from step to step as long as it only goes forward, and keeps what is known of its state.
class SequenceConverter {
 public:
  SequenceConverter(Names names, const SourceFinder& finder, Findings& findings) : names_{std::move(names)}, finder_{finder}, findings_{findings} {
    names_.variables = &variables_;
  }

  void put(Pretty& out) {
    begin();
    const auto order = path();
    if (order.empty()) return;
    for (const auto index : order) {
      auto instruction = converted(index);
      if (previous_) instruction["dependencies"] = Pretty::array({names_.ids[*previous_]});
      out["instructions"].push_back(std::move(instruction));
      previous_ = index;
    }
    put_response(out);
    findings_.note("the response has the variables that the steps set; a composite answers with its history, and when it fails, too",
                   names_.definition.document->where);
  }

 private:
  /// The arguments, and what every chain knows of itself.
  void begin() {
    for (const auto* own : {"chain_id", "started_at"}) variables_[own].problem = "a tool definition does not know it";
    variables_["chain_name"].value = {literal_json(names_.program.name), literal_expression(names_.program.name)};
    for (const auto& field : names_.program.arguments.fields) {
      const auto reference = fmt::format("REF:arguments.{}{}", field.name, field.type == Type::file ? ".path" : "");
      variables_[field.name].value = {Pretty(reference), reference};
    }
  }

  void cannot(const Step& step, std::string_view why) { findings_.cannot(fmt::format("{}: {}", said(step), why), step.where); }

  /// The steps in the order in which they run; what else can happen is reported.
  std::vector<StepIndex> path() {
    std::vector<StepIndex> order;
    std::set<StepIndex> seen;
    std::optional<StepIndex> next = names_.program.entry;
    while (next) {
      const auto& step = names_.program.steps[*next];
      if (!seen.insert(*next).second) {
        cannot(step, "the sequence jumps back to it; a tool definition runs each step once");
        break;
      }
      order.push_back(*next);
      next = after(step);
    }
    for (StepIndex index = 0; index < names_.program.steps.size(); ++index) {
      if (!seen.contains(index))
        findings_.note(fmt::format("{}: it is never entered, and left out", said(names_.program.steps[index])), names_.program.steps[index].where);
    }
    return order;
  }

  std::optional<StepIndex> after(const Step& step) {
    const auto* go = std::get_if<Go>(&step.ok);
    const auto* handler = std::get_if<Go>(&step.failed);
    if (handler != nullptr && (go == nullptr || handler->target != go->target)) {
      cannot(step, "after a failure it goes on elsewhere than after a success; a tool definition has conditions for that, on every step behind it");
    }
    if (std::holds_alternative<FinishOk>(step.failed) && go != nullptr)
      cannot(step, "its failure ends the sequence well; in a tool definition the steps behind it would run");
    if (go == nullptr) return std::nullopt;
    return go->target;
  }

  [[nodiscard]] static bool may_not_happen(const Step& step) { return step.when.has_value() || !std::holds_alternative<FinishFailed>(step.failed); }

  Pretty converted(StepIndex index) {
    const auto& step = names_.program.steps[index];
    Pretty instruction{{"execution_id", names_.ids[index]}};
    if (step.each) {
      cannot(step, "a loop or a parallel step runs a sequence of its own, with a state of its own; a tool definition fans out over one tool");
    } else {
      instruction = instruction_of(names_, index, finder_, findings_);
    }
    if (step.when) {
      ValueWriter writer{names_, fmt::format("{}: when", said(step)), findings_};
      auto conditions = writer.conditions(*step.when);
      if (conditions) instruction["conditions"] = std::move(*conditions);
    }
    if (!std::holds_alternative<FinishFailed>(step.failed)) instruction["on_failure"] = "continue";
    if (!step.retry_counter.empty()) variables_[step.retry_counter].problem = "a tool definition does not count retries";
    for (const auto& write : step.writes) set(index, write, instruction);
    return instruction;
  }

  void set(StepIndex index, const StateWrite& write, Pretty& instruction) {
    const auto& step = names_.program.steps[index];
    written_.insert(write.name);
    const bool had = variables_.contains(write.name) && variables_.at(write.name).problem.empty();
    auto names = names_;
    names.self = index;
    Variable made;
    if (std::holds_alternative<Ref>(write.value.node)) {
      ValueWriter writer{names, fmt::format("{}: '{}'", said(step), write.name), findings_};
      if (auto value = writer.write(write.value)) {
        made.value = std::move(*value);
      } else {
        made.problem = "what is set to it cannot be said";
      }
    } else {
      calculated(index, write, names, instruction, made);
    }
    if (may_not_happen(step)) {
      if (had) made.problem = fmt::format("whether step '{}' sets it anew is known only when it runs", step.name);
      made.uncertain = true;
    }
    variables_[write.name] = std::move(made);
  }

  /// A value that is calculated once, behind the step, becomes a key of its response.
  void calculated(StepIndex index, const StateWrite& write, Names& names, Pretty& instruction, Variable& made) {
    const auto& step = names_.program.steps[index];
    names.inside = true;
    ValueWriter writer{names, fmt::format("{}: '{}'", said(step), write.name), findings_};
    auto value = writer.write(write.value);
    if (!value) {
      made.problem = "what is set to it cannot be said";
      return;
    }
    if (step.responses.find(write.name) != nullptr || write.name.find('.') != std::string::npos || write.name == "response") {
      made.problem = fmt::format("its name is taken in the response of step '{}'", step.name);
      cannot(step, fmt::format("'{}' is calculated, and its name is that of a response of the tool", write.name));
      return;
    }
    auto expression = std::move(value->expression);
    if (!sees_response(expression, index, instruction)) {
      made.problem = "what is set to it cannot be said";
      return cannot(step, fmt::format("'{}' is calculated from what the same step has calculated, or from its whole response", write.name));
    }
    instruction["transform_responses"]["transforms"][write.name] = std::move(expression);
    const auto reference = fmt::format("REF:{}.{}", names_.ids[index], write.name);
    made.value = {Pretty(reference), reference};
  }

  /// The step's own response has another name inside; what its other transforms make is not seen.
  bool sees_response(std::string& expression, StepIndex index, const Pretty& instruction) {
    const auto own = fmt::format("REF:{}.", names_.ids[index]);
    constexpr std::string_view kInside = "REF:response.";
    for (auto at = expression.find(own); at != std::string::npos; at = expression.find(own, at + kInside.size())) {
      expression.replace(at, own.size(), kInside);
      const auto rest = std::string_view{expression}.substr(at + kInside.size());
      const auto key = std::string{rest.substr(0, rest.find_first_of("., )]}"))};
      const bool made_here = instruction.contains("transform_responses") && instruction["transform_responses"]["transforms"].contains(key);
      if (key == "response" || made_here) return false;
    }
    return true;
  }

  void put_response(Pretty& out) {
    auto map = Pretty::object();
    for (const auto& name : written_) {
      const auto& known = variables_.at(name);
      const auto where = names_.definition.document->where;
      if (!known.problem.empty()) {
        findings_.cannot(fmt::format("the variable '{}' at the end: {}", name, known.problem), where);
      } else if (!known.value.json) {
        findings_.cannot(fmt::format("the variable '{}' at the end is calculated, and a response is a reference", name), where);
      } else {
        map[name] = *known.value.json;
      }
      if (known.uncertain) findings_.note(fmt::format("'{}' is null in the response where no step has set it", name), where);
    }
    out["response_reference_map"] = std::move(map);
  }

  Names names_;
  const SourceFinder& finder_;
  Findings& findings_;
  Variables variables_;
  std::set<std::string> written_;
  std::optional<StepIndex> previous_;
};

}  // namespace

void put_sequence(Names names, const SourceFinder& finder, Pretty& out, Findings& findings) {
  SequenceConverter{std::move(names), finder, findings}.put(out);
}

}  // namespace catena::lang::convert
