#pragma once
// What all tools that are processes have in common: the environment they may see, and how their failures read.
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "worker/executor.hpp"

namespace catena::worker {

/// What every tool has in its environment, as NAME=value: an allowed part of the worker's, with the home and the names of the user that it runs as,
/// and the mark of the keeper. Everything else, secrets first of all, stays out.
[[nodiscard]] std::vector<std::string> tool_environment(const ExecutorOptions& options);

/// The message goes on with the last line of stderr, which says most of the time what went wrong; details get its end. `stderr_tail` is
/// UTF-8.
/// Where that is empty the end of `output`, what the process wrote to stdout, takes its place: some programs say there why they fail.
[[nodiscard]] Error process_error(Code code, std::string message, Json details, std::string_view stderr_tail, std::string_view output = {});

/// "SIGKILL"
[[nodiscard]] std::string signal_name(int signal);

}  // namespace catena::worker
