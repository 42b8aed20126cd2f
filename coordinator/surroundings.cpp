#include "coordinator/surroundings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lang/program/endpoint.hpp"
#include "lang/run/evaluate.hpp"
#include "storage/chain_store.hpp"

namespace catena::coordinator {
namespace {

/// What `value_of` makes of each variable: a text as it is, null as no variable, everything else as its JSON; of secrets the name.
template <class ValueOf>
Result<std::string> variables_of(const lang::Step& step, const ValueOf& value_of) {
  auto variables = Json::object();
  for (const auto& variable : step.surroundings.environment) {
    if (!variable.secret.empty()) {
      variables[variable.name] = Json{{"secret", variable.secret}};
      continue;
    }
    Result<Json> value = value_of(variable.value);
    if (!value) return fail(std::move(value).error());
    if (!value->is_null()) variables[variable.name] = value->is_string() ? std::move(*value) : Json(value->dump());
  }
  return dump_lossy(variables);
}

/// Where no value is an expression; empty for none.
Result<std::string> constant_environment(const lang::Step& step) {
  if (step.surroundings.environment.empty()) return std::string{};
  return variables_of(step, [](const lang::Expr& value) -> Result<Json> { return std::get<lang::Literal>(value.node).value; });
}

}  // namespace

bool environment_varies(const lang::Step& step) {
  return std::ranges::any_of(step.surroundings.environment, [](const lang::EnvVariable& variable) {
    return variable.secret.empty() && !std::holds_alternative<lang::Literal>(variable.value.node);
  });
}

Result<std::optional<std::string>> write_environment(const lang::Step& step, const ChainId& chain, VisitId visit, const lang::Program& program,
                                                     const ChainScope& scope, Records& records) {
  if (!environment_varies(step)) return std::nullopt;
  auto variables = variables_of(step, [&](const lang::Expr& expr) -> Result<Json> {
    const auto value = lang::evaluate(expr, program, scope);
    if (!value) return fail(value.error());
    return lang::JsonView{*value}.parse();
  });
  if (!variables) return fail(variables.error());
  storage::put_inputs_chunk(records.batch(), chain, visit, kEnvironmentRecord, *variables);
  return std::optional{std::move(*variables)};
}

namespace {

/// Evaluated once, with the step; what is constant is not recorded.
Result<std::string> environment_of(StepState& state, const StepContext& context) {
  const auto& step = context.program->steps[context.visit.step];
  if (!environment_varies(step)) return constant_environment(step);
  if (!state.environment) {
    auto record = storage::load_inputs(context.reads, context.chain, context.visit, kEnvironmentRecord);
    if (!record) return fail(record.error());
    if (!*record) return fail(Code::storage_corrupt, fmt::format("the environment of step '{}' is not recorded", step.id));
    state.environment = std::move(**record);
  }
  return *state.environment;
}

/// Where a process starts; a remote: capability may be one.
void place_order(const StepContext& context, actors::WorkOrder& order) {
  if (order.kind != "remote" && !lang::runs_program({order.kind, order.target, {}})) return;
  auto directory = std::string_view{context.program->steps[context.visit.step].surroundings.directory};
  const bool has_files = !order.file_arguments.empty() || !order.file_responses.empty();
  if (directory.empty())
    directory = context.services->settings.tools_start_where_submitted && !has_files ? lang::kSubmissionDirectory : lang::kWorkDirectory;
  order.work_directory = directory == lang::kWorkDirectory;
  if (!order.work_directory) order.directory = directory == lang::kSubmissionDirectory ? context.directory : directory;
}

/// What tools get to see; empty for none.
Result<std::string> sent_context(const StepContext& context) {
  if (context.context.empty()) return std::string{};
  auto text = read_payload(context.reads, context.context);
  if (!text) return fail(text.error());
  return text->text == "{}" || text->text == "null" ? std::string{} : std::move(text->text);
}

}  // namespace

Result<void> put_surroundings(StepState& state, const StepContext& context, actors::WorkOrder& order) {
  place_order(context, order);
  auto submitted = sent_context(context);
  if (!submitted) return fail(std::move(submitted).error());
  order.context = std::move(*submitted);
  auto environment = environment_of(state, context);
  if (!environment) return fail(std::move(environment).error());
  order.environment = std::move(*environment);
  return {};
}

}  // namespace catena::coordinator
