#include <CLI/CLI.hpp>
#include <memory>

#include "cli/batch.hpp"
#include "cli/commands/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/place.hpp"
#include "cli/records.hpp"
#include "cli/show/follow.hpp"
#include "cli/submission.hpp"

namespace catena::cli {
namespace {

struct SubmitOptions {
  SubmissionOptions submission;
  Place place;
  Form output = Form::table;
  std::string batch;  // empty: one submission, as the options say
};

/// Error: usage, where nobody would run chains.
Result<Target> target_that_runs(const SubmitOptions& options) {
  auto target = target_of(options.place);
  if (target && !target->is_elsewhere())
    return fail(Code::usage, "nobody would run the chain: give --cluster ADDR:PORT or --profile NAME, or use `catena run`, which runs it here");
  return target;
}

ExitCode submit_lines(const SubmitOptions& options, Console& console) {
  const auto target = target_that_runs(options);
  if (!target) return report(console, target.error());
  const Interrupt interrupt;
  const auto client = connect_to(*target, options.place, console);
  if (!client) return report(console, client.error());
  return submit_batch({options.batch, options.submission.tools, options.output, target->namespace_(), stored_at(options.place, console)}, **client,
                      console);
}

ExitCode submit(const SubmitOptions& options, Console& console) {
  if (options.submission.definition.empty())
    return report(console, make_error(Code::usage, "give a definition, or --batch FILE with a submission a line"));
  const auto target = target_that_runs(options);
  if (!target) return report(console, target.error());
  auto submission =
      prepare_submission(in_namespace(options.submission, target->namespace_()), RunsAt::cluster, stored_at(options.place, console), console);
  if (!submission) return ExitCode::usage;
  const Interrupt interrupt;
  auto place = options.place;
  place.awaits = !options.submission.key.empty();
  const auto client = connect_to(*target, place, console);
  if (!client) return report(console, client.error());
  const auto submitted = (*client)->submit(std::move(*submission));
  if (!submitted) return report(console, submitted.error());
  if (submitted->again && for_people(options.output)) console.say(submitted_before(submitted->chain));
  console.out().line(accepted_text(*submitted, options.output));
  return ExitCode::ok;
}

}  // namespace

Action define_submit(CLI::App& app) {
  const auto options = std::make_shared<SubmitOptions>();
  add_submission(app, options->submission);
  app.add_option("--notify", options->submission.notify,
                 "an address that is told when the chain has ended: 'URL [events=failed,cancelled] [secret=SECRET:name]'; may be given several times")
      ->allow_extra_args(false)
      ->option_text("WEBHOOK");
  auto* const definition = app.get_option("definition")->required(false);
  auto* const batch = app.add_option("--batch", options->batch,
                                     "submissions, a JSON object a line, with the members of POST /v1/chains and `idempotency_key`; - for standard "
                                     "input. Prints a line for each")
                          ->option_text("FILE|-")
                          ->excludes(definition);
  for (const auto* of_one : {"--args", "--param", "--context", "--context-file", "--id", "--durability", "--label", "--namespace", "--notify",
                             "--traceparent", "--idempotency-key", "--priority", "--deadline"})
    batch->excludes(app.get_option(of_one));
  add_cluster(app, options->place);
  add_text_output(app, options->output, "the id of the chain");
  return [options](Console& console) { return options->batch.empty() ? submit(*options, console) : submit_lines(*options, console); };
}

}  // namespace catena::cli
