#include "worker/surroundings.hpp"

#include <fmt/format.h>

#include "worker/process.hpp"
#include "worker/tool_process.hpp"

namespace catena::worker {

Surroundings surroundings_of(const actors::WorkOrder& order) {
  Surroundings surroundings{{}, order.directory, order.work_directory};
  if (order.environment.empty()) return surroundings;
  const auto variables = Json::parse(order.environment, nullptr, false);
  if (!variables.is_object()) return surroundings;
  for (const auto& [name, value] : variables.items()) {
    const auto secret = value.is_object() ? value.find("secret") : value.end();
    if (value.is_string())
      surroundings.variables.push_back({name, value.get<std::string>(), false});
    else if (value.is_object() && secret != value.end() && secret->is_string())
      surroundings.variables.push_back({name, secret->get<std::string>(), true});
  }
  return surroundings;
}

Environment::Environment(const ExecutorOptions& options) {
  for (auto& variable : tool_environment(options)) {
    const auto name = variable.substr(0, variable.find('='));
    variables_[name] = std::move(variable);
  }
}

std::string Environment::value(const std::string& name) const {
  const auto found = variables_.find(name);
  return found == variables_.end() ? std::string{} : found->second.substr(name.size() + 1);
}

char* const* Environment::pointers() {
  pointers_.clear();
  for (auto& [name, variable] : variables_) pointers_.push_back(variable.data());
  pointers_.push_back(nullptr);
  return pointers_.data();
}

void put_trace(const Task& task, Environment& environment) {
  const auto parent = traceparent_of(task);
  if (parent.empty()) return;
  environment.set("TRACEPARENT", parent);
  if (const auto state = tracestate_of(task); !state.empty()) environment.set("TRACESTATE", std::string{state});
}

Result<ToolVariables> variables_of(const Task& task, const Environment& inherited, const Secrets* secrets) {
  static const Secrets kNone = *Secrets::from({});
  ToolVariables tool{inherited, {}};
  for (const auto& variable : task.surroundings.variables) {
    if (has_nul(variable.value) || has_nul(variable.name))
      return fail(Code::argument_type, fmt::format("{}: the variable {} has a NUL in it, which no process can get", describe(task), variable.name));
    if (!variable.secret) {
      tool.environment.set(variable.name, variable.value);
      continue;
    }
    auto secret = (secrets == nullptr ? kNone : *secrets).value(variable.value);
    if (!secret) {
      secret.error().message = fmt::format("{}: {}", describe(task), secret.error().message);
      return fail(std::move(secret).error());
    }
    tool.masks.add(*secret);
    tool.environment.set(variable.name, *secret);
  }
  return tool;
}

}  // namespace catena::worker
