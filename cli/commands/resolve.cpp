#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/options.hpp"
#include "cli/parameters.hpp"
#include "cli/show/follow.hpp"

namespace catena::cli {
namespace {

struct ResolveOptions {
  ControlRequest request;
  std::string task;
  std::string response;
  std::string failed;
  bool again = false;
};

/// STEP, STEP/ITEMS or STEP/all.
struct Tasks {
  std::string step;
  std::optional<IndexSet> items;  // of a fan-out; none: not said
  bool all = false;               // that are in doubt
};

Result<Tasks> parse_tasks(const std::string& written) {
  const auto slash = written.find('/');
  Tasks tasks{written.substr(0, slash), {}, false};
  if (slash == std::string::npos) return tasks;
  const auto items = written.substr(slash + 1);
  tasks.all = items == "all";
  if (!tasks.all) tasks.items = index_set_from_text(items);
  if (!tasks.all && !tasks.items) return fail(Code::usage, fmt::format("'{}' is not of the form STEP, STEP/3, STEP/3,7-9 or STEP/all", written));
  return tasks;
}

/// Those of the tasks that are in doubt, which have to be all that were named.
Result<IndexSet> named_in_doubt(const Tasks& tasks, const coordinator::FoundTask& found) {
  if (tasks.all) return found.in_doubt;
  if (!tasks.items) return IndexSet::one(0);
  if (found.in_doubt.contains(*tasks.items)) return *tasks.items;
  auto others = *tasks.items;
  others.erase(found.in_doubt);
  return fail(Code::chain_state, fmt::format("of step '{}' only {} {} in doubt, and not {}", tasks.step, to_text(found.in_doubt),
                                             found.in_doubt.size() == 1 ? "is" : "are", to_text(others)));
}

Result<decltype(engine::Resolve::outcome)> outcome_of(const ResolveOptions& options) {
  if (options.again) return std::monostate{};
  if (options.response.empty()) return make_error(Code::tool_failed, options.failed.empty() ? "a person said that it failed" : options.failed);
  auto response = read_object(options.response, "--response");
  if (!response) return fail(response.error());
  return engine::inline_payload(std::move(response->text));
}

Result<actors::Control> control_for(const ResolveOptions& options, client::ChainsPort& chains, const ChainId& chain) {
  auto tasks = parse_tasks(options.task);
  if (!tasks) return fail(tasks.error());
  const auto first = tasks->items ? std::optional{tasks->items->front()} : std::nullopt;
  coordinator::FindTask ask{.chain = chain, .task = {tasks->step, tasks->items && tasks->items->size() == 1 ? first : std::nullopt}};
  const auto found = chains.questions().ask(ask);
  if (!found) return fail(found.error());
  if (found->fan_out && !tasks->items && !tasks->all)
    return fail(Code::usage,
                fmt::format("step '{0}' is a fan-out: name the items, as in {0}/{1}, or {0}/all", tasks->step, to_text(found->in_doubt)));
  auto items = named_in_doubt(*tasks, *found);
  if (!items) return fail(std::move(items).error());
  auto outcome = outcome_of(options);
  if (!outcome) return fail(outcome.error());
  if (const auto* response = std::get_if<engine::Payload>(&*outcome)) {
    ask.response = response->text;
    if (auto fits = chains.questions().ask(ask); !fits) return fail(fits.error());
  }
  return actors::Control{chain, engine::Resolve{found->visit, std::move(*items), std::move(*outcome)}};
}

}  // namespace

Action define_resolve(CLI::App& app) {
  const auto options = std::make_shared<ResolveOptions>();
  add_chain(app, options->request.chain)->required();
  app.add_option("task", options->task, "the step; of a fan-out with the items: STEP/3, STEP/3,7-9, STEP/all")
      ->required()
      ->option_text("STEP[/ITEMS]");
  auto* outcome = app.add_option_group("outcome", "what became of the attempt");
  outcome->add_option("--response", options->response, "it happened: its response, a JSON object, @FILE or -")->option_text("JSON");
  outcome->add_option("--failed", options->failed, "it failed: the message")->option_text("MESSAGE");
  outcome->add_flag("--again", options->again, "it did not happen: run it again");
  outcome->require_option(1);
  add_reason(app, options->request.reason);
  add_slots(app, options->request.slots);
  add_place(app, options->request.follow.place);
  add_text_output(app, options->request.follow.output, "the id of the chain");
  return [options](Console& console) {
    options->request.follow.done = fmt::format("{} of chain '{}' is resolved", options->task, options->request.chain);
    options->request.follow.failure_expected = options->response.empty() && !options->again;
    return control_and_follow(options->request, console,
                              [&](client::ChainsPort& chains, const ChainId& chain) { return control_for(*options, chains, chain); });
  };
}

}  // namespace catena::cli
