#pragma once
// The functions behind the table of builtin.cpp.
#include "worker/executors/builtin.hpp"

namespace catena::worker::builtin {

/// Most elements that `range` makes.
inline constexpr std::int64_t kRangeMax = 10'000'000;

[[nodiscard]] Result<lang::JsonText> echo(const Task& task, const BuiltinContext& around);
[[nodiscard]] Result<lang::JsonText> sleep(const Task& task, const BuiltinContext& around);
[[nodiscard]] Result<lang::JsonText> fail_on_purpose(const Task& task, const BuiltinContext& around);

[[nodiscard]] Result<lang::JsonText> add(const Task& task, const BuiltinContext& around);
[[nodiscard]] Result<lang::JsonText> sum(const Task& task, const BuiltinContext& around);
[[nodiscard]] Result<lang::JsonText> range(const Task& task, const BuiltinContext& around);
[[nodiscard]] Result<lang::JsonText> top(const Task& task, const BuiltinContext& around);
[[nodiscard]] Result<lang::JsonText> merge(const Task& task, const BuiltinContext& around);
[[nodiscard]] Result<lang::JsonText> concat(const Task& task, const BuiltinContext& around);
[[nodiscard]] Result<lang::JsonText> sha256(const Task& task, const BuiltinContext& around);

[[nodiscard]] Result<lang::JsonText> file_lines(const Task& task, const BuiltinContext& around);
[[nodiscard]] Result<lang::JsonText> word_count(const Task& task, const BuiltinContext& around);
[[nodiscard]] Result<lang::JsonText> list_files(const Task& task, const BuiltinContext& around);

// Behind the core tools, whose definitions in worker/core say what each takes and gives.
[[nodiscard]] Result<lang::JsonText> math(const Task& task, const BuiltinContext& around);
[[nodiscard]] Result<lang::JsonText> render_template(const Task& task, const BuiltinContext& around);
[[nodiscard]] Result<lang::JsonText> wait(const Task& task, const BuiltinContext& around);
[[nodiscard]] Result<lang::JsonText> combine_content(const Task& task, const BuiltinContext& around);
[[nodiscard]] Result<lang::JsonText> put_file(const Task& task, const BuiltinContext& around);
[[nodiscard]] Result<lang::JsonText> delete_file(const Task& task, const BuiltinContext& around);
[[nodiscard]] Result<lang::JsonText> delete_directory(const Task& task, const BuiltinContext& around);
[[nodiscard]] Result<lang::JsonText> list_directory(const Task& task, const BuiltinContext& around);
[[nodiscard]] Result<lang::JsonText> describe_file(const Task& task, const BuiltinContext& around);
[[nodiscard]] Result<lang::JsonText> describe_file_version(const Task& task, const BuiltinContext& around);
[[nodiscard]] Result<lang::JsonText> list_file_versions(const Task& task, const BuiltinContext& around);
[[nodiscard]] Result<lang::JsonText> http_request(const Task& task, const BuiltinContext& around);
[[nodiscard]] Result<lang::JsonText> llm_text(const Task& task, const BuiltinContext& around);
[[nodiscard]] Result<lang::JsonText> run_program(const Task& task, const BuiltinContext& around);
[[nodiscard]] Result<lang::JsonText> raise(const Task& task, const BuiltinContext& around);

}  // namespace catena::worker::builtin
