#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/options.hpp"
#include "cli/show/follow.hpp"

namespace catena::cli {
namespace {

struct AmendOptions {
  ControlRequest request;
  std::string step;
  std::string tolerate;
  std::string deadline;
  engine::Amend amend;
};

Result<actors::Control> amend_of(const AmendOptions& options, const ChainId& chain) {
  actors::Control control{chain, options.amend};
  control.step = options.step;
  auto& amend = std::get<engine::Amend>(control.what);
  if (!options.tolerate.empty()) {
    if (auto put = engine::put_tolerance(amend.terms, options.tolerate); !put) return fail(std::move(put).error());
  }
  if (!options.deadline.empty()) {
    const auto deadline = read_deadline_or_none(options.deadline);
    if (!deadline) return fail(deadline.error());
    amend.deadline = *deadline;
  }
  return control;
}

}  // namespace

Action define_amend(CLI::App& app) {
  const auto options = std::make_shared<AmendOptions>();
  auto& amend = options->amend;
  add_chain(app, options->request.chain)->required();
  app.add_option("step", options->step, "only this step; without one: all that have a use for it")->option_text("STEP");
  app.add_option("--max-concurrency", amend.terms.window, "items of a fan-out that run at once; 0: any number")->option_text("N");
  app.add_option("--priority", amend.priority, "of the chain, with all below it: -10 to 10")->option_text("N");
  app.add_option("--tolerate", options->tolerate, "items of a fan-out that may fail: a number, or a share such as 5%")->option_text("N|P%");
  app.add_option("--deadline", options->deadline, "of the chain: a span from now on (2h), a time of RFC 3339, or none")->option_text("D");
  add_duration(app, "--timeout", "of an attempt; 0: none", [options](Millis span) { options->amend.terms.timeout_ms = span.count(); });
  app.add_option("--retry-attempts", amend.terms.attempts, "attempts of a task, the first included")->option_text("N");
  add_control_request(app, options->request);
  return [options](Console& console) {
    return control_or_follow(options->request, console, "is amended",
                             [&](client::ChainsPort&, const ChainId& chain) { return amend_of(*options, chain); });
  };
}

}  // namespace catena::cli
