#pragma once
// What the process tells its caller. Scripts rely on these numbers.
#include "base/error.hpp"
#include "engine/phase.hpp"
#include "worker/ending.hpp"

namespace catena::cli {

enum class ExitCode : int {
  ok = 0,
  failed = 1,  // the chain failed, or catena could not do its work (storage, output)
  usage = 2,   // the command line, the definition or its arguments are wrong: nothing was started
  cancelled = 3,
  not_found = 4,      // no chain of that id, no file of that path, no worker of that name
  interrupted = 130,  // by a signal; the chain can be resumed
};

/// EX_SOFTWARE of sysexits.h, where a process cannot end in order: a write of the store failed, or the end took too long.
constexpr int kSoftwareError = 70;

[[nodiscard]] ExitCode exit_code_of(const Error& error);
/// Of a chain that has ended.
[[nodiscard]] ExitCode exit_code_of(engine::ChainStatus status);
/// Of a worker; one that has not come to its end was not waited for.
[[nodiscard]] ExitCode exit_code_of(worker::Ending ending);
/// Of several things done by one command: what needs most attention.
[[nodiscard]] ExitCode worse(ExitCode a, ExitCode b);

}  // namespace catena::cli
