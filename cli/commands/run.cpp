#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/show/follow.hpp"
#include "cli/submission.hpp"

namespace catena::cli {
namespace {

struct RunOptions {
  SubmissionOptions submission;
  std::uint32_t slots = 0;
  FollowOptions follow;
};

ExitCode run(const RunOptions& options, Console& console) {
  const auto address = cluster_address(options.follow.place);
  if (!address) return report(console, address.error());
  if (!address->empty() && options.slots != 0) {
    return report(console, make_error(Code::usage,
                                      "--slots has no effect on a cluster, whose workers have slots of their own; start a worker with "
                                      "--slots, or run the chain here with --data-dir DIR"));
  }
  if (options.follow.quiet && options.follow.verbose) return report(console, make_error(Code::usage, "--quiet and --verbose contradict each other"));
  auto submission = prepare_submission(options.submission, address->empty() ? RunsAt::here : RunsAt::cluster, console);
  if (!submission) return ExitCode::usage;
  const Interrupt interrupt;
  const auto chains = open_chains(options.follow.place, options.slots, console);
  if (!chains) return report(console, chains.error());
  const auto chain = submission->chain;
  if (const auto accepted = (*chains)->submit(std::move(*submission)); !accepted) return report(console, accepted.error());
  return follow(**chains, chain, options.follow, console);
}

}  // namespace

Action define_run(CLI::App& app) {
  const auto options = std::make_shared<RunOptions>();
  add_submission(app, options->submission);
  add_slots(app, options->slots);
  add_place(app, options->follow.place);
  add_output(app, options->follow.output);
  app.add_flag("-q,--quiet", options->follow.quiet, "no progress and no line at the end");
  app.add_flag("-v,--verbose", options->follow.verbose, "the line at the end also where stderr is no terminal");
  return [options](Console& console) { return run(*options, console); };
}

}  // namespace catena::cli
