#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include "base/suggest.hpp"
#include "cli/commands/commands.hpp"
#include "cli/options.hpp"
#include "cli/parameters.hpp"
#include "cli/place.hpp"
#include "cli/records.hpp"
#include "cli/show/failure.hpp"
#include "cli/show/text.hpp"
#include "cli/since.hpp"
#include "client/records.hpp"

namespace catena::cli {
namespace {

using coordinator::ListedChain;

constexpr std::size_t kShownByDefault = 20;    // as text; a script gets what it asks for
constexpr std::uint64_t kCountedMax = 10'000;  // beyond those that are shown
constexpr std::string_view kInterrupted = "interrupted";

struct ListOptions {
  std::vector<std::string> statuses;
  std::string name;
  std::string since;
  std::vector<std::string> context;
  std::vector<std::string> labels;
  std::string namespace_;
  std::string below;
  bool all = false;
  std::optional<std::size_t> count_max;
  Form form = Form::table;
  Place place;
};

UnixMillis duration_of(const ListedChain& chain, UnixMillis now) {
  const auto end = chain.finished_at != 0 ? chain.finished_at : now;
  return std::max<UnixMillis>(end - chain.started_at, 0);  // the clock may have been set back since it started
}

bool goes_on(engine::ChainStatus status) { return status == engine::ChainStatus::running || status == engine::ChainStatus::pending; }

/// A chain that nobody runs stands still, whatever its record says.
std::string_view shown_status(const ListedChain& chain, bool owned) {
  return goes_on(chain.status) && !owned ? kInterrupted : engine::name(chain.status);
}

struct Look {
  bool owned = false;  // somebody runs the chains
  bool ages = false;
  UnixMillis now = 0;
};

Cells chain_row(const ListedChain& chain, const Look& look) {
  return {chain.id.value,
          chain.name,
          std::string{shown_status(chain, look.owned)},
          iso8601(chain.started_at),
          look.ages ? age_text(look.now - chain.started_at) : "",
          span_text(Millis{duration_of(chain, look.now)}),
          fmt::format("{}/{}", chain.steps_settled, chain.steps),
          chain.parent.value,
          label_words(chain.labels),
          chain.deadline_at != 0 ? iso8601(chain.deadline_at) : "",
          chain.error ? one_line(*chain.error) : ""};
}

/// On a terminal with the age of each chain, which stays when the time has to leave.
std::vector<Column> list_columns(bool ages) {
  std::vector<Column> columns{{.title = "ID", .shortens = true, .where = Cut::middle},
                              {.title = "NAME", .shortens = true, .leaves = 2},
                              {.title = "STATUS", .shade = shade_of_status},
                              {.title = "STARTED", .leaves = ages ? 4U : 0U},
                              {.title = "AGE", .leaves = 1, .absent = !ages},
                              {.title = "DURATION"},
                              {.title = "STEPS", .leaves = 3},
                              {.title = "PARENT", .only_wide = true},
                              {.title = "LABELS", .only_wide = true},
                              {.title = "DEADLINE", .only_wide = true},
                              {.title = "ERROR", .only_wide = true}};
  return columns;
}

Json chain_json(const ListedChain& chain, const Look& look) {
  auto json = client::to_json(chain, look.now);
  json["status"] = shown_status(chain, look.owned);
  if (json["status"] == kInterrupted) json["last_status"] = engine::name(chain.status);
  return json;
}

/// Which records are meant. Nothing: no chain can be listed so.
Result<std::optional<std::vector<engine::ChainStatus>>> statuses_of(const ListOptions& options, bool owned) {
  std::vector<engine::ChainStatus> statuses;
  for (const auto& word : options.statuses) {
    if (word == kInterrupted) {
      if (!owned) statuses.insert(statuses.end(), {engine::ChainStatus::running, engine::ChainStatus::pending});
      continue;
    }
    const auto status = engine::chain_status_named(word);
    if (!status) {
      std::vector<std::string> known(engine::kChainStatusNames.begin(), engine::kChainStatusNames.end());
      known.emplace_back(kInterrupted);
      return fail(Code::usage, fmt::format("no chain has the status '{}'{}; there are {}", word, did_you_mean(word, known), fmt::join(known, ", ")));
    }
    if (owned || !goes_on(*status)) statuses.push_back(*status);
  }
  if (!options.statuses.empty() && statuses.empty()) return std::nullopt;
  return statuses;
}

Result<std::map<std::string, std::string>> context_of(const std::vector<std::string>& given) {
  std::map<std::string, std::string> context;
  for (const auto& member : given) {
    const auto equals = member.find('=');
    if (equals == std::string::npos || equals == 0) return fail(Code::usage, fmt::format("--context '{}' is not of the form KEY=VALUE", member));
    const auto value = member.substr(equals + 1);
    const bool json = !Json::parse(value, nullptr, false).is_discarded();
    context[member.substr(0, equals)] = json ? value : Json(value).dump();
  }
  return context;
}

Result<coordinator::ListChains> chains_asked(const ListOptions& options, UnixMillis now) {
  coordinator::ListChains ask;
  if (!options.all && options.below.empty()) ask.parent = ChainId{};
  ask.below = ChainId{options.below};
  ask.name = options.name;
  auto context = context_of(options.context);
  if (!context) return fail(std::move(context).error());
  ask.context = std::move(*context);
  auto labels = wanted_labels(options.labels);
  if (!labels) return fail(std::move(labels).error());
  ask.labels = std::move(*labels);
  if (auto right = add_namespace(ask.labels, options.namespace_); !right) return fail(std::move(right).error());
  if (options.since.empty()) return ask;
  const auto since = parse_since(options.since, now);
  if (!since) return fail(since.error());
  ask.since = *since;
  return ask;
}

/// How many there are beyond those that were shown.
Result<void> say_more(client::Questions& questions, const coordinator::ListChains& ask, std::size_t shown, Console& console) {
  const auto count = client::count_chains(questions, ask, shown + kCountedMax);
  if (!count) return fail(count.error());
  if (*count <= shown) return {};
  const auto more = *count - shown > kCountedMax ? fmt::format("more than {}", kCountedMax) : std::to_string(*count - shown);
  console.out().flush();
  console.say(fmt::format("{} more; `--limit N` shows so many, `--limit 0` all of them", more));
  return {};
}

ExitCode list(ListOptions options, Console& console) {
  if (!name_a_namespace(options.labels)) {
    auto of = namespace_or_given(options.place, options.namespace_);
    if (!of) return report(console, of.error());
    options.namespace_ = std::move(*of);
  }
  Look look;
  look.now = console.now();
  look.ages = console.out_live();
  auto ask = chains_asked(options, look.now);
  if (!ask) return report(console, ask.error());
  if (const auto valid = statuses_of(options, true); !valid) return report(console, valid.error());  // before anything is opened
  const auto shelf = open_shelf(options.place, console);
  if (!shelf) return report(console, shelf.error());
  look.owned = shelf->owner.has_value();
  const auto statuses = statuses_of(options, look.owned);
  if (!statuses) return report(console, statuses.error());
  if (!*statuses) return ExitCode::ok;
  ask->statuses = **statuses;
  const bool text = for_people(options.form);
  const auto most = options.count_max.value_or(text ? kShownByDefault : 0);
  RecordPrinter printer{options.form, "chain_id", list_columns(look.ages), console};
  const auto listed = client::for_each_chain(*shelf->questions, *ask, most, [&](const ListedChain& chain) {
    return printer.add([&] { return chain_json(chain, look); }, [&] { return chain_row(chain, look); });
  });
  if (!listed) return report(console, listed.error());
  printer.finish();
  const auto shown = printer.count();
  const bool picked = !options.statuses.empty() || !options.name.empty() || !options.since.empty() || !options.context.empty() ||
                      !options.labels.empty() || !options.namespace_.empty() || !options.below.empty();
  if (text && shown == 0) console.say(fmt::format("no chains{} in {}", picked ? " of that kind" : "", shelf->where));
  if (text && most != 0 && shown == most) {
    if (const auto said = say_more(*shelf->questions, *ask, shown, console); !said) return report(console, said.error());
  }
  return ExitCode::ok;
}

}  // namespace

Action define_list(CLI::App& app) {
  const auto options = std::make_shared<ListOptions>();
  app.add_option("--status", options->statuses, "only chains of this status; several with commas. interrupted: nobody runs it now")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->option_text("STATUS");
  app.add_option("--name", options->name, "only chains of definitions with this name, or that fit this pattern (* and ?)")->option_text("NAME");
  app.add_option("--since", options->since, "only chains that started in this time (2h, 3d) or since this date or time")->option_text("WHEN");
  app.add_option("--context", options->context, "only chains submitted with this in their context; may be given several times")
      ->allow_extra_args(false)
      ->option_text("KEY=VALUE");
  app.add_option("--label", options->labels,
                 "only chains with this label, or with a value that fits this pattern (* and ?); may be given several times")
      ->allow_extra_args(false)
      ->option_text("KEY=VALUE");
  app.add_option("--namespace", options->namespace_, "only chains of this namespace")->option_text("NAME");
  app.add_flag("-a,--all", options->all, "chains that other chains started, too");
  app.add_option("--below", options->below, "only chains that this one, or one below it, started")->option_text("ID");
  app.add_option("-n,--limit", options->count_max, "at most so many, newest first; 0: all (default: 20 in a table, else all)")->option_text("N");
  add_record_output(app, options->form, "the ids of chains");
  add_place(app, options->place);
  return [options](Console& console) { return list(*options, console); };
}

}  // namespace catena::cli
