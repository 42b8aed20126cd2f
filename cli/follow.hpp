#pragma once
// Watching a chain to its end, and telling how it ended: what run, resume, retry, cancel and resolve have in common.
#include <string>

#include "cli/console.hpp"
#include "cli/embedded.hpp"
#include "cli/exit_code.hpp"

namespace catena::cli {

struct FollowOptions {
  std::string output = "text";
  std::string data_dir;          // as given on the command line: for the commands that messages name
  bool quiet = false;            // no progress, no line at the end
  bool verbose = false;          // the line at the end also where nobody watches
  bool print_response = true;
};

/// Waits for the chain's end, a signal, or the moment at which only a person can move it; prints the outcome.
[[nodiscard]] ExitCode follow(Embedded& embedded, const ChainId& chain, const FollowOptions& options, Console& console);

/// Coordinator and worker over a data directory, as configured; `slots` 0: as configured.
[[nodiscard]] Result<std::unique_ptr<Embedded>> open_embedded(const std::string& directory, std::uint32_t slots);
/// The coordinator over chains that exist. Error chain_not_found where no chain was ever run: looking makes no store.
[[nodiscard]] Result<std::unique_ptr<Embedded>> open_existing(const std::string& data_dir, std::uint32_t slots, const ChainId& chain);

/// What retry, cancel and resolve do: give an order to a chain and watch what comes of it.
struct OrderRequest {
  std::string chain;
  std::uint32_t slots = 0;
  FollowOptions follow;
};
[[nodiscard]] ExitCode order_and_follow(const OrderRequest& request, Console& console,
                                        const std::function<Result<actors::Order>(const Embedded&, const ChainId&)>& order);

}  // namespace catena::cli
