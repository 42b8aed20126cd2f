#pragma once
// What a process of a tool finds when it starts: its environment and its directory.
#include <map>
#include <string>
#include <vector>

#include "actors/protocol.hpp"
#include "worker/executor.hpp"
#include "worker/secrets.hpp"

namespace catena::worker {

/// What an order says of them.
[[nodiscard]] Surroundings surroundings_of(const actors::WorkOrder& order);

/// Variables of a process, each once, and pointers to them as execve wants them.
class Environment {
 public:
  Environment() = default;
  /// What every tool has, see tool_environment().
  explicit Environment(const ExecutorOptions& options);

  void set(const std::string& name, const std::string& value) { variables_[name] = name + "=" + value; }
  void remove(const std::string& name) { variables_.erase(name); }
  /// Empty where there is none.
  [[nodiscard]] std::string value(const std::string& name) const;
  /// Lasts until the next change.
  [[nodiscard]] char* const* pointers();
  friend bool operator==(const Environment& a, const Environment& b) { return a.variables_ == b.variables_; }

 private:
  std::map<std::string, std::string> variables_;  // NAME=value, by name
  std::vector<char*> pointers_;
};

/// TRACEPARENT and TRACESTATE, where the attempt has them: what a program records is below the span of its attempt then.
void put_trace(const Task& task, Environment& environment);

/// The variables of a task on top of what every tool has, and what has to be taken out of its answers.
struct ToolVariables {
  Environment environment;
  Masks masks;
};
/// `secrets` may be null: there are none. Errors: secret_not_found, argument_type of a value with a NUL.
[[nodiscard]] Result<ToolVariables> variables_of(const Task& task, const Environment& inherited, const Secrets* secrets);

}  // namespace catena::worker
