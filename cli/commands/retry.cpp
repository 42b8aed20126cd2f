#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/find/tool_files.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/show/follow.hpp"
#include "cli/show/repair_page.hpp"
#include "client/records.hpp"

namespace catena::cli {
namespace {

struct RetryOptions {
  ControlRequest request;
  std::vector<std::string> tools;
  std::vector<std::string> from;
  std::vector<std::string> items;
  std::string where;
  std::string definition;
  bool refresh = false;
  bool only_failed = false;
  bool dry_run = false;
};

/// The chain's definition with its programs as they are here and now.
struct Fresh {
  lang::Package package;
  std::map<std::string, std::string> programs;
};

Result<Fresh> read_again(const std::string& definition, const std::vector<std::string>& tools) {
  const auto roots = open_roots(tools, definition);
  if (!roots) return fail(roots.error());
  const auto known = configured_catalog();
  if (!known) return fail(known.error());
  auto package = lang::load_package(definition, *roots, *known);
  if (!package) return fail(std::move(package.error().front()));
  auto programs = pin_tool_files(*package, *roots);
  if (!programs) return fail(std::move(programs).error());
  return Fresh{std::move(*package), std::move(*programs)};
}

bool changed_since(const coordinator::ChainDescription& known, const std::vector<std::string>& tools) {
  if (!std::filesystem::is_regular_file(known.definition)) return false;
  const auto fresh = read_again(known.definition, tools);
  return fresh && fresh->package.hash != known.package;
}

/// "STEP:3,7-9".
Result<void> add_items(const std::string& written, std::map<std::string, IndexSet>& items) {
  const auto colon = written.rfind(':');
  const auto set = colon == std::string::npos ? std::nullopt : index_set_from_text(std::string_view{written}.substr(colon + 1));
  if (!set || colon == 0) return fail(Code::usage, fmt::format("'--items {}' is not of the form STEP:3,7-9", written));
  items[written.substr(0, colon)].insert(*set);
  return {};
}

Result<actors::RepairWish> wish_of(const RetryOptions& options) {
  actors::RepairWish wish;
  wish.only_failed = options.only_failed;
  wish.from = options.from;
  wish.where = options.where;
  for (const auto& items : options.items) {
    if (auto added = add_items(items, wish.items); !added) return fail(std::move(added).error());
  }
  return wish;
}

/// What the chain is asked to do, and what it is to take up.
struct Repair {
  actors::RepairWish wish;
  std::optional<Fresh> fresh;
};

Result<Repair> repair_for(const RetryOptions& options, client::Questions& questions, const ChainId& chain, Console& console) {
  auto wish = wish_of(options);
  if (!wish) return fail(std::move(wish).error());
  const auto known = questions.ask(coordinator::DescribeChain{.chain = chain});
  if (!known) return fail(known.error());
  Repair repair{std::move(*wish), std::nullopt};
  const bool takes_up = options.refresh || !options.definition.empty();
  if (takes_up) {
    auto fresh = read_again(options.definition.empty() ? known->definition : options.definition, options.tools);
    if (!fresh) return fail(std::move(fresh).error());
    repair.fresh = std::move(*fresh);
  } else if (changed_since(*known, options.tools)) {
    console.say(
        fmt::format("chain '{0}' runs again with what it began with; definitions or programs have changed since. `catena retry {0} --refresh{1}` "
                    "takes up what is there now (with --dry-run it says what would run)",
                    chain.value, options.request.follow.place.words()));
  }
  return repair;
}

Result<actors::Control> retry_of(const RetryOptions& options, client::ChainsPort& chains, const ChainId& chain, Console& console) {
  auto repair = repair_for(options, chains.questions(), chain, console);
  if (!repair) return fail(std::move(repair).error());
  actors::Control control{chain, engine::Retry{}};
  control.wish = std::move(repair->wish);
  if (repair->fresh) {
    control.package = std::make_shared<const lang::Package>(std::move(repair->fresh->package));
    control.programs = std::move(repair->fresh->programs);
  }
  return control;
}

/// Says what the retry would do, and changes nothing.
ExitCode preview(const RetryOptions& options, Console& console) {
  const Interrupt interrupt;
  const ChainId chain{options.request.chain};
  const auto shelf = open_shelf(options.request.follow.place, console);
  if (!shelf) return report(console, shelf.error());
  auto repair = repair_for(options, *shelf->questions, chain, console);
  if (!repair) return report(console, repair.error());
  coordinator::PreviewRepair ask{.chain = chain, .wish = std::move(repair->wish)};
  if (repair->fresh) ask.manifest = std::move(repair->fresh->package.manifest);
  const auto told = shelf->questions->ask(ask);
  if (!told) return report(console, told.error());
  if (for_people(options.request.follow.output)) {
    console.out().write(repair_page(*told, console.room()));
  } else {
    print_record(options.request.follow.output, dump_lossy(client::to_json(chain, *told)), chain.value, console);
  }
  return ExitCode::ok;
}

}  // namespace

Action define_retry(CLI::App& app) {
  const auto options = std::make_shared<RetryOptions>();
  auto& request = options->request;
  add_chain(app, request.chain)->required();
  app.add_flag("--failed", options->only_failed, "only what failed, also where that was tolerated; what has succeeded stays, whatever has changed");
  app.add_option("--from", options->from, "this step too, and all that depends on it; of a sequence the step to go on with")
      ->option_text("STEP")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--items", options->items, "of this fan-out these items too, whatever they have: STEP:3,7-90")
      ->option_text("STEP:ITEMS")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--where", options->where, "of the failed items of fan-outs those for which this holds, as in 'error.code == \"tool_timeout\"'")
      ->option_text("EXPRESSION")
      ->excludes("--failed");
  auto* definition =
      app.add_option("--definition", options->definition, "go on with this definition, and programs as they are now")->option_text("FILE");
  app.add_flag("--refresh", options->refresh, "go on with the definition, its programs and their files as they are now")->excludes(definition);
  app.add_flag("--dry-run", options->dry_run, "say what would run, and why, and change nothing");
  add_reason(app, request.reason);
  add_tools(app, options->tools);
  add_slots(app, request.slots);
  add_place(app, request.follow.place);
  add_text_output(app, request.follow.output, "the id of the chain");
  app.add_flag("-q,--quiet", request.follow.quiet, "no progress and no summary");
  return [options](Console& console) {
    if (options->dry_run) return preview(*options, console);
    return control_and_follow(options->request, console,
                              [&](client::ChainsPort& chains, const ChainId& chain) { return retry_of(*options, chains, chain, console); });
  };
}

}  // namespace catena::cli
