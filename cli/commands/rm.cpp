#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <set>

#include "cli/commands/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/place.hpp"
#include "cli/records.hpp"
#include "cli/removal.hpp"
#include "cli/show/text.hpp"

namespace catena::cli {
namespace {

struct RemoveOptions {
  std::vector<std::string> ids;
  std::string reason;
  bool yes = false;
  bool dry_run = false;
  Form form = Form::table;
  Place place;
};

/// What would go, as one reads it and as a record.
struct Removable {
  ChainId chain;
  engine::ChainStatus status = engine::ChainStatus::pending;
  std::uint64_t below = 0;
};

std::string removal_line(const Removable& chain) {
  auto line = fmt::format("{} ({})", printable(chain.chain.value), engine::name(chain.status));
  if (chain.below > 0) line += fmt::format(", with {} below it", counted(chain.below, "chain"));
  return line;
}
Json removal_record(const Removable& chain) {
  return {{"chain_id", chain.chain.value}, {"status", engine::name(chain.status)}, {"descendants", chain.below}, {"removed", false}};
}

/// Error: of the first that is not there.
Result<std::vector<Removable>> described(client::Questions& questions, const std::vector<ChainId>& chains) {
  std::vector<Removable> found;
  for (const auto& chain : chains) {
    const auto known = questions.ask(coordinator::DescribeChain{.chain = chain});
    if (!known) return fail(known.error());
    const auto family = client::count_family(questions, chain);
    if (!family) return fail(family.error());
    std::uint64_t below = 0;
    for (const auto& count : family->counts) below += count.chains;
    found.push_back({chain, known->status, below});
  }
  return found;
}

ExitCode remove(const RemoveOptions& options, Console& console) {
  const Interrupt interrupt;
  std::vector<ChainId> chains;
  std::set<std::string> seen;
  for (const auto& id : options.ids) {
    if (seen.insert(id).second) chains.emplace_back(id);
  }
  if (options.dry_run) {
    const auto shelf = open_shelf(options.place, console);
    if (!shelf) return report(console, shelf.error());
    const auto found = described(*shelf->questions, chains);
    if (!found) return report(console, found.error());
    for (const auto& chain : *found) {
      if (for_people(options.form)) {
        console.out().line(removal_line(chain));
      } else {
        print_element(options.form, removal_record(chain), chain.chain.value, console);
      }
    }
    return ExitCode::ok;
  }
  const auto port = open_existing(options.place, 0, chains.front(), console);
  if (!port) return report(console, port.error());
  if (!options.yes && !confirmed(console, fmt::format("remove {} with all that is kept of them?", counted(chains.size(), "chain"))))
    return ExitCode::ok;
  return remove_and_tell(**port, chains, 0, options.reason, options.form, console);
}

}  // namespace

Action define_rm(CLI::App& app) {
  const auto options = std::make_shared<RemoveOptions>();
  app.add_option("chain", options->ids, "chains that have ended; what they started goes with them")->required()->option_text("ID...");
  app.add_flag("-y,--yes", options->yes, "ask nobody (without a terminal nobody is asked)");
  app.add_flag("--dry-run", options->dry_run, "say what would be removed, and remove nothing");
  add_reason(app, options->reason);
  add_text_output(app, options->form, "the ids of chains");
  add_place(app, options->place);
  return [options](Console& console) { return remove(*options, console); };
}

}  // namespace catena::cli
