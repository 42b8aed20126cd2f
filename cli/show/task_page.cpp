#include "cli/show/task_page.hpp"

#include <fmt/format.h>

#include <charconv>

#include "cli/show/failed_items.hpp"
#include "cli/show/failure.hpp"
#include "cli/show/text.hpp"
#include "client/records.hpp"

namespace catena::cli {
namespace {

using coordinator::AttemptEvent;
using coordinator::ValueOf;

constexpr std::size_t kFirstItemsShown = 20;
constexpr std::size_t kItemValueShown = 80;
constexpr std::size_t kTaskArgumentsShown = 4000;
constexpr std::size_t kErrorColumnShown = 200;

/// Whether an item was named, or the step is its own one task.
bool is_single(const TaskView& view) { return view.task.item.has_value() || !view.task.fan_out; }

std::string status_text(const coordinator::TaskDescription& task) {
  if (task.visit == 0) return "never entered";
  if (!task.item_status)
    return fmt::format("{}: {} of {} items settled, {} failed", engine::name(task.status), task.ok + task.failed, task.items, task.failed);
  std::string text{coordinator::name(*task.item_status)};
  // A plain step whose gate is open is queued; one that has settled says how itself.
  if (!task.item && engine::settled(task.status)) text = engine::name(task.status);
  return text;
}

std::string ending_text(const client::Attempt& attempt) {
  if (attempt.ended_at == 0) return "running";
  std::string text{coordinator::name(attempt.how)};
  if (attempt.worker.empty()) text += " (a person said so)";
  const auto& details = attempt.error ? attempt.error->details : Json();
  if (details.is_object() && details.contains("exit_code")) text += fmt::format(", exit {}", details["exit_code"].dump());
  if (details.is_object() && details.contains("signal")) text += fmt::format(", {}", details["signal"].dump());
  return text;
}

/// "5 of 100, reading, at 2026-…"
std::string progress_text(const coordinator::SaidOfTask& said) {
  std::string text = said.done < 0 ? "" : said.of < 0 ? std::to_string(said.done) : fmt::format("{} of {}", said.done, said.of);
  if (!said.text.empty()) text += (text.empty() ? "" : ", ") + said.text;
  return text.empty() ? text : fmt::format("{} (attempt {}, at {})", text, said.attempt, iso8601(said.said_at));
}

std::string usage_text(const coordinator::SaidOfTask& said) {
  std::string text;
  for (const auto& [name, amount] : said.usage) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", amount, name);
  return text;
}

std::string attempt_error(const client::Attempt& attempt) {
  if (!attempt.error) return {};
  const auto whose = attempt.error_of ? fmt::format("as item {}: ", *attempt.error_of) : std::string{};
  return whose + cut(one_line(told_once(*attempt.error).error), kErrorColumnShown);
}

std::string attempts_table(const TaskView& view, const Room& room) {
  std::vector<Cells> rows;
  for (const auto& attempt : view.attempts) {
    const auto end = attempt.ended_at != 0 ? attempt.ended_at : view.task.now;
    rows.push_back({std::to_string(rows.size() + 1), attempt.visit > 1 ? std::to_string(attempt.visit) : "", attempt.worker.value,
                    attempt.granted_at == 0 ? "" : iso8601(attempt.granted_at),
                    attempt.granted_at == 0 ? "" : span_text(Millis{end - attempt.granted_at}), ending_text(attempt), attempt_error(attempt)});
  }
  const bool revisited = std::ranges::any_of(rows, [](const auto& row) { return !row[1].empty(); });
  return table({{.title = "ATTEMPT"},
                {.title = "VISIT", .absent = !revisited},
                {.title = "WORKER", .shortens = true, .leaves = 2},
                {.title = "GRANTED", .leaves = 3},
                {.title = "TOOK", .leaves = 1},
                {.title = "ENDED", .shade = shade_of_status},
                {.title = "ERROR", .shortens = true}},
               rows, room);
}

std::string items_table(const TaskView& view, const Room& room) {
  std::vector<Cells> rows;
  for (const auto& item : view.items) {
    auto value = printable(item.value.text);
    if (!item.value.is_whole()) value += "…";
    rows.push_back({std::to_string(item.item), std::string{coordinator::name(item.status)}, cut(value, kItemValueShown),
                    item.error ? cut(one_line(told_once(*item.error).error), kErrorColumnShown) : ""});
  }
  return table({{.title = "ITEM"},
                {.title = "STATUS", .shade = shade_of_status},
                {.title = "VALUE", .shortens = true, .leaves = 1},
                {.title = "ERROR", .shortens = true}},
               rows, room);
}

Result<std::optional<lang::JsonText>> value_asked(client::Questions& questions, const TaskView& view, ValueOf what,
                                                  const coordinator::ShownValue& shown) {
  if (shown.bytes == 0) return std::nullopt;
  coordinator::ReadValue ask{.chain = view.chain, .what = what, .step = view.task.step, .item = view.task.item.value_or(0)};
  return client::read_value(questions, std::move(ask), shown).map([](lang::JsonText text) { return std::optional{std::move(text)}; });
}

}  // namespace

std::string task_name(const coordinator::TaskName& task) { return task.item ? fmt::format("{}/{}", task.step, *task.item) : task.step; }

Result<coordinator::TaskName> parse_task(const std::string& written) {
  const auto slash = written.find('/');
  coordinator::TaskName task{written.substr(0, slash), {}};
  if (slash == std::string::npos) return task;
  const auto* const begin = written.data() + slash + 1;
  const auto* const end = written.data() + written.size();
  ItemIndex item = 0;
  const auto [parsed, failed] = std::from_chars(begin, end, item);
  if (failed != std::errc{} || parsed != end) return fail(Code::usage, fmt::format("'{}' is not of the form STEP or STEP/INDEX", written));
  task.item = item;
  return task;
}

Result<TaskView> view_of(client::Questions& questions, const ChainId& chain, const coordinator::TaskName& task, std::string place) {
  TaskView view;
  view.chain = chain;
  view.place = std::move(place);
  auto told = questions.ask(coordinator::DescribeTask{.chain = chain, .task = task});
  if (!told) return fail(std::move(told).error());
  view.task = std::move(*told);
  if (is_single(view)) {
    auto attempts = client::attempts_of(questions, chain, task);
    if (!attempts) return fail(std::move(attempts).error());
    view.attempts = std::move(*attempts);
  } else {
    const coordinator::ListItems ask{.chain = chain, .step = task.step, .with_values = true};
    const auto more = client::for_each_item(questions, ask, kFirstItemsShown, [&](const coordinator::ItemRow& item) {
      view.items.push_back(item);
      return true;
    });
    if (!more) return fail(more.error());
    view.more_items = *more;
  }
  auto arguments = value_asked(questions, view, ValueOf::task_arguments, view.task.arguments);
  if (!arguments) return fail(arguments.error());
  view.arguments = std::move(*arguments).value_or(lang::JsonText{""});
  if (view.task.value.bytes != 0 && view.task.value.is_whole()) view.value = lang::JsonText{view.task.value.text};
  auto response = value_asked(questions, view, view.task.item ? ValueOf::item : ValueOf::step, view.task.response);
  if (!response) return fail(response.error());
  view.response = std::move(*response);
  return view;
}

std::string task_text(const TaskView& view, const PageLook& look) {
  const auto& task = view.task;
  std::string text;
  const auto& style = look.room.style;
  const auto line = [&](std::string_view what, std::string_view value, Shade shade = Shade::plain) {
    text += fmt::format("{}{}\n", painted(fmt::format("{:<11}", what), Shade::faint, style), painted(printable(value), shade, style));
  };
  line("task", fmt::format("{} of chain {}", task_name({task.step, task.item}), view.chain.value));
  line("status", status_text(task), shade_of_status(status_text(task)));
  line("calls", task.endpoint.empty() ? task.calls : fmt::format("{} ({})", task.calls, printable(task.endpoint)));
  if (!task.child.empty()) line("runs as", fmt::format("chain {0}; `catena show {0}{1}` shows it", task.child.value, view.place));
  if (task.visit > 1) line("visit", std::to_string(task.visit));
  if (task.entered_at != 0) line("entered", iso8601(task.entered_at));
  if (task.retry_at != 0) line("next", fmt::format("attempt at {}", iso8601(task.retry_at)));
  if (const auto progress = task.said ? progress_text(*task.said) : ""; !progress.empty()) line("progress", progress);
  if (task.said && task.said->checkpoint_at != 0)
    line("checkpoint",
         fmt::format("{} bytes, at {}: the next attempt goes on from it", task.said->checkpoint_bytes, iso8601(task.said->checkpoint_at)));
  if (task.said && !task.said->usage.empty()) line("usage", usage_text(*task.said));
  if (view.value) line("item", cut(view.value->text, kTaskArgumentsShown));
  if (!view.arguments.text.empty()) line(is_single(view) ? "arguments" : "shared", cut(view.arguments.text, kTaskArgumentsShown));
  if (task.arguments_error) text += "\n" + printable_lines(render(*task.arguments_error)) + "\n";
  if (task.error) {
    text += "\n" + printable_lines(render(with_path(*task.error, view.place))) + "\n";
    const auto written = stderr_lines(*task.error);
    for (const auto& one : written) text += "    | " + one + "\n";
    if (!written.empty() && is_single(view))
      text += fmt::format("    `catena logs {}{} {}` shows all that it printed\n", view.chain.value, view.place, task_name({task.step, task.item}));
  }
  if (!view.attempts.empty()) text += "\n" + attempts_table(view, look.room);
  if (!view.items.empty()) text += "\n" + items_table(view, look.room);
  if (view.more_items) {
    text += fmt::format("and more; `catena show {0}{1} {2}/{3}` shows one, `catena show {0}{1} --failed` those that failed\n", view.chain.value,
                        view.place, task.step, view.items.size());
  }
  if (view.response) {
    text += "\nresponse\n";
    pretty_json(view.response->text, [&](std::string_view piece) { text += printable_lines(piece); });
    text += "\n";
  }
  return text;
}

std::string task_json(const TaskView& view) {
  const auto& task = view.task;
  Json json{{"chain_id", view.chain.value}, {"step", task.step}, {"status", engine::name(task.status)}, {"visit", task.visit}, {"calls", task.calls}};
  if (!task.endpoint.empty()) json["endpoint"] = task.endpoint;
  if (task.item) json["item"] = *task.item;
  if (task.item_status) json["task_status"] = coordinator::name(*task.item_status);
  if (task.fan_out && !task.item) json["items"] = {{"total", task.items}, {"ok", task.ok}, {"failed", task.failed}};
  if (!task.child.empty()) json["child"] = task.child.value;
  if (task.entered_at != 0) json["entered_at"] = iso8601(task.entered_at);
  if (task.settled_at != 0) json["settled_at"] = iso8601(task.settled_at);
  if (task.retry_at != 0) json["next_attempt_at"] = iso8601(task.retry_at);
  if (task.said) json["said"] = client::to_json(*task.said);
  if (task.error) json["error"] = catena::to_json(*task.error);
  if (task.arguments_error) json["arguments_error"] = catena::to_json(*task.arguments_error);
  if (is_single(view)) json["attempts"] = Json::array();
  for (const auto& attempt : view.attempts) json["attempts"].push_back(client::to_json(attempt));
  for (const auto& row : view.items) json["first_items"].push_back(to_json(task.step, row));
  auto text = dump_lossy(json);
  text.pop_back();
  if (!view.arguments.text.empty()) text += R"(,"arguments":)" + view.arguments.text;
  if (view.value) text += R"(,"value":)" + view.value->text;
  if (view.response) text += R"(,"response":)" + view.response->text;
  return text + "}";
}

}  // namespace catena::cli
