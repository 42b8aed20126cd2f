#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <vector>

#include "cli/commands/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/show/follow.hpp"

namespace catena::cli {
namespace {

struct WaitOptions {
  std::vector<std::string> chains;
  FollowOptions follow;
};

std::string_view outcome_word(ExitCode code) {
  if (code == ExitCode::ok) return "succeeded";
  return code == ExitCode::cancelled ? "cancelled" : "failed";
}

ExitCode wait(const WaitOptions& options, Console& console) {
  if (options.follow.quiet && options.follow.verbose) return report(console, make_error(Code::usage, "--quiet and --verbose contradict each other"));
  const Interrupt interrupt;
  const auto chains = open_existing(options.follow.place, 0, ChainId{options.chains.front()}, console);
  if (!chains) return report(console, chains.error());
  auto each = options.follow;
  each.print_response = options.chains.size() == 1;  // several responses in a row would be no JSON
  auto code = ExitCode::ok;
  for (const auto& id : options.chains) {
    const auto outcome = follow(**chains, ChainId{id}, each, console);
    code = worse(code, outcome);
    if (outcome == ExitCode::interrupted) break;
    if (!each.print_response && for_people(each.output) && outcome != ExitCode::not_found)
      console.out().line(fmt::format("{} {}", id, outcome_word(outcome)));
  }
  return code;
}

}  // namespace

Action define_wait(CLI::App& app) {
  const auto options = std::make_shared<WaitOptions>();
  app.add_option("ids", options->chains, "chains; of one, its response is printed")->required()->option_text("ID...");
  add_place(app, options->follow.place);
  add_text_output(app, options->follow.output, "the id of the chain");
  app.add_flag("-q,--quiet", options->follow.quiet, "no progress and no summary");
  app.add_flag("-v,--verbose", options->follow.verbose, "progress in lines and the summary, also where stderr is no terminal");
  return [options](Console& console) { return wait(*options, console); };
}

}  // namespace catena::cli
