#include "cli/show/chain_page.hpp"

#include <fmt/format.h>

#include "cli/show/failure.hpp"
#include "cli/show/standstill.hpp"
#include "cli/show/text.hpp"
#include "cli/show/waits.hpp"

namespace catena::cli {
namespace {

using coordinator::ChainDescription;
using coordinator::StepRow;
using coordinator::ValueOf;

constexpr std::size_t kArgumentsShown = 2000;    // characters; -o json has all of them
constexpr UnixMillis kQuietShownMillis = 2'000;  // without an event: worth to be said

/// The value, or nothing where there is none.
Result<std::optional<lang::JsonText>> value_of(client::Questions& questions, const ChainId& chain, ValueOf what,
                                               const coordinator::ShownValue& shown) {
  if (shown.bytes == 0) return std::nullopt;
  return client::read_value(questions, chain, what, shown).map([](lang::JsonText text) { return std::optional{std::move(text)}; });
}

Result<void> read_values(client::Questions& questions, ChainView& view) {
  const auto& chain = view.chain;
  auto arguments = client::read_value(questions, chain.chain, ValueOf::arguments, chain.arguments);
  if (!arguments) return fail(arguments.error());
  view.arguments = std::move(*arguments);
  auto context = value_of(questions, chain.chain, ValueOf::context, chain.context);
  if (!context) return fail(context.error());
  view.context = std::move(*context);
  auto response = value_of(questions, chain.chain, ValueOf::response, chain.response);
  if (!response) return fail(response.error());
  view.response = std::move(*response);
  return {};
}

Result<std::vector<std::string>> waits_of(const Shelf& shelf, const ChainDescription& chain) {
  std::vector<std::string> lines;
  if (engine::terminal(chain.status)) return lines;
  const auto waits = shelf.questions->ask(coordinator::AskWaits{.chain = chain.chain});
  if (!waits) return fail(waits.error());
  lines = wait_lines(chain.chain, *waits);
  if (!shelf.client) return lines;
  const auto held_up = explain_family(*shelf.client, chain.chain);
  if (!held_up) return fail(held_up.error());
  lines.insert(lines.end(), held_up->begin(), held_up->end());
  return lines;
}

std::string settled_items_text(const StepRow& row) {
  if (!row.fan_out) return {};
  return fmt::format("{}/{}{}", row.ok + row.failed, row.items, row.failed == 0 ? std::string{} : fmt::format(" ({} failed)", row.failed));
}

/// Of the latest visit, as the row's other columns but for the attempts; a step that was entered again says so.
std::string took_text(const StepRow& row, UnixMillis now) {
  if (row.entered_at == 0) return {};
  const auto span = span_text(Millis{(row.settled_at != 0 ? row.settled_at : now) - row.entered_at});
  return row.visit > 1 ? fmt::format("{} (visit {})", span, row.visit) : span;
}

std::string steps_table(const ChainView& view) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t step = 0; step < view.steps.size(); ++step) {
    const auto& row = view.steps[step];
    rows.push_back({row.id, std::string{engine::name(row.status)}, settled_items_text(row), std::to_string(view.attempts[step]),
                    took_text(row, view.chain.now)});
  }
  return table({"STEP", "STATUS", "ITEMS", "ATTEMPTS", "TOOK"}, rows);
}

std::string head_text(const ChainView& view, bool ages) {
  const auto& chain = view.chain;
  std::string text;
  const auto line = [&](std::string_view what, std::string_view value) { text += fmt::format("{:<11}{}\n", what, value); };
  const auto time = [&](UnixMillis at) { return ages ? fmt::format("{} ({})", iso8601(at), age_text(chain.now - at)) : iso8601(at); };
  line("chain", chain.chain.value);
  line("status", engine::name(chain.status));
  if (!chain.cancel_reason.empty()) line("reason", printable(chain.cancel_reason));
  line("definition", chain.definition);
  line("package", chain.package);
  if (!chain.parent.empty()) line("parent", chain.parent.value);
  line("started", time(chain.started_at));
  if (chain.finished_at != 0)
    line("finished", fmt::format("{}, after {}", time(chain.finished_at), span_text(Millis{chain.finished_at - chain.started_at})));
  line("arguments", cut(view.arguments.text, kArgumentsShown));
  if (view.context) line("context", cut(view.context->text, kArgumentsShown));
  if (!engine::terminal(chain.status))
    line("run by", view.owner ? *view.owner : fmt::format("nobody now; `catena resume {}{}` goes on with it", chain.chain.value, view.place));
  return text;
}

void add_section(std::string& text, std::string_view title, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  text += fmt::format("\n{}\n", title);
  for (const auto& line : lines) text += "  " + line + "\n";
}

std::string waits_title(const ChainDescription& chain) {
  const auto quiet = chain.now - chain.last_at;
  if (quiet < kQuietShownMillis) return "waiting for";
  return fmt::format("waiting for (nothing has happened for {})", span_text(Millis{quiet}));
}

}  // namespace

Result<ChainView> view_of(const Shelf& shelf, ChainDescription chain, const Place& place) {
  auto& questions = *shelf.questions;
  ChainView view;
  view.owner = shelf.owner;
  view.place = place.words();
  view.chain = std::move(chain);
  const auto& id = view.chain.chain;
  auto steps = client::all_steps(questions, id);
  if (!steps) return fail(steps.error());
  view.steps = std::move(*steps);
  auto attempts = client::attempts_by_step(questions, id, view.steps.size());
  if (!attempts) return fail(attempts.error());
  view.attempts = std::move(*attempts);
  auto waits = waits_of(shelf, view.chain);
  if (!waits) return fail(waits.error());
  view.waits = std::move(*waits);
  auto family = family_of(questions, id);
  if (!family) return fail(family.error());
  view.family = std::move(*family);
  if (!view.chain.package_error) {
    auto failures = failures_of(questions, id, view.steps);
    if (!failures) return fail(failures.error());
    view.failures = std::move(*failures);
  }
  if (auto read = read_values(questions, view); !read) return fail(std::move(read).error());
  return view;
}

std::string chain_text(const ChainView& view, bool ages) {
  const auto& chain = view.chain;
  auto text = head_text(view, ages);
  const bool cancelled = chain.status == engine::ChainStatus::cancelled;  // the line of its status says that
  if (chain.error && !cancelled) text += "\n" + render(with_path(*chain.error, view.place)) + "\n";
  text += "\n" + steps_table(view);
  add_section(text, "what failed", failure_lines(chain.chain, view.failures, view.place, chain.error));
  add_section(text, family_counts_text(view.family.counts), family_lines(chain.chain, view.family));
  add_section(text, waits_title(chain), view.waits);
  if (view.response) {
    text += "\nresponse\n";
    pretty_json(view.response->text, [&](std::string_view piece) { text += piece; });
    text += "\n";
  }
  return text;
}

void print_chain_json(const ChainView& view, Output& out) {
  const auto& chain = view.chain;
  Json steps = Json::array();
  for (std::size_t step = 0; step < view.steps.size(); ++step) {
    steps.push_back(client::to_json(view.steps[step]));
    steps.back()["attempts"] = view.attempts[step];
  }
  Json json{{"chain_id", chain.chain.value},
            {"status", engine::name(chain.status)},
            {"definition", chain.definition},
            {"package", chain.package},
            {"started_at", iso8601(chain.started_at)},
            {"steps", std::move(steps)},
            {"last_event", {{"seq", chain.last_event}, {"time", iso8601(chain.last_at)}}}};
  if (!chain.cancel_reason.empty()) json["cancel_reason"] = chain.cancel_reason;
  if (!chain.parent.empty()) json["parent"] = chain.parent.value;
  if (chain.finished_at != 0) json["finished_at"] = iso8601(chain.finished_at);
  if (chain.error) json["error"] = catena::to_json(*chain.error);
  for (const auto& step : view.failures) json["failures"].push_back(to_json(step));
  if (!view.family.counts.counts.empty()) json["family"] = to_json(view.family);
  if (!view.waits.empty()) json["waiting_for"] = view.waits;
  auto text = dump_lossy(json);
  text.pop_back();
  out.write(text + R"(,"arguments":)" + view.arguments.text);
  if (view.context) out.write(R"(,"context":)" + view.context->text);
  if (view.response) out.write(R"(,"response":)" + view.response->text);
  out.line("}");
}

}  // namespace catena::cli
