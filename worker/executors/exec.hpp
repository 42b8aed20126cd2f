#pragma once
// exec:<program> [args…]: one process an attempt. The arguments are its stdin, its stdout is the response.
#include <memory>

#include "worker/executor.hpp"

namespace catena::worker {

/// Exit code of a tool that failed for now (EX_TEMPFAIL of sysexits.h).
inline constexpr int kExitTemporary = 75;

[[nodiscard]] std::unique_ptr<Executor> make_exec_executor(const ExecutorOptions& options = {});

}  // namespace catena::worker
