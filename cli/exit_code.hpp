#pragma once
// What the process tells its caller. Scripts rely on these numbers.
#include "base/error.hpp"
#include "engine/phase.hpp"

namespace catena::cli {

enum class ExitCode : int {
  ok = 0,
  failed = 1,         // the chain failed, or catena could not do its work (storage, output)
  usage = 2,          // the command line, the definition or its arguments are wrong: nothing was started
  cancelled = 3,
  not_found = 4,      // no chain of that id, no file of that path
  interrupted = 130,  // by a signal; the chain can be resumed
};

[[nodiscard]] ExitCode exit_code_of(const Error& error);
/// Of a chain that has ended.
[[nodiscard]] ExitCode exit_code_of(engine::ChainStatus status);
/// Of several things done by one command: what needs most attention.
[[nodiscard]] ExitCode worse(ExitCode a, ExitCode b);

}  // namespace catena::cli
