#include "cli/show/chain_page.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/characters.hpp"
#include "cli/show/epochs.hpp"
#include "cli/show/failure.hpp"
#include "cli/show/standstill.hpp"
#include "cli/show/text.hpp"
#include "client/records.hpp"

namespace catena::cli {
namespace {

using coordinator::ChainDescription;
using coordinator::StepRow;
using coordinator::ValueOf;

constexpr std::size_t kArgumentsShown = 2000;    // characters; -o json has all of them
constexpr std::size_t kHeadColumns = 11;         // of the words before a value
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
  if (engine::terminal(chain.status)) return std::vector<std::string>{};
  if (!shelf.client && shelf.owner) {  // whoever runs it knows more than the records, and is not asked
    const auto known = shelf.questions->ask(coordinator::AskWaits{.chain = chain.chain});
    if (!known) return fail(known.error());
    return reason_lines({{chain.chain, known->status, known->now, known->reasons}, {}});
  }
  return explain_family(*shelf.questions, shelf.client.get(), chain.chain).map(reason_lines);
}

/// "call", "1.2" and "1.1.bind" are names that dialects give to steps: parts of keys, and no words for a reader.
bool says_little(const std::string& step) {
  return step == "call" || (!step.empty() && is_digit(step.front()) &&
                            std::ranges::all_of(step.substr(0, step.find(".b")), [](char c) { return is_digit(c) || c == '.'; }));
}

Result<std::vector<std::string>> callees_of(client::Questions& questions, const ChainView& view) {
  constexpr std::size_t kStepsLabelled = 40;  // each is a question
  std::vector<std::string> labels;
  const bool wanted = view.steps.size() > 1 && std::ranges::any_of(view.steps, [](const StepRow& row) { return says_little(row.id); });
  if (!wanted || view.steps.size() > kStepsLabelled || view.chain.package_error) return labels;
  for (const auto& row : view.steps) {
    const auto task = questions.ask(coordinator::DescribeTask{.chain = view.chain.chain, .task = {row.id, {}}});
    if (!task) return fail(task.error());
    labels.push_back(task->calls);
  }
  return labels;
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

bool waits_for_a_person(const StepRow& row) { return !row.signal.empty() || (row.awaits_approval != 0 && !row.fan_out); }

std::string steps_table(const ChainView& view, const Room& room) {
  std::vector<Cells> rows;
  for (std::size_t step = 0; step < view.steps.size(); ++step) {
    const auto& row = view.steps[step];
    rows.push_back({row.id, step < view.labels.size() ? view.labels[step] : "",
                    waits_for_a_person(row) ? "waiting" : std::string{engine::name(row.status)}, settled_items_text(row),
                    std::to_string(view.attempts.by_step[step]), took_text(row, view.chain.now)});
  }
  return table({{.title = "STEP", .shortens = true},
                {.title = "CALLS", .shortens = true, .leaves = 2, .absent = view.labels.empty()},
                {.title = "STATUS", .shade = shade_of_status},
                {.title = "ITEMS"},
                {.title = "ATTEMPTS", .leaves = 1},
                {.title = "TOOK"}},
               rows, room);
}

/// With the time that is left of it.
std::string deadline_text(const ChainDescription& chain, const PageLook& look) {
  const bool awaited = look.ages && !engine::terminal(chain.status) && chain.deadline_at > chain.now;
  return awaited ? fmt::format("{} (in {})", iso8601(chain.deadline_at), span_text(Millis{chain.deadline_at - chain.now}))
                 : iso8601(chain.deadline_at);
}

std::string head_text(const ChainView& view, const PageLook& look) {
  const auto& chain = view.chain;
  std::string text;
  const auto& style = look.room.style;
  const auto line = [&](std::string_view what, std::string_view value, Shade shade = Shade::plain) {
    text += fmt::format("{}{}\n", painted(fmt::format("{:<11}", what), Shade::faint, style), painted(printable(value), shade, style));
  };
  // of a value its beginning: as much as there is room for
  const auto value = [&](const std::string& json) {
    const auto columns = look.room.columns;
    return cut(json,
               columns == 0 || look.room.wide ? kArgumentsShown
               : columns > kHeadColumns       ? columns - kHeadColumns
                                              : 0,
               style.symbols || columns == 0 ? Style{.symbols = true} : style);
  };
  const auto time = [&](UnixMillis at) { return look.ages ? fmt::format("{} ({})", iso8601(at), age_text(chain.now - at)) : iso8601(at); };
  line("chain", chain.chain.value);
  const bool goes_on = chain.status == engine::ChainStatus::running || chain.status == engine::ChainStatus::pending;
  const auto status = goes_on && !view.owner ? std::string_view{"interrupted"} : engine::name(chain.status);  // as a list says
  line("status", status, shade_of_status(status));
  if (!chain.cancelled_by.empty()) line("by", chain.cancelled_by);
  if (!chain.cancel_reason.empty()) line("reason", chain.cancel_reason);
  if (chain.priority) line("priority", fmt::format("{} (amended)", *chain.priority));
  line("definition", chain.definition);
  line("package", chain.package);
  if (!chain.parent.empty()) line("parent", chain.parent.value);
  if (!chain.forked_from.empty()) line("forked", fmt::format("from {}, up to its event {}", chain.forked_from.value, chain.forked_at.value));
  if (!chain.labels.empty()) line("labels", label_words(chain.labels));
  line("started", time(chain.started_at));
  if (chain.deadline_at != 0) line("deadline", deadline_text(chain, look));
  if (chain.finished_at != 0)
    line("finished", fmt::format("{}, after {}", time(chain.finished_at), span_text(Millis{chain.finished_at - chain.started_at})));
  line("arguments", value(view.arguments.text));
  if (view.context) line("context", value(view.context->text));
  if (!engine::terminal(chain.status))
    line("run by", view.owner ? *view.owner : fmt::format("nobody now; `catena resume {}{}` goes on with it", chain.chain.value, view.place));
  return text;
}

void add_section(std::string& text, std::string_view title, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  text += fmt::format("\n{}\n", title);
  for (const auto& line : lines) text += "  " + line + "\n";
}

/// Of a section, whose lines are indented.
Room inner_room(Room room) {
  constexpr std::size_t kIndent = 2;
  if (room.columns > kIndent) room.columns -= kIndent;
  return room;
}

/// What a person changed of steps, in place of what the definition says.
std::vector<std::string> amended_lines(const std::vector<StepRow>& steps) {
  std::vector<std::string> lines;
  for (const auto& row : steps) {
    if (!row.terms.empty()) lines.push_back(fmt::format("{}: {}", row.id, engine::words(row.terms)));
  }
  return lines;
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
  auto attempts = client::attempts_and_epochs(questions, id, view.steps.size());
  if (!attempts) return fail(attempts.error());
  view.attempts = std::move(*attempts);
  auto labels = callees_of(questions, view);
  if (!labels) return fail(std::move(labels).error());
  view.labels = std::move(*labels);
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

std::string chain_text(const ChainView& view, const PageLook& look) {
  const auto& chain = view.chain;
  auto text = head_text(view, look);
  const bool cancelled = chain.status == engine::ChainStatus::cancelled;  // the line of its status says that
  if (chain.error && !cancelled) text += "\n" + printable_lines(render(with_path(*chain.error, view.place))) + "\n";
  text += "\n" + steps_table(view, look.room);
  add_section(text, "epochs", epoch_lines(view.attempts, view.steps, chain.now, inner_room(look.room)));
  add_section(text, "amended", amended_lines(view.steps));
  add_section(text, "what failed", failure_lines(chain.chain, view.failures, view.place, chain.error));
  add_section(text, family_counts_text(view.family.counts), family_lines(chain.chain, view.family, inner_room(look.room)));
  add_section(text, waits_title(chain), view.waits);
  if (view.response) {
    text += "\nresponse\n";
    pretty_json(view.response->text, [&](std::string_view piece) { text += printable_lines(piece); });
    text += "\n";
  }
  return text;
}

std::string chain_json(const ChainView& view) {
  const auto& chain = view.chain;
  Json steps = Json::array();
  for (std::size_t step = 0; step < view.steps.size(); ++step) {
    steps.push_back(client::to_json(view.steps[step]));
    steps.back()["attempts"] = view.attempts.by_step[step];
  }
  Json json{{"chain_id", chain.chain.value},
            {"status", engine::name(chain.status)},
            {"definition", chain.definition},
            {"package", chain.package},
            {"started_at", iso8601(chain.started_at)},
            {"steps", std::move(steps)},
            {"last_event", {{"seq", chain.last_event}, {"time", iso8601(chain.last_at)}}}};
  if (!view.attempts.epochs.empty()) json["epochs"] = epochs_json(view.attempts, view.steps);
  if (!chain.cancelled_by.empty()) json["cancelled_by"] = chain.cancelled_by;
  if (!chain.cancel_reason.empty()) json["cancel_reason"] = chain.cancel_reason;
  if (auto paused = client::paused_json(chain)) json["paused"] = std::move(*paused);
  if (chain.priority) json["priority"] = *chain.priority;
  if (!chain.parent.empty()) json["parent"] = chain.parent.value;
  if (auto forked = client::forked_json(chain)) json["forked_from"] = std::move(*forked);
  if (!chain.labels.empty()) json["labels"] = chain.labels;
  if (!chain.trace.empty()) json["trace_id"] = chain.trace;
  if (chain.finished_at != 0) json["finished_at"] = iso8601(chain.finished_at);
  if (chain.deadline_at != 0) json["deadline"] = iso8601(chain.deadline_at);
  if (chain.error) json["error"] = catena::to_json(*chain.error);
  for (const auto& step : view.failures) json["failures"].push_back(to_json(step));
  if (!view.family.counts.counts.empty()) json["family"] = to_json(view.family);
  if (!view.waits.empty()) json["waiting_for"] = view.waits;
  auto text = dump_lossy(json);
  text.pop_back();
  text += R"(,"arguments":)" + view.arguments.text;
  if (view.context) text += R"(,"context":)" + view.context->text;
  if (view.response) text += R"(,"response":)" + view.response->text;
  return text + "}";
}

}  // namespace catena::cli
