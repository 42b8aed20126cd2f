#pragma once
// Watching a chain to its end, and telling how it ended: what run, resume, retry, cancel and resolve have in common.
#include <functional>
#include <string>

#include "cli/console.hpp"
#include "cli/exit_code.hpp"
#include "cli/place.hpp"

namespace catena::cli {

struct FollowOptions {
  std::string output = "text";
  Place place;
  bool quiet = false;    // no progress, no line at the end
  bool verbose = false;  // the line at the end also where nobody watches
  bool print_response = true;
  // What the command was to do is done: that chains wait for another word about them, or that this one fails as it was told to, is no error.
  std::string done = {};  // in words; empty: nothing of that kind
  bool failure_expected = false;
};

/// Waits for the chain's end, a signal, or the moment at which only a person can move it; prints the outcome.
[[nodiscard]] ExitCode follow(client::ChainsPort& chains, const ChainId& chain, const FollowOptions& options, Console& console);

/// Why the chain failed, once, and what to do about it.
void tell_failure(const actors::ChainEnded& ended, const Place& place, Console& console);

/// What retry, cancel and resolve do: give an order to a chain and watch what comes of it.
struct ControlRequest {
  std::string chain;
  std::uint32_t slots = 0;
  FollowOptions follow;
};
[[nodiscard]] ExitCode control_and_follow(const ControlRequest& request, Console& console,
                                          const std::function<Result<actors::Control>(client::ChainsPort&, const ChainId&)>& make);

}  // namespace catena::cli
