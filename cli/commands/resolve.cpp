#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/options.hpp"
#include "cli/parameters.hpp"
#include "cli/show/follow.hpp"
#include "cli/show/task_page.hpp"

namespace catena::cli {
namespace {

struct ResolveOptions {
  ControlRequest request;
  std::string task;  // STEP or STEP/INDEX
  std::string response;
  std::string failed;
  bool again = false;
};

Result<decltype(engine::Resolve::outcome)> outcome_of(const ResolveOptions& options) {
  if (options.again) return std::monostate{};
  if (options.response.empty()) return make_error(Code::tool_failed, options.failed.empty() ? "a person said that it failed" : options.failed);
  auto response = read_object(options.response, "--response");
  if (!response) return fail(response.error());
  return engine::inline_payload(std::move(response->text));
}

Result<actors::Control> control_for(const ResolveOptions& options, client::ChainsPort& chains, const ChainId& chain) {
  auto task = parse_task(options.task);
  if (!task) return fail(task.error());
  coordinator::FindTask ask{.chain = chain, .task = std::move(*task)};
  const auto found = chains.questions().ask(ask);
  if (!found) return fail(found.error());
  auto outcome = outcome_of(options);
  if (!outcome) return fail(outcome.error());
  if (const auto* response = std::get_if<engine::Payload>(&*outcome)) {
    ask.response = response->text;
    if (auto fits = chains.questions().ask(ask); !fits) return fail(fits.error());
  }
  return actors::Control{chain, engine::Resolve{found->visit, found->item, std::move(*outcome)}};
}

}  // namespace

Action define_resolve(CLI::App& app) {
  const auto options = std::make_shared<ResolveOptions>();
  add_chain(app, options->request.chain)->required();
  app.add_option("task", options->task, "the step, or STEP/INDEX for an item of a fan-out")->required()->option_text("STEP[/INDEX]");
  auto* outcome = app.add_option_group("outcome", "what became of the attempt");
  outcome->add_option("--response", options->response, "it happened: its response, a JSON object, @FILE or -")->option_text("JSON");
  outcome->add_option("--failed", options->failed, "it failed: the message")->option_text("MESSAGE");
  outcome->add_flag("--again", options->again, "it did not happen: run it again");
  outcome->require_option(1);
  add_slots(app, options->request.slots);
  add_place(app, options->request.follow.place);
  add_output(app, options->request.follow.output);
  return [options](Console& console) {
    options->request.follow.done = fmt::format("{} of chain '{}' is resolved", options->task, options->request.chain);
    options->request.follow.failure_expected = options->response.empty() && !options->again;
    return control_and_follow(options->request, console,
                              [&](client::ChainsPort& chains, const ChainId& chain) { return control_for(*options, chains, chain); });
  };
}

}  // namespace catena::cli
