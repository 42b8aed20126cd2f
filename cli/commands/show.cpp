#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>

#include "base/clock.hpp"
#include "cli/commands/commands.hpp"
#include "cli/inspect.hpp"
#include "cli/options.hpp"
#include "cli/place.hpp"
#include "cli/text.hpp"
#include "coordinator/values.hpp"

namespace catena::cli {
namespace {

constexpr std::size_t kArgumentsShown = 2000;  // characters; -o json has all of them
constexpr std::size_t kChainsBelowMax = 100;   // that are asked why they do not move

struct ShowOptions {
  std::string chain;
  std::string output = "text";
  Place place;
};

/// What is shown besides the state itself.
struct Findings {
  std::vector<StepRow> steps;
  std::vector<std::uint64_t> attempts;
  std::vector<std::string> waits;
  lang::JsonText arguments;
  std::optional<lang::JsonText> context;
  std::optional<lang::JsonText> response;
};

/// The clock may have been set back since its last event.
UnixMillis time_of(const engine::ChainState& state) { return std::max(SystemClock{}.now(), state.last_at); }

Result<Findings> look(const Inspected& inspected) {
  const auto& state = inspected.recovered.state;
  Findings found;
  found.steps = step_rows(state, inspected.program());
  auto attempts = attempts_by_step(*inspected.kv, inspected.chain, found.steps.size());
  if (!attempts) return fail(attempts.error());
  found.attempts = std::move(*attempts);
  if (!engine::terminal(state.status)) found.waits = waits_for(state, inspected.program(), inspected.chain, time_of(state));
  auto arguments = coordinator::read_payload(*inspected.kv, state.arguments);
  if (!arguments) return fail(arguments.error());
  found.arguments = std::move(*arguments);
  if (!state.context.empty()) {
    auto context = coordinator::read_payload(*inspected.kv, state.context);
    if (!context) return fail(context.error());
    found.context = std::move(*context);
  }
  if (!state.response.empty()) {
    auto response = coordinator::read_payload(*inspected.kv, state.response);
    if (!response) return fail(response.error());
    found.response = std::move(*response);
  }
  return found;
}

std::string settled_items_text(const StepRow& row) {
  if (!row.fan_out) return {};
  return fmt::format("{}/{}{}", row.ok + row.failed, row.items, row.failed == 0 ? std::string{} : fmt::format(" ({} failed)", row.failed));
}

std::string took_text(const StepRow& row, UnixMillis now) {
  if (row.entered_at == 0) return {};
  return span_text(Millis{(row.settled_at != 0 ? row.settled_at : now) - row.entered_at});
}

void print_head(const Inspected& inspected, const std::optional<std::string>& owner, const Findings& found, Output& out) {
  const auto& state = inspected.recovered.state;
  const auto line = [&](std::string_view what, std::string_view value) { out.line(fmt::format("{:<11}{}", what, value)); };
  line("chain", inspected.chain.value);
  line("status", engine::name(state.status));
  line("definition", state.definition);
  line("package", state.package);
  if (!state.parent.empty()) line("parent", state.parent.value);
  line("started", iso8601(state.started_at));
  if (state.finished_at != 0) line("finished", fmt::format("{} ({})", iso8601(state.finished_at), span_text(Millis{state.finished_at - state.started_at})));
  line("arguments", cut(found.arguments.text, kArgumentsShown));
  if (found.context) line("context", cut(found.context->text, kArgumentsShown));
  if (engine::terminal(state.status)) return;
  line("run by", owner ? *owner : fmt::format("nobody now; `catena resume {}` goes on with it", inspected.chain.value));
}

void print_text(const Inspected& inspected, const std::optional<std::string>& owner, const Findings& found, Output& out) {
  const auto& state = inspected.recovered.state;
  print_head(inspected, owner, found, out);
  if (state.error) out.line("\n" + render(*state.error));
  const auto now = time_of(state);
  std::vector<std::vector<std::string>> rows;
  for (std::size_t step = 0; step < found.steps.size(); ++step) {
    const auto& row = found.steps[step];
    rows.push_back({row.id, std::string{engine::name(row.status)}, row.visit == 0 ? "" : std::to_string(row.visit), settled_items_text(row),
                    std::to_string(found.attempts[step]), took_text(row, now)});
  }
  out.write("\n" + table({"STEP", "STATUS", "VISIT", "ITEMS", "ATTEMPTS", "TOOK"}, rows));
  if (!found.waits.empty()) out.line("\nwaiting for");
  for (const auto& wait : found.waits) out.line("  " + wait);
  if (found.response) {
    out.line("\nresponse");
    pretty_json(found.response->text, [&](std::string_view piece) { out.write(piece); });
    out.write("\n");
  }
}

void print_chain_json(const Inspected& inspected, const Findings& found, Output& out) {
  const auto& state = inspected.recovered.state;
  Json steps = Json::array();
  for (std::size_t step = 0; step < found.steps.size(); ++step) {
    steps.push_back(to_json(found.steps[step]));
    steps.back()["attempts"] = found.attempts[step];
  }
  Json json{{"chain_id", inspected.chain.value}, {"status", engine::name(state.status)}, {"definition", state.definition},
            {"package", state.package},          {"started_at", iso8601(state.started_at)}, {"steps", std::move(steps)}};
  if (!state.parent.empty()) json["parent"] = state.parent.value;
  if (state.finished_at != 0) json["finished_at"] = iso8601(state.finished_at);
  if (state.error) json["error"] = catena::to_json(*state.error);
  if (!found.waits.empty()) json["waiting_for"] = found.waits;
  auto text = dump_lossy(json);
  text.pop_back();
  out.write(text + R"(,"arguments":)" + found.arguments.text);
  if (found.context) out.write(R"(,"context":)" + found.context->text);
  if (found.response) out.write(R"(,"response":)" + found.response->text);
  out.line("}");
}

/// Why the chains that this one started, and those below them, do not move. What several say is said once.
Result<std::vector<std::string>> explain_below(ClusterClient& client, const storage::Kv& kv, const ChainId& chain) {
  std::vector<ChainId> below;
  const auto prefix = chain.value + '/';  // ids tell the family
  const auto listed = storage::list_summaries(kv, {.statuses = {"running"}}, [&](const storage::ChainSummary& summary) {
    if (summary.id.value.starts_with(prefix)) below.push_back(summary.id);
    return below.size() < kChainsBelowMax;
  });
  if (!listed) return fail(listed.error());
  std::map<std::string, std::vector<ChainId>> said;
  for (const auto& child : below) {
    const auto words = client.explain(child);
    if (!words) return fail(words.error());
    for (const auto& word : *words) said[word].push_back(child);
  }
  std::vector<std::string> lines;
  for (const auto& [words, chains] : said) {
    const auto others = chains.size() == 1 ? std::string{} : fmt::format(" and {} more", chains.size() - 1);
    lines.push_back(fmt::format("chain '{}'{}: {}", chains.front().value, others, words));
  }
  return lines;
}

ExitCode show_chain(const ShowOptions& options, Console& console) {
  const auto shelf = open_shelf(options.place, console);
  if (!shelf) return report(console, shelf.error());
  const auto inspected = inspect(shelf->kv, ChainId{options.chain});
  if (!inspected) return report(console, inspected.error());
  if (inspected->package_error) console.warning(*inspected->package_error);
  auto found = look(*inspected);
  if (!found) return report(console, found.error());
  if (shelf->client && !engine::terminal(inspected->recovered.state.status)) {
    const auto words = shelf->client->explain(inspected->chain);
    if (!words) return report(console, words.error());
    found->waits.insert(found->waits.end(), words->begin(), words->end());
    const auto below = explain_below(*shelf->client, *shelf->kv, inspected->chain);
    if (!below) return report(console, below.error());
    found->waits.insert(found->waits.end(), below->begin(), below->end());
  }
  if (options.output == "json") {
    print_chain_json(*inspected, *found, console.out());
  } else {
    print_text(*inspected, shelf->owner, *found, console.out());
  }
  return ExitCode::ok;
}

}  // namespace

Action define_show(CLI::App& app) {
  const auto options = std::make_shared<ShowOptions>();
  add_chain(app, options->chain)->required();
  add_output(app, options->output);
  add_place(app, options->place);
  return [options](Console& console) { return show_chain(*options, console); };
}

}  // namespace catena::cli
