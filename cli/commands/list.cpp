#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "base/clock.hpp"
#include "base/suggest.hpp"
#include "cli/commands/commands.hpp"
#include "cli/inspect.hpp"
#include "cli/options.hpp"
#include "cli/place.hpp"
#include "cli/text.hpp"

namespace catena::cli {
namespace {

struct ListOptions {
  std::string status;
  bool all = false;
  std::size_t count_max = 0;
  std::string output = "text";
  Place place;
};

struct Steps {
  std::uint64_t settled = 0;
  std::uint64_t total = 0;
};

/// The summary is written when a chain's status changes; how far a running one has come stands in its journal.
Steps step_counts(const storage::Kv& kv, const storage::ChainSummary& summary) {
  const auto status = engine::chain_status_named(summary.status);
  if (status && !engine::terminal(*status)) {
    if (const auto recovered = coordinator::recover_state(kv, summary)) {
      const auto& state = recovered->state;
      return {state.steps.size() - state.unsettled, state.steps.size()};
    }
  }
  const auto number = [&](const char* name) -> std::uint64_t {
    const auto found = summary.extra.is_object() ? summary.extra.find(name) : summary.extra.end();
    return found != summary.extra.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
  };
  return {number("settled"), number("steps")};
}

UnixMillis duration_of(const storage::ChainSummary& summary) {
  const auto end = summary.finished_at != 0 ? summary.finished_at : SystemClock{}.now();
  return std::max<UnixMillis>(end - summary.started_at, 0);  // the clock may have been set back since it started
}

/// A chain that nobody runs stands still, whatever its status says.
std::string shown_status(const storage::ChainSummary& summary, bool owned) {
  const auto status = engine::chain_status_named(summary.status);
  const bool goes_on = status == engine::ChainStatus::running || status == engine::ChainStatus::pending;
  return goes_on && !owned ? summary.status + " (interrupted)" : summary.status;
}

std::vector<std::string> chain_row(const storage::ChainSummary& summary, const Steps& steps, bool owned) {
  return {printable(summary.id.value), printable(summary.name), shown_status(summary, owned), iso8601(summary.started_at), span_text(Millis{duration_of(summary)}),
          fmt::format("{}/{}", steps.settled, steps.total)};
}

Json chain_json(const storage::ChainSummary& summary, const Steps& steps) {
  Json json{{"chain_id", summary.id.value},
            {"name", summary.name},
            {"status", summary.status},
            {"started_at", iso8601(summary.started_at)},
            {"duration_ms", duration_of(summary)},
            {"steps", {{"settled", steps.settled}, {"total", steps.total}}}};
  if (summary.finished_at != 0) json["finished_at"] = iso8601(summary.finished_at);
  if (!summary.parent.empty()) json["parent"] = summary.parent;
  return json;
}

Result<storage::SummaryFilter> filter_of(const ListOptions& options) {
  storage::SummaryFilter filter;
  filter.count_max = options.count_max;
  if (!options.all) filter.parent = "";
  if (options.status.empty()) return filter;
  if (!engine::chain_status_named(options.status)) {
    const std::vector<std::string> known(engine::kChainStatusNames.begin(), engine::kChainStatusNames.end());
    return fail(Code::usage, fmt::format("no chain has the status '{}'{}; there are {}", options.status, did_you_mean(options.status, known),
                                         fmt::join(known, ", ")));
  }
  filter.statuses = {options.status};
  return filter;
}

ExitCode list(const ListOptions& options, Console& console) {
  const auto filter = filter_of(options);
  if (!filter) return report(console, filter.error());
  const auto shelf = open_shelf(options.place, console);
  if (!shelf) return report(console, shelf.error());
  const auto& kv = shelf->kv;
  const bool owned = shelf->owner.has_value();
  std::vector<std::vector<std::string>> rows;
  if (kv) {
    const auto listed = storage::list_summaries(*kv, *filter, [&](const storage::ChainSummary& summary) {
      if (options.output == "ids") {
        console.out().line(summary.id.value);
      } else if (options.output == "json") {
        console.out().line(dump_lossy(chain_json(summary, step_counts(*kv, summary))));
      } else {
        rows.push_back(chain_row(summary, step_counts(*kv, summary), owned));
      }
      return !console.out().closed();
    });
    if (!listed) return report(console, listed.error());
  }
  if (options.output == "text") console.out().write(table({"ID", "NAME", "STATUS", "STARTED", "DURATION", "STEPS"}, rows));
  if (options.output == "text" && rows.empty() && console.live()) console.say(fmt::format("no chains in {}", shelf->where));
  return ExitCode::ok;
}

}  // namespace

Action define_list(CLI::App& app) {
  const auto options = std::make_shared<ListOptions>();
  app.add_option("--status", options->status, "only chains of this status")->option_text("STATUS");
  app.add_flag("-a,--all", options->all, "chains that other chains started, too");
  app.add_option("-n,--limit", options->count_max, "at most so many, newest first")->option_text("N");
  app.add_option("-o,--output", options->output, "text (default), json (an object a line) or ids")
      ->check(CLI::IsMember({"text", "json", "ids"}))
      ->option_text("FORMAT");
  add_place(app, options->place);
  return [options](Console& console) { return list(*options, console); };
}

}  // namespace catena::cli
