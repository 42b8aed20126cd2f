#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include "base/suggest.hpp"
#include "cli/commands/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/parameters.hpp"
#include "cli/place.hpp"
#include "cli/records.hpp"
#include "cli/removal.hpp"
#include "cli/show/style.hpp"
#include "cli/show/text.hpp"
#include "storage/rocks_kv.hpp"

namespace catena::cli {
namespace {

struct PruneOptions {
  std::string older_than_text;
  std::optional<Millis> older_than = {};
  std::vector<std::string> statuses;
  std::string name;
  std::vector<std::string> labels_text;
  std::map<std::string, std::string> labels = {};
  std::string reason;
  bool yes = false;
  bool dry_run = false;
  Form form = Form::table;
  Place place;
};

Result<std::vector<engine::ChainStatus>> ended_statuses(const std::vector<std::string>& words) {
  using enum engine::ChainStatus;
  if (words.empty()) return std::vector{succeeded, failed, cancelled};
  std::vector<engine::ChainStatus> statuses;
  const std::vector<std::string> known{"succeeded", "failed", "cancelled"};
  for (const auto& word : words) {
    const auto status = engine::chain_status_named(word);
    if (!status || !engine::terminal(*status))
      return fail(Code::usage, fmt::format("chains do not end as '{}'{}; there are {}", word, did_you_mean(word, known), fmt::join(known, ", ")));
    statuses.push_back(*status);
  }
  return statuses;
}

/// The oldest first: an interrupt leaves the newest.
Result<std::vector<coordinator::ListedChain>> chains_to_prune(client::Questions& questions, const PruneOptions& options,
                                                              std::vector<engine::ChainStatus> statuses, UnixMillis before) {
  coordinator::ListChains ask;
  ask.parent = ChainId{};
  ask.name = options.name;
  ask.labels = options.labels;
  ask.statuses = std::move(statuses);
  std::vector<coordinator::ListedChain> found;
  const auto listed = client::for_each_chain(questions, ask, 0, [&](const coordinator::ListedChain& chain) {
    // A coordinator of an earlier version knows no labels, and lists all.
    if (chain.finished_at != 0 && chain.finished_at < before && has_labels(chain.labels, options.labels)) found.push_back(chain);
    return !Interrupt::requested();
  });
  if (!listed) return fail(listed.error());
  std::ranges::reverse(found);
  return found;
}

void list_pruned(const std::vector<coordinator::ListedChain>& found, UnixMillis now, Form form, Console& console) {
  RecordPrinter printer{form,
                        "chain_id",
                        {{.title = "ID", .shortens = true, .where = Cut::middle},
                         {.title = "NAME", .shortens = true},
                         {.title = "STATUS", .shade = shade_of_status},
                         {.title = "ENDED", .leaves = 1},
                         {.title = "AGE"}},
                        console};
  for (const auto& chain : found) {
    printer.add(
        [&]() -> Json {
          return {{"chain_id", chain.id.value},
                  {"name", chain.name},
                  {"status", engine::name(chain.status)},
                  {"finished_at", iso8601(chain.finished_at)},
                  {"removed", false}};
        },
        [&]() -> Cells {
          return {chain.id.value, chain.name, std::string{engine::name(chain.status)}, iso8601(chain.finished_at), age_text(now - chain.finished_at)};
        });
  }
  if (!found.empty()) printer.finish();
  console.say(fmt::format("{} would be removed, with all that they started", counted(found.size(), "chain")));
}

ExitCode prune(const PruneOptions& options, Console& console) {
  const Interrupt interrupt;
  auto statuses = ended_statuses(options.statuses);
  if (!statuses) return report(console, statuses.error());
  const auto now = console.now();
  const auto before = now - options.older_than->count() + 1;
  {
    const auto shelf = open_shelf(options.place, console);  // looking makes no store
    if (!shelf) return report(console, shelf.error());
    const auto found = chains_to_prune(*shelf->questions, options, *statuses, before);
    if (!found) return report(console, found.error());
    if (options.dry_run) {
      list_pruned(*found, now, options.form, console);
      return ExitCode::ok;
    }
    if (found->empty()) {
      console.say(options.labels.empty() ? "no chain is that old: nothing was removed" : "no chain of that kind is that old: nothing was removed");
      return ExitCode::ok;
    }
    const auto question = fmt::format("remove {} that ended more than {} ago, with all that they started?", counted(found->size(), "chain"),
                                      to_string(*options.older_than));
    if (!options.yes && !confirmed(console, question)) return ExitCode::ok;
  }
  const auto port = open_chains(options.place, 0, console);
  if (!port) return report(console, port.error());
  const auto found = chains_to_prune((*port)->questions(), options, *statuses, before);
  if (!found) return report(console, found.error());
  std::vector<ChainId> ids;
  ids.reserve(found->size());
  for (const auto& chain : *found) ids.push_back(chain.id);
  return remove_and_tell(**port, ids, before, options.reason, options.form, console);
}

}  // namespace

Action define_prune(CLI::App& app) {
  const auto options = std::make_shared<PruneOptions>();
  app.add_option("--older-than", options->older_than_text, "chains that ended longer ago than this, written 90m, 12h or 30d")
      ->required()
      ->option_text("SPAN");
  app.add_option("--status", options->statuses, "only those that ended so: succeeded, failed, cancelled; several with commas")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->option_text("STATUS");
  app.add_option("--name", options->name, "only chains of definitions with this name, or that fit this pattern (* and ?)")->option_text("NAME");
  app.add_option("--label", options->labels_text,
                 "only chains with this label, or with a value that fits this pattern (* and ?); may be given several times")
      ->allow_extra_args(false)
      ->option_text("KEY=VALUE");
  app.add_flag("-y,--yes", options->yes, "ask nobody (without a terminal nobody is asked)");
  app.add_flag("--dry-run", options->dry_run, "list what would be removed, and remove nothing");
  add_reason(app, options->reason);
  add_record_output(app, options->form, "the ids of chains");
  add_place(app, options->place);
  return [options](Console& console) {
    auto labels = wanted_labels(options->labels_text);
    if (!labels) return report(console, labels.error());
    options->labels = std::move(*labels);
    options->older_than = parse_duration(options->older_than_text);
    if (options->older_than) return prune(*options, console);
    const auto words = fmt::format("--older-than '{}' is no span of time; write one such as 90m, 12h or 30d", options->older_than_text);
    return report(console, make_error(Code::usage, words));
  };
}

}  // namespace catena::cli
