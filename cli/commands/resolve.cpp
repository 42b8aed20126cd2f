#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <memory>

#include "base/suggest.hpp"
#include "cli/commands/commands.hpp"
#include "cli/follow.hpp"
#include "cli/inspect.hpp"
#include "cli/options.hpp"
#include "cli/parameters.hpp"
#include "lang/scope.hpp"

namespace catena::cli {
namespace {

struct ResolveOptions {
  OrderRequest request;
  std::string task;  // STEP or STEP/INDEX
  std::string response;
  std::string failed;
  bool again = false;
};

/// A step of the chain, and the item of its fan-out.
struct TaskName {
  std::string step;
  std::optional<ItemIndex> item;
};

Result<TaskName> parse_task(const std::string& written) {
  const auto slash = written.find('/');
  TaskName task{written.substr(0, slash), {}};
  if (slash == std::string::npos) return task;
  const auto* const begin = written.data() + slash + 1;
  const auto* const end = written.data() + written.size();
  ItemIndex item = 0;
  const auto [parsed, failed] = std::from_chars(begin, end, item);
  if (failed != std::errc{} || parsed != end) return fail(Code::usage, fmt::format("'{}' is not of the form STEP or STEP/INDEX", written));
  task.item = item;
  return task;
}

Result<void> check_in_doubt(const engine::VisitState& visit, const TaskName& task) {
  if (visit.fan_out && !task.item) {
    return fail(Code::usage, fmt::format("step '{0}' is a fan-out: name the item, as in {0}/0", task.step));
  }
  if (visit.in_doubt.contains(task.item.value_or(0))) return {};
  std::string known;
  if (!visit.in_doubt.empty()) known = fmt::format("; of this step, item {} is", visit.in_doubt.front());
  return fail(Code::chain_state, fmt::format("nothing of '{}' is in doubt{}", task.step, known));
}

Result<decltype(engine::Resolve::outcome)> outcome_of(const ResolveOptions& options, const lang::Step& step) {
  if (options.again) return std::monostate{};
  if (options.response.empty()) return make_error(Code::tool_failed, options.failed.empty() ? "a person said that it failed" : options.failed);
  auto response = read_object(options.response, "--response");
  if (!response) return fail(response.error());
  // What follows relies on it as on a tool's own.
  if (auto fits = lang::check_response(*response, step.responses, fmt::format("step '{}'", step.id)); !fits) return fail(fits.error());
  return engine::inline_payload(std::move(response->text));
}

Result<actors::Order> order_for(const ResolveOptions& options, const ChainsPort& chains, const ChainId& chain) {
  const auto task = parse_task(options.task);
  if (!task) return fail(task.error());
  const auto recovered = coordinator::recover_state(chains.kv(), chain);
  if (!recovered) return fail(recovered.error());
  const auto package = coordinator::recover_package(chains.kv(), recovered->state.package, catalog());
  if (!package) return fail(package.error());
  const auto& program = *(*package)->programs.at(recovered->state.definition);
  const auto step = program.find_step(task->step);
  if (!step) {
    std::vector<std::string> ids;
    for (const auto& known : program.steps) ids.push_back(known.id);
    return fail(Code::usage, fmt::format("chain '{}' has no step '{}'{}", chain.value, task->step, did_you_mean(task->step, ids)));
  }
  const auto& visit = recovered->state.steps[*step];
  if (const auto valid = check_in_doubt(visit, *task); !valid) return fail(valid.error());
  auto outcome = outcome_of(options, program.steps[*step]);
  if (!outcome) return fail(outcome.error());
  return actors::Order{chain, engine::Resolve{{*step, visit.visit}, task->item.value_or(0), std::move(*outcome)}};
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
    return order_and_follow(options->request, console,
                            [&](const ChainsPort& chains, const ChainId& chain) { return order_for(*options, chains, chain); });
  };
}

}  // namespace catena::cli
