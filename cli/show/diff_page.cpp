#include "cli/show/diff_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cli/console.hpp"
#include "cli/show/failure.hpp"
#include "cli/show/text.hpp"

namespace catena::cli {
namespace {

using coordinator::ChainDiff;
using coordinator::DiffedChain;
using coordinator::DiffedVisit;
using coordinator::StepDiff;
using coordinator::ValueDiff;

Cells chain_cells(std::string_view letter, const DiffedChain& chain) {
  const auto took = chain.finished_at == 0 ? std::string{} : span_text(Millis{std::max<UnixMillis>(chain.finished_at - chain.started_at, 0)});
  return {std::string{letter},
          chain.id.value,
          chain.name,
          std::string{engine::name(chain.status)},
          iso8601(chain.started_at),
          took,
          chain.error ? one_line(*chain.error) : std::string{}};
}

void add_value(std::string_view title, const ValueDiff& diff, const Room& room, std::string& into) {
  if (diff.same) {
    into += fmt::format("{}: the same\n", title);
    return;
  }
  into += fmt::format("{}:{}\n", title, diff.in_full ? "" : " not the same; too large, or not to be read, to tell how");
  const auto side = [](const std::string& text) { return text.empty() ? std::string{"nothing"} : printable(text); };
  for (const auto& change : diff.how.changes) {
    const auto line =
        fmt::format("  {}  {} -> {}", change.path.empty() ? "the whole value" : printable(change.path), side(change.first), side(change.second));
    into += (room.columns == 0 || room.wide ? line : cut(line, room.columns, room.style)) + "\n";
  }
  if (diff.how.others != 0) into += fmt::format("  and {}\n", counted(diff.how.others, "more change"));
}

void add_definitions(const ChainDiff& diff, const Room& room, std::string& into) {
  if (diff.definitions.empty()) {
    into += "definitions: the same\n";
    return;
  }
  for (const auto& definition : diff.definitions) {
    const auto title = "definition " + printable(definition.key);
    if (definition.in_first && definition.in_second) {
      add_value(title, definition.text, room, into);
    } else {
      into += fmt::format("{}: only {} has it\n", title, definition.in_first ? "A" : "B");
    }
  }
  if (diff.definitions_others != 0) into += fmt::format("and {} that are not the same\n", counted(diff.definitions_others, "more definition"));
}

std::string visit_text(const std::optional<DiffedVisit>& visit) {
  if (!visit) return "no such step";
  auto text = std::string{engine::name(visit->status)};
  if (visit->items != 0) text += fmt::format(" {}/{}", visit->ok, visit->items);
  if (visit->took_ms >= 0) text += " " + span_text(Millis{visit->took_ms});
  return text;
}

/// What both have settled, in words: "+1.2s".
std::string longer_text(const StepDiff& step) {
  if (!step.first || !step.second || step.first->took_ms < 0 || step.second->took_ms < 0) return {};
  const auto more = step.second->took_ms - step.first->took_ms;
  return fmt::format("{}{}", more < 0 ? "-" : "+", span_text(Millis{std::abs(more)}));
}

std::string items_text(const IndexSet& items, std::uint32_t count) {
  constexpr std::size_t kBytesMax = 60;
  auto text = to_text(items);
  if (text.size() > kBytesMax) text.resize(text.rfind(',', kBytesMax));
  return fmt::format("{} ({}{})", counted(count, "item"), text, text.size() < to_text(items).size() || items.size() < count ? ", …" : "");
}

void add_step(const StepDiff& step, const Room& room, std::string& into) {
  const auto id = printable(step.id);
  const auto error = [&](std::string_view letter, const std::optional<DiffedVisit>& visit) {
    if (visit && visit->error) into += fmt::format("{}: {}: {}\n", id, letter, printable(one_line(*visit->error)));
  };
  error("A", step.first);
  error("B", step.second);
  if (step.failed_in_first_count != 0)
    into += fmt::format("{}: failed in A and not in B: {}\n", id, items_text(step.failed_in_first, step.failed_in_first_count));
  if (step.failed_in_second_count != 0)
    into += fmt::format("{}: failed in B and not in A: {}\n", id, items_text(step.failed_in_second, step.failed_in_second_count));
  if (!step.responses_differ.empty()) {
    into += fmt::format("{}: another response: {} of {} compared\n", id, items_text(step.responses_differ, step.responses_differ.size()),
                        step.responses_compared);
  }
  if (!step.response.same) add_value(id + ": response", step.response, room, into);
}

}  // namespace

std::string diff_text(const ChainDiff& diff, const Room& room) {
  auto text = table({{.title = ""},
                     {.title = "CHAIN", .shortens = true, .where = Cut::middle},
                     {.title = "NAME", .shortens = true, .leaves = 2},
                     {.title = "STATUS", .shade = shade_of_status},
                     {.title = "STARTED", .leaves = 1},
                     {.title = "TOOK"},
                     {.title = "ERROR", .shortens = true}},
                    {chain_cells("A", diff.first), chain_cells("B", diff.second)}, room);
  text += "\n";
  add_definitions(diff, room, text);
  add_value("arguments", diff.arguments, room, text);
  if (!diff.context.same) add_value("context", diff.context, room, text);
  add_value("response", diff.response, room, text);
  std::vector<Cells> rows;
  std::size_t alike = 0;
  for (const auto& step : diff.steps) {
    if (!step.differs) ++alike;
    if (step.differs || room.wide) rows.push_back({step.id, visit_text(step.first), visit_text(step.second), longer_text(step)});
  }
  if (!rows.empty())
    text +=
        "\n" + table({{.title = "STEP", .shortens = true, .where = Cut::middle}, {.title = "A"}, {.title = "B"}, {.title = "B TOOK"}}, rows, room);
  if (alike != 0)
    text += fmt::format("\n{} came to the same{}\n", counted(alike, "step"), room.wide ? "" : " (-o wide lists them, with their times)");
  const auto before = text.size();
  for (const auto& step : diff.steps) {
    if (step.differs) add_step(step, room, text);
  }
  if (text.size() != before) text.insert(before, "\n");
  return text;
}

}  // namespace catena::cli
