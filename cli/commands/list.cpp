#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "base/clock.hpp"
#include "base/suggest.hpp"
#include "cli/commands/commands.hpp"
#include "cli/options.hpp"
#include "cli/place.hpp"
#include "cli/show/text.hpp"

namespace catena::cli {
namespace {

using coordinator::ListedChain;

struct ListOptions {
  std::string status;
  bool all = false;
  std::size_t count_max = 0;
  std::string output = "text";
  Place place;
};

UnixMillis duration_of(const ListedChain& chain) {
  const auto end = chain.finished_at != 0 ? chain.finished_at : SystemClock{}.now();
  return std::max<UnixMillis>(end - chain.started_at, 0);  // the clock may have been set back since it started
}

/// A chain that nobody runs stands still, whatever its status says.
std::string shown_status(const ListedChain& chain, bool owned) {
  const std::string status{engine::name(chain.status)};
  const bool goes_on = chain.status == engine::ChainStatus::running || chain.status == engine::ChainStatus::pending;
  return goes_on && !owned ? status + " (interrupted)" : status;
}

std::vector<std::string> chain_row(const ListedChain& chain, bool owned) {
  return {printable(chain.id.value),
          printable(chain.name),
          shown_status(chain, owned),
          iso8601(chain.started_at),
          span_text(Millis{duration_of(chain)}),
          fmt::format("{}/{}", chain.steps_settled, chain.steps)};
}

Json chain_json(const ListedChain& chain) {
  Json json{{"chain_id", chain.id.value},           {"name", chain.name},
            {"status", engine::name(chain.status)}, {"started_at", iso8601(chain.started_at)},
            {"duration_ms", duration_of(chain)},    {"steps", {{"settled", chain.steps_settled}, {"total", chain.steps}}}};
  if (chain.finished_at != 0) json["finished_at"] = iso8601(chain.finished_at);
  if (!chain.parent.empty()) json["parent"] = chain.parent.value;
  return json;
}

Result<coordinator::ListChains> question_of(const ListOptions& options) {
  coordinator::ListChains ask;
  if (!options.all) ask.parent = ChainId{};
  if (options.status.empty()) return ask;
  const auto status = engine::chain_status_named(options.status);
  if (!status) {
    const std::vector<std::string> known(engine::kChainStatusNames.begin(), engine::kChainStatusNames.end());
    return fail(Code::usage, fmt::format("no chain has the status '{}'{}; there are {}", options.status, did_you_mean(options.status, known),
                                         fmt::join(known, ", ")));
  }
  ask.statuses = {*status};
  return ask;
}

ExitCode list(const ListOptions& options, Console& console) {
  const auto ask = question_of(options);
  if (!ask) return report(console, ask.error());
  const auto shelf = open_shelf(options.place, console);
  if (!shelf) return report(console, shelf.error());
  const bool owned = shelf->owner.has_value();
  std::vector<std::vector<std::string>> rows;
  const auto listed = client::for_each_chain(*shelf->questions, *ask, options.count_max, [&](const ListedChain& chain) {
    if (options.output == "ids") {
      console.out().line(chain.id.value);
    } else if (options.output == "json") {
      console.out().line(dump_lossy(chain_json(chain)));
    } else {
      rows.push_back(chain_row(chain, owned));
    }
    return !console.out().closed();
  });
  if (!listed) return report(console, listed.error());
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
