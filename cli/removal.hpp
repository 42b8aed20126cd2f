#pragma once
// What `rm` and `prune` have in common: somebody is asked, chains are removed, and what became of it is told.
#include <cstdint>
#include <string>
#include <vector>

#include "cli/console.hpp"
#include "cli/exit_code.hpp"
#include "cli/records.hpp"
#include "client/chains_port.hpp"

namespace catena::cli {

/// At a terminal: whether somebody says yes to `question`. True elsewhere: nobody is there to be asked.
[[nodiscard]] bool confirmed(Console& console, const std::string& question);

/// Removes chains that have ended, with their descendants, and says how many went, or prints a record of each; each that stays is an error. Those
/// that ended later than `ended_before` (0: none) stay without one.
[[nodiscard]] ExitCode remove_and_tell(client::ChainsPort& chains, const std::vector<ChainId>& ids, UnixMillis ended_before,
                                       const std::string& reason, Form form, Console& console);

}  // namespace catena::cli
