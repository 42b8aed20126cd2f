#pragma once
// Watching a chain to its end, and telling how it ended: what run, resume, retry, cancel and resolve have in common.
#include <functional>
#include <string>
#include <string_view>

#include "cli/console.hpp"
#include "cli/exit_code.hpp"
#include "cli/place.hpp"
#include "cli/records.hpp"

namespace CLI {
class App;
}

namespace catena::cli {

struct FollowOptions {
  Form output = Form::table;  // for people: the response
  Place place;
  bool quiet = false;    // no progress, no line at the end
  bool verbose = false;  // progress in lines and the summary also where stderr is no terminal
  bool print_response = true;
  // What the command was to do is done: that chains wait for another word about them, or that this one fails as it was told to, is no error.
  std::string done = {};  // in words; empty: nothing of that kind
  bool failure_expected = false;
};

/// What is printed of a chain that was accepted and goes on without whoever handed it in.
[[nodiscard]] std::string accepted_text(const client::Submitted& submitted, Form form);

/// Waits for the chain's end, a signal, or the moment at which only a person can move it; prints the outcome.
[[nodiscard]] ExitCode follow(client::ChainsPort& chains, const ChainId& chain, const FollowOptions& options, Console& console);

/// Whether what to do next stands with the error, or is said by whoever tells it.
enum class Advice : std::uint8_t { here, elsewhere };
/// Why the chain failed, once.
void tell_failure(client::Questions& questions, const actors::ChainEnded& ended, const Place& place, Advice advice, Console& console);

/// What controls do: give an order to a chain and watch what comes of it.
struct ControlRequest {
  std::string chain;
  std::uint32_t slots = 0;
  std::string reason = {};  // for the audit log
  FollowOptions follow;
};
/// The key of an order that counts once however often it is sent, as it is where a connection breaks: as given, or else one of its own.
[[nodiscard]] std::string key_or_made(const std::string& given);
/// --reason, --slots, where the chain is, -o and -q: what commands have that steer a chain and may go on with it.
void add_control_request(CLI::App& app, ControlRequest& request);
using MakeControl = std::function<Result<actors::Control>(client::ChainsPort&, const ChainId&)>;
[[nodiscard]] ExitCode control_and_follow(const ControlRequest& request, Console& console, const MakeControl& make);
/// Gives the order and says that it is carried out: `done`, behind the chain's name.
[[nodiscard]] ExitCode control_only(const ControlRequest& request, Console& console, std::string_view done, const MakeControl& make);
/// The same where others run the chain; where this process does it watches what comes of it.
[[nodiscard]] ExitCode control_or_follow(const ControlRequest& request, Console& console, std::string_view done, const MakeControl& make);

}  // namespace catena::cli
