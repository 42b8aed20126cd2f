#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>

#include "base/clock.hpp"
#include "cli/commands/commands.hpp"
#include "cli/options.hpp"
#include "cli/place.hpp"
#include "cli/show/text.hpp"
#include "cli/show/waits.hpp"

namespace catena::cli {
namespace {

using coordinator::ChainDescription;
using coordinator::StepRow;
using coordinator::ValueOf;

constexpr std::size_t kArgumentsShown = 2000;  // characters; -o json has all of them
constexpr std::size_t kChainsBelowMax = 100;   // that are asked why they do not move

struct ShowOptions {
  std::string chain;
  std::string output = "text";
  Place place;
};

/// What is shown besides the description.
struct Findings {
  std::vector<StepRow> steps;
  std::vector<std::uint64_t> attempts;
  std::vector<std::string> waits;
  lang::JsonText arguments;
  std::optional<lang::JsonText> context;
  std::optional<lang::JsonText> response;
};

/// The value, or nothing where there is none.
Result<std::optional<lang::JsonText>> value_of(client::Questions& questions, const ChainId& chain, ValueOf what,
                                               const coordinator::ShownValue& shown) {
  if (shown.bytes == 0) return std::nullopt;
  return client::read_value(questions, chain, what, shown).map([](lang::JsonText text) { return std::optional{std::move(text)}; });
}

Result<Findings> look(client::Questions& questions, const ChainDescription& chain) {
  Findings found;
  auto steps = client::all_steps(questions, chain.chain);
  if (!steps) return fail(steps.error());
  found.steps = std::move(*steps);
  auto attempts = client::attempts_by_step(questions, chain.chain, found.steps.size());
  if (!attempts) return fail(attempts.error());
  found.attempts = std::move(*attempts);
  if (!engine::terminal(chain.status)) {
    const auto waits = questions.ask(coordinator::AskWaits{.chain = chain.chain});
    if (!waits) return fail(waits.error());
    found.waits = wait_lines(chain.chain, *waits);
  }
  auto arguments = client::read_value(questions, chain.chain, ValueOf::arguments, chain.arguments);
  if (!arguments) return fail(arguments.error());
  found.arguments = std::move(*arguments);
  auto context = value_of(questions, chain.chain, ValueOf::context, chain.context);
  if (!context) return fail(context.error());
  found.context = std::move(*context);
  auto response = value_of(questions, chain.chain, ValueOf::response, chain.response);
  if (!response) return fail(response.error());
  found.response = std::move(*response);
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

void print_head(const ChainDescription& chain, const std::optional<std::string>& owner, const Findings& found, Output& out) {
  const auto line = [&](std::string_view what, std::string_view value) { out.line(fmt::format("{:<11}{}", what, value)); };
  line("chain", chain.chain.value);
  line("status", engine::name(chain.status));
  line("definition", chain.definition);
  line("package", chain.package);
  if (!chain.parent.empty()) line("parent", chain.parent.value);
  line("started", iso8601(chain.started_at));
  if (chain.finished_at != 0)
    line("finished", fmt::format("{} ({})", iso8601(chain.finished_at), span_text(Millis{chain.finished_at - chain.started_at})));
  line("arguments", cut(found.arguments.text, kArgumentsShown));
  if (found.context) line("context", cut(found.context->text, kArgumentsShown));
  if (engine::terminal(chain.status)) return;
  line("run by", owner ? *owner : fmt::format("nobody now; `catena resume {}` goes on with it", chain.chain.value));
}

void print_text(const ChainDescription& chain, const std::optional<std::string>& owner, const Findings& found, Output& out) {
  print_head(chain, owner, found, out);
  if (chain.error) out.line("\n" + render(*chain.error));
  std::vector<std::vector<std::string>> rows;
  for (std::size_t step = 0; step < found.steps.size(); ++step) {
    const auto& row = found.steps[step];
    rows.push_back({row.id, std::string{engine::name(row.status)}, row.visit == 0 ? "" : std::to_string(row.visit), settled_items_text(row),
                    std::to_string(found.attempts[step]), took_text(row, chain.now)});
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

void print_chain_json(const ChainDescription& chain, const Findings& found, Output& out) {
  Json steps = Json::array();
  for (std::size_t step = 0; step < found.steps.size(); ++step) {
    steps.push_back(client::to_json(found.steps[step]));
    steps.back()["attempts"] = found.attempts[step];
  }
  Json json{{"chain_id", chain.chain.value}, {"status", engine::name(chain.status)},    {"definition", chain.definition},
            {"package", chain.package},      {"started_at", iso8601(chain.started_at)}, {"steps", std::move(steps)}};
  if (!chain.parent.empty()) json["parent"] = chain.parent.value;
  if (chain.finished_at != 0) json["finished_at"] = iso8601(chain.finished_at);
  if (chain.error) json["error"] = catena::to_json(*chain.error);
  if (!found.waits.empty()) json["waiting_for"] = found.waits;
  auto text = dump_lossy(json);
  text.pop_back();
  out.write(text + R"(,"arguments":)" + found.arguments.text);
  if (found.context) out.write(R"(,"context":)" + found.context->text);
  if (found.response) out.write(R"(,"response":)" + found.response->text);
  out.line("}");
}

/// Why the chains that this one started, and those below them, do not move. What several say is said once.
Result<std::vector<std::string>> explain_below(client::ClusterClient& client, const ChainId& chain) {
  std::vector<ChainId> below;
  const auto listed = client::for_each_chain(client.questions(), {.statuses = {engine::ChainStatus::running}, .below = chain}, kChainsBelowMax,
                                             [&](const coordinator::ListedChain& descendant) {
                                               below.push_back(descendant.id);
                                               return true;
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
  const ChainId id{options.chain};
  const auto chain = shelf->questions->ask(coordinator::DescribeChain{.chain = id});
  if (!chain) return report(console, chain.error());
  if (chain->package_error) console.warning(*chain->package_error);
  auto found = look(*shelf->questions, *chain);
  if (!found) return report(console, found.error());
  if (shelf->client && !engine::terminal(chain->status)) {
    const auto words = shelf->client->explain(id);
    if (!words) return report(console, words.error());
    found->waits.insert(found->waits.end(), words->begin(), words->end());
    const auto below = explain_below(*shelf->client, id);
    if (!below) return report(console, below.error());
    found->waits.insert(found->waits.end(), below->begin(), below->end());
  }
  if (options.output == "json") {
    print_chain_json(*chain, *found, console.out());
  } else {
    print_text(*chain, shelf->owner, *found, console.out());
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
