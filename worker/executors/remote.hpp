#pragma once
// remote:<capability>: what this worker announces under that name, run by the executor of its kind.
#include <map>
#include <memory>
#include <string>

#include "worker/executor.hpp"

namespace catena::worker {

/// Runs with the executors there are; they must outlive it.
[[nodiscard]] std::unique_ptr<Executor> make_remote_executor(std::map<std::string, lang::Endpoint> capabilities, const Executors& executors);

}  // namespace catena::worker
