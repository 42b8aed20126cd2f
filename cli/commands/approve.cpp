#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/options.hpp"
#include "cli/parameters.hpp"
#include "cli/show/follow.hpp"

namespace catena::cli {
namespace {

struct AnswerOptions {
  ControlRequest request;
  std::string task;
  std::string edit;
  std::string key;
  bool approved = true;
};

Result<actors::Control> answer_of(const AnswerOptions& options, const ChainId& chain) {
  auto task = tasks_named(options.task);
  if (!task) return fail(std::move(task).error());
  engine::Approval approval{.items = std::move(task->items), .approved = options.approved, .key = key_or_made(options.key)};
  if (!options.edit.empty()) {
    auto edit = read_object(options.edit, "--edit");
    if (!edit) return fail(std::move(edit).error());
    approval.arguments = engine::inline_payload(std::move(edit->text));
  }
  actors::Control control{chain, std::move(approval)};
  control.step = std::move(task->step);
  return control;
}

Action define_answer(CLI::App& app, bool approved) {
  const auto options = std::make_shared<AnswerOptions>();
  options->approved = approved;
  options->request.follow.place.awaits = true;
  add_chain(app, options->request.chain)->required();
  app.add_option("task", options->task, "the step that waits for approval; of a fan-out with the items: STEP/3, STEP/3,7-9")
      ->required()
      ->option_text("STEP[/ITEMS]");
  if (approved) {
    app.add_option("--edit", options->edit, "arguments in place of those that the step has, where its definition allows it: JSON, @FILE or -")
        ->option_text("JSON");
  }
  app.add_option("--idempotency-key", options->key, "a second answer with the same key changes nothing, so it can be sent again")->option_text("KEY");
  add_control_request(app, options->request);
  return [options](Console& console) {
    const auto done = fmt::format("has the {} of '{}'", options->approved ? "approval" : "rejection", options->task);
    return control_or_follow(options->request, console, done, [&](client::ChainsPort&, const ChainId& chain) { return answer_of(*options, chain); });
  };
}

}  // namespace

Action define_approve(CLI::App& app) { return define_answer(app, true); }
Action define_reject(CLI::App& app) { return define_answer(app, false); }

}  // namespace catena::cli
