#include "cli/show/failed_items.hpp"

#include <fmt/format.h>

#include "cli/console.hpp"
#include "cli/show/failure.hpp"
#include "cli/show/text.hpp"

namespace catena::cli {
namespace {

using coordinator::ItemRow;
using coordinator::ItemStatus;
using coordinator::StepRow;

constexpr std::size_t kItemsShown = 3;
constexpr std::size_t kStepsShown = 20;
constexpr std::size_t kValueShown = 120;
constexpr std::size_t kMessageShown = 400;

void add_stderr(const Error& error, std::string_view indent, std::vector<std::string>& lines) {
  for (const auto& line : stderr_lines(error)) lines.push_back(fmt::format("{}| {}", indent, line));
}

std::string group_line(const coordinator::ErrorGroup& group) {
  return fmt::format("  {:>7} x {}{}", group.count, cut(one_line(group.error), kMessageShown),
                     group.count > 1 ? fmt::format(" (the first: item {})", group.first) : fmt::format(" (item {})", group.first));
}

}  // namespace

Result<std::vector<StepFailures>> failures_of(client::Questions& questions, const ChainId& chain, const std::vector<StepRow>& steps) {
  std::vector<StepFailures> all;
  for (const auto& row : steps) {
    const bool failed = row.failed > 0 || row.status == engine::VisitStatus::failed;
    if (!failed || all.size() == kStepsShown) continue;
    auto& step = all.emplace_back();
    step.step = row.id;
    step.failed = row.failed;
    step.items = row.items;
    step.fan_out = row.fan_out;
    if (!row.fan_out || row.failed == 0) {
      step.error = row.error;
      continue;
    }
    auto groups = client::group_errors(questions, chain, row.id);
    if (!groups) return fail(std::move(groups).error());
    step.groups = std::move(*groups);
    const coordinator::ListItems ask{.chain = chain, .step = row.id, .statuses = {ItemStatus::failed}, .with_values = true};
    const auto listed = client::for_each_item(questions, ask, kItemsShown, [&](const ItemRow& item) {
      step.first.push_back(item);
      return true;
    });
    if (!listed) return fail(listed.error());
  }
  return all;
}

std::vector<std::string> item_lines(const std::string& step, const ItemRow& row) {
  std::vector<std::string> lines;
  auto value = printable(row.value.text);
  if (!row.value.is_whole()) value += "…";
  lines.push_back(fmt::format("  {}/{}{}", step, row.item, value.empty() ? "" : "  " + cut(value, kValueShown)));
  if (!row.error) return lines;
  const auto error = told_once(*row.error);
  lines.push_back("    " + cut(one_line(error.error), kMessageShown));
  if (error.error.cause) lines.push_back("    caused by " + cut(one_line(*error.error.cause), kMessageShown));
  if (!error.chains.empty()) lines.push_back("    in chain " + error.chains.back().value);
  add_stderr(*row.error, "    ", lines);
  return lines;
}

std::vector<std::string> failure_lines(const ChainId& chain, const std::vector<StepFailures>& failures, const std::string& where,
                                       const std::optional<Error>& told) {
  std::vector<std::string> lines;
  const auto above = told ? told_once(*told).error.message : std::string{};
  for (const auto& step : failures) {
    if (step.first.empty()) {
      if (!step.error) continue;
      const auto failure = told_once(*step.error);
      const bool again = failure.error.message == above;
      lines.push_back(step.step + (again ? "" : ": " + cut(one_line(failure.error), kMessageShown)));
      if (!again && failure.error.cause) lines.push_back("  caused by " + cut(one_line(*failure.error.cause), kMessageShown));
      if (!again && !failure.chains.empty()) lines.push_back("  in chain " + failure.chains.back().value);
      add_stderr(*step.error, "  ", lines);
      continue;
    }
    lines.push_back(fmt::format("{}: {} of {} failed", step.step, step.failed, counted(step.items, "item")));
    for (const auto& group : step.groups.groups) lines.push_back(group_line(group));
    if (step.groups.others > 0) lines.push_back(fmt::format("  {:>7} x others", step.groups.others));
    for (const auto& row : step.first) {
      for (auto& line : item_lines(step.step, row)) lines.push_back(std::move(line));
    }
    if (step.failed > step.first.size()) {
      lines.push_back(fmt::format("  and {} more; `catena show {}{} --failed` lists all, `catena show {}{} {}/{}` shows one",
                                  step.failed - step.first.size(), chain.value, where, chain.value, where, step.step, step.first.front().item));
    }
  }
  return lines;
}

Json to_json(const std::string& step, const ItemRow& row) {
  Json json{{"step", step}, {"item", row.item}, {"status", coordinator::name(row.status)}};
  if (row.value.bytes > 0) {
    auto value = row.value.is_whole() ? Json::parse(row.value.text, nullptr, false) : Json(row.value.text);
    json[row.value.is_whole() ? "value" : "value_begins"] = std::move(value);
  }
  if (row.error) json["error"] = catena::to_json(*row.error);
  return json;
}

Json to_json(const StepFailures& failures) {
  Json json{{"step", failures.step}};
  if (failures.error) json["error"] = catena::to_json(*failures.error);
  if (!failures.fan_out) return json;
  json["failed"] = failures.failed;
  json["items"] = failures.items;
  json["groups"] = Json::array();
  for (const auto& group : failures.groups.groups) {
    json["groups"].push_back({{"count", group.count}, {"first_item", group.first}, {"error", catena::to_json(group.error)}});
  }
  if (failures.groups.others > 0) json["other_errors"] = failures.groups.others;
  json["first"] = Json::array();
  for (const auto& row : failures.first) json["first"].push_back(to_json(failures.step, row));
  return json;
}

}  // namespace catena::cli
