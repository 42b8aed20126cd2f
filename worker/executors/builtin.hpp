#pragma once
// builtin:<name>: functions linked into the worker. One constant table; `catena tools` prints it. Arguments a builtin does not know
// are ignored, so that it can stand in for any tool.
// Only `sleep` watches the timeout of its attempt: the others are bounded by their input.
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "worker/executor.hpp"
#include "worker/http_client.hpp"

namespace catena::worker {

struct BuiltinField {
  std::string_view name;
  lang::Type type = lang::Type::any;
  bool required = true;
  std::string_view doc;
};

/// What a builtin may use besides its arguments.
struct BuiltinContext {
  const StopToken& stop;
  const ExecutorOptions& options;  // with a clock
  HttpClient& http;
};

struct Builtin {
  std::string_view name;
  std::string_view doc;
  std::span<const BuiltinField> arguments;
  std::span<const BuiltinField> responses;
  Result<lang::JsonText> (*run)(const Task& task, const BuiltinContext& around);
  bool computes_only = false;       // no files, no waiting: its time is bounded by its arguments' size
  std::string_view core_tool = {};  // the definition that says what it takes and gives; empty: the fields above do
  bool only_waits = false;          // it computes only where the task may not block: then it says when it wants to be asked again
};

/// The table, ordered by name.
[[nodiscard]] std::span<const Builtin> builtins();
[[nodiscard]] const Builtin* find_builtin(std::string_view name);
/// For a catalog of what definitions may call.
[[nodiscard]] std::vector<std::string> builtin_names();
[[nodiscard]] lang::Schema to_schema(std::span<const BuiltinField> fields);

[[nodiscard]] std::unique_ptr<Executor> make_builtin_executor(const ExecutorOptions& options = {});

}  // namespace catena::worker
