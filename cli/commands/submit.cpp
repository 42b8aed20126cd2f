#include <CLI/CLI.hpp>
#include <memory>

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
};

ExitCode submit(const SubmitOptions& options, Console& console) {
  const auto address = cluster_address(options.place);
  if (!address) return report(console, address.error());
  if (address->empty()) {
    return report(console, make_error(Code::usage, "nobody would run the chain: give --cluster ADDR:PORT, or use `catena run`, which runs it here"));
  }
  auto submission = prepare_submission(options.submission, RunsAt::cluster, console);
  if (!submission) return ExitCode::usage;
  const Interrupt interrupt;
  const auto client = connect_to(*address, options.place, console);
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
  add_cluster(app, options->place);
  add_text_output(app, options->output, "the id of the chain");
  return [options](Console& console) { return submit(*options, console); };
}

}  // namespace catena::cli
