#include "coordinator/evaluation.hpp"

#include <fmt/format.h>

#include "base/limits.hpp"
#include "storage/chain_store.hpp"

namespace catena::coordinator {
namespace {

const std::string& tool_name(const lang::Step& step) {
  return std::visit([](const auto& call) -> const std::string& { return call.name; }, step.call);
}

std::string calls(const lang::Step& step) { return fmt::format("tool '{}'", tool_name(step)); }

/// Splits the list into input records of kItemsPerChunk items. Answers the number of items.
std::uint32_t write_items(const ChainId& chain, VisitId visit, lang::JsonView list, Records& records) {
  std::uint32_t count = 0;
  std::string chunk;
  const auto flush = [&] {
    if (chunk.empty()) return;
    chunk += ']';
    storage::put_inputs_chunk(records.batch(), chain, visit, (count - 1) / kItemsPerChunk, chunk);
    chunk.clear();
    records.settle();
  };
  list.for_each_element([&](lang::JsonView item) {
    if (count % kItemsPerChunk == 0) flush();
    chunk += chunk.empty() ? '[' : ',';
    chunk += item.text();
    return ++count < limits::kFanOutWidthMax;
  });
  flush();
  return count;
}

Result<engine::Expand> expand(const lang::Step& step, const ChainId& chain, VisitId visit, const lang::Program& program, const ChainScope& scope,
                              lang::JsonText shared, Records& records) {
  const auto over = lang::evaluate(step.each->over, program, scope);
  if (!over) return fail(over.error());
  const lang::JsonView list{*over};
  engine::Expand expanded;
  if (list.kind() == lang::JsonKind::list) {
    expanded.width = write_items(chain, visit, list, records);
  } else if (list.kind() != lang::JsonKind::null) {  // a skipped step's list is empty
    return fail(Code::not_a_list, fmt::format("iterate_over must be a list, and is {}", name(list.kind())));
  }
  expanded.arguments = records.write(std::move(shared.text));
  return expanded;
}

std::variant<engine::Skip, engine::Begin, engine::Expand, Error> outcome_of(const lang::Step& step, const ChainId& chain, VisitId visit,
                                                                           const lang::Program& program, const ChainScope& scope,
                                                                           Records& records, std::vector<std::string>& warnings) {
  if (step.when) {
    auto verdict = lang::holds(*step.when, program, scope);
    if (!verdict) return verdict.error();
    warnings = std::move(verdict->warnings);
    if (!verdict->holds) return engine::Skip{};
  }
  auto arguments = lang::evaluate(step.bind, program, scope);
  if (!arguments) return arguments.error();
  if (step.each) {
    auto expanded = expand(step, chain, visit, program, scope, std::move(*arguments), records);
    if (!expanded) return expanded.error();
    return std::move(*expanded);
  }
  auto checked = lang::check_arguments(std::move(*arguments), step.arguments, calls(step));
  if (!checked) return checked.error();
  return engine::Begin{records.write(std::move(checked->text))};
}

/// {execution_id: response} of every step.
Result<std::string> all_responses(const lang::Program& program, const ChainScope& scope) {
  std::string text = "{";
  for (StepIndex index = 0; index < program.steps.size(); ++index) {
    lang::Ref whole;
    whole.root = lang::Root::step;
    whole.step = index;
    whole.path = {"response"};
    whole.text = fmt::format("REF:{}.response", program.steps[index].id);
    const auto response = lang::evaluate(lang::Expr{whole, {}}, program, scope);
    if (!response) return fail(response.error());
    text += fmt::format("{}{}:{}", index == 0 ? "" : ",", Json(program.steps[index].id).dump(), response->text);
  }
  return text + "}";
}

}  // namespace

engine::Evaluated evaluate_step(const lang::Program& program, const ChainId& chain, VisitId visit, const ChainScope& scope,
                                Records& records) {
  engine::Evaluated evaluated;
  evaluated.visit = visit;
  evaluated.outcome = outcome_of(program.steps[visit.step], chain, visit, program, scope, records, evaluated.warnings);
  return evaluated;
}

engine::OutputsEvaluated evaluate_outputs(const lang::Program& program, const ChainScope& scope, Records& records) {
  if (!program.outputs) {
    auto all = all_responses(program, scope);
    if (!all) return {all.error()};
    return {records.write(std::move(*all))};
  }
  auto response = lang::evaluate(*program.outputs, program, scope);
  if (!response) return {response.error()};
  if (const auto checked = lang::check_response(*response, program.responses, fmt::format("'{}'", program.name)); !checked) {
    return {checked.error()};
  }
  return {records.write(std::move(response->text))};
}

Result<lang::JsonText> item_arguments(const lang::Step& step, const lang::JsonText& shared, std::string_view item) {
  lang::JsonText arguments{""};
  arguments.text.reserve(shared.text.size() + item.size() + step.each->as.size() + 8);
  arguments.text = "{" + Json(step.each->as).dump() + ":";
  arguments.text += item;
  if (shared.text != "{}") arguments.text += ',';
  arguments.text.append(shared.text, 1);
  return lang::check_arguments(std::move(arguments), step.arguments, calls(step));
}

}  // namespace catena::coordinator
