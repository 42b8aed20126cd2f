#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/processes/detached.hpp"
#include "cli/show/follow.hpp"
#include "cli/submission.hpp"

namespace catena::cli {
namespace {

struct RunOptions {
  SubmissionOptions submission;
  std::uint32_t slots = 0;
  FollowOptions follow;
  bool detach = false;
};

Result<void> check_detach(const RunOptions& options, const Target& target) {
  if (!options.detach) return {};
  if (target.is_elsewhere())
    return fail(Code::usage, "--detach has no effect on a cluster, which runs chains by itself: `catena submit` does not wait for them");
  if (options.follow.quiet || options.follow.verbose)
    return fail(Code::usage, "--quiet and --verbose have no effect with --detach, which says nothing but the chain's id");
  return {};
}

ExitCode run(const RunOptions& options, Console& console) {
  const auto target = target_of(options.follow.place);
  if (!target) return report(console, target.error());
  if (const auto sound = check_slots(target->address, options.slots); !sound) return report(console, sound.error());
  if (options.follow.quiet && options.follow.verbose) return report(console, make_error(Code::usage, "--quiet and --verbose contradict each other"));
  if (const auto fits = check_detach(options, *target); !fits) return report(console, fits.error());
  if (options.detach) {
    if (const auto code = Detached::split(console)) return *code;
  }
  auto submission = prepare_submission(in_namespace(options.submission, target->namespace_()),
                                       target->is_elsewhere() ? RunsAt::cluster : RunsAt::here, stored_at(options.follow.place, console), console);
  if (!submission) return ExitCode::usage;
  const Interrupt interrupt;
  auto place = options.follow.place;
  place.awaits = !options.submission.key.empty();
  const auto chains = open_chains(place, options.slots, console);
  if (!chains) return report(console, chains.error());
  const auto submitted = (*chains)->submit(std::move(*submission));
  if (!submitted) return report(console, submitted.error());
  const auto& chain = submitted->chain;
  if (submitted->again) {
    console.say(submitted_before(chain));
    // Nobody may have gone on with it since; one that has ended is shown as it is.
    const auto resumed = (*chains)->resume(chain, {});
    if (!resumed && resumed.error().code != Code::chain_state) return report(console, resumed.error());
  }
  if (options.detach) Detached::say(accepted_text(*submitted, options.follow.output));
  return follow(**chains, chain, options.follow, console);
}

}  // namespace

Action define_run(CLI::App& app) {
  const auto options = std::make_shared<RunOptions>();
  add_submission(app, options->submission);
  add_slots(app, options->slots);
  add_place(app, options->follow.place);
  add_text_output(app, options->follow.output, "the id of the chain");
  app.add_flag("-d,--detach", options->detach, "print the chain's id and go on without the terminal; `catena wait` waits for its end");
  app.add_flag("-q,--quiet", options->follow.quiet, "no progress and no summary");
  app.add_flag("-v,--verbose", options->follow.verbose, "progress in lines and the summary, also where stderr is no terminal");
  return [options](Console& console) { return run(*options, console); };
}

}  // namespace catena::cli
