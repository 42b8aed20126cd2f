#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/options.hpp"
#include "cli/parameters.hpp"
#include "cli/show/follow.hpp"

namespace catena::cli {
namespace {

struct SkipOptions {
  ControlRequest request;
  std::string task;
  std::string response;
};

Result<actors::Control> skip_of(const SkipOptions& options, const ChainId& chain) {
  auto task = tasks_named(options.task);
  if (!task) return fail(std::move(task).error());
  actors::Control control{chain, engine::Substitute{}};
  control.step = std::move(task->step);
  auto& given = std::get<engine::Substitute>(control.what);
  given.items = std::move(task->items);
  auto response = read_json(options.response, "--with");
  if (!response) return fail(response.error());
  given.response = engine::inline_payload(std::move(response->text));
  return control;
}

}  // namespace

Action define_skip(CLI::App& app) {
  const auto options = std::make_shared<SkipOptions>();
  add_chain(app, options->request.chain)->required();
  app.add_option("task", options->task, "the step; of a fan-out with the items: STEP/3, STEP/3,7-9")->required()->option_text("STEP[/ITEMS]");
  app.add_option("--with", options->response, "the response that it has instead: JSON, @FILE or -")->required()->option_text("JSON");
  add_control_request(app, options->request);
  return [options](Console& console) {
    return control_and_follow(options->request, console, [&](client::ChainsPort&, const ChainId& chain) { return skip_of(*options, chain); });
  };
}

}  // namespace catena::cli
