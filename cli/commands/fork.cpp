#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "base/random.hpp"
#include "cli/commands/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/parameters.hpp"
#include "cli/show/follow.hpp"
#include "cli/show/repair_page.hpp"
#include "client/records.hpp"
#include "coordinator/forked_id.hpp"

namespace catena::cli {
namespace {

struct ForkOptions {
  ControlRequest request;
  std::string at;
  std::uint64_t event = 0;
  std::string arguments;
  std::string id;
  bool dry_run = false;
};

Result<actors::ForkChain> fork_of(const ForkOptions& options) {
  if (options.at.empty() && options.event == 0)
    return fail(Code::usage,
                fmt::format("say where the fork begins: --at STEP, or --seq N with an event that `catena history {}` shows", options.request.chain));
  actors::ForkChain fork{.chain = ChainId{options.id}, .source = ChainId{options.request.chain}, .reason = options.request.reason};
  fork.wish.step = options.at;
  fork.wish.event = options.event;
  if (!options.arguments.empty()) {
    auto arguments = read_json(options.arguments, "--args");
    if (!arguments) return fail(std::move(arguments).error());
    fork.wish.arguments = std::move(arguments->text);
  }
  if (fork.chain.empty()) fork.chain = coordinator::made_fork_id(fork.source, entropy());
  return fork;
}

/// Says what the fork would share and run, and begins nothing.
ExitCode preview_fork(const ForkOptions& options, const actors::ForkChain& fork, Console& console) {
  const auto shelf = open_shelf(options.request.follow.place, console);
  if (!shelf) return report(console, shelf.error());
  const auto told = shelf->questions->ask(coordinator::PreviewFork{.chain = fork.source, .wish = fork.wish});
  if (!told) return report(console, told.error());
  const auto& form = options.request.follow.output;
  if (for_people(form)) {
    console.out().write(fmt::format("shares the history of chain '{}' up to event {}\n\n", fork.source.value, told->shared.value));
    console.out().write(fork_page(*told, console.room()));
  } else {
    print_record(form, dump_lossy(client::to_json(fork.source, fork.chain, *told)), fork.chain.value, console);
  }
  return ExitCode::ok;
}

ExitCode fork(const ForkOptions& options, Console& console) {
  const Interrupt interrupt;
  auto fork = fork_of(options);
  if (!fork) return report(console, fork.error());
  if (options.dry_run) return preview_fork(options, *fork, console);
  const auto& follow_options = options.request.follow;
  const auto chains = open_existing(follow_options.place, options.request.slots, fork->source, console);
  if (!chains) return report(console, chains.error());
  const auto chain = fork->chain;
  if (auto begun = (*chains)->fork(std::move(*fork)); !begun) return report(console, begun.error());
  if (!(*chains)->elsewhere()) return follow(**chains, chain, follow_options, console);
  console.out().line(accepted_text({chain}, follow_options.output));
  return ExitCode::ok;
}

}  // namespace

Action define_fork(CLI::App& app) {
  const auto options = std::make_shared<ForkOptions>();
  add_chain(app, options->request.chain)->required();
  auto* at = app.add_option("--at", options->at, "begin anew at this step: all that has settled and does not depend on it is shared");
  at->option_text("STEP");
  app.add_option("--seq", options->event, "share the chain's history up to this event, and what was decided with it")
      ->option_text("N")
      ->excludes(at)
      ->check(CLI::PositiveNumber);
  app.add_option("--args", options->arguments, "other arguments, for all that is evaluated from there on: JSON, @FILE or -")->option_text("JSON");
  app.add_option("--id", options->id, "the new chain's id (default: one is made)")->option_text("ID");
  app.add_flag("--dry-run", options->dry_run, "say what would be shared and what would run, and begin nothing");
  add_control_request(app, options->request);
  return [options](Console& console) { return fork(*options, console); };
}

}  // namespace catena::cli
