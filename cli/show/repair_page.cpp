#include "cli/show/repair_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/show/text.hpp"

namespace catena::cli {
namespace {

using coordinator::RepairAction;
using coordinator::RepairCause;
using coordinator::RepairRow;

std::string what(const RepairRow& row) {
  switch (row.action) {
    case RepairAction::stays: return row.fan_out ? fmt::format("stays ({})", counted(row.width, "item")) : "stays";
    case RepairAction::waits: return "runs in its turn";
    case RepairAction::runs:
      return !row.fan_out     ? "runs again"
             : row.items == 0 ? "its list is made anew"
                              : fmt::format("{} of {} run again", row.items, counted(row.width, "item"));
    case RepairAction::compared:
      return row.fan_out ? "items run again whose arguments change, or that have no result" : "runs again where its arguments change";
    case RepairAction::anew: return row.fan_out ? fmt::format("all {} run again", counted(row.width, "item")) : "runs again";
  }
  return {};
}

std::string why(const RepairRow& row) {
  switch (row.cause) {
    case RepairCause::none: return {};
    case RepairCause::failed: return row.fan_out ? "they failed" : "it failed";
    case RepairCause::cancelled: return "it was cut off";
    case RepairCause::asked: return "asked for";
    case RepairCause::behind: return fmt::format("it is behind step '{}'", row.behind);
    case RepairCause::tool: return "its tool has changed";
    case RepairCause::arguments: return "its definition has changed";
    case RepairCause::nested: return "the definition that it calls has changed";
    case RepairCause::added: return "it is new";
    case RepairCause::last: return "it follows on the others";
  }
  return {};
}

/// The fork has run nothing yet.
std::string what_of_fork(const RepairRow& row) {
  if (row.action == RepairAction::stays) return row.fan_out ? fmt::format("is shared ({})", counted(row.width, "item")) : "is shared";
  if (row.action != RepairAction::runs || row.cause != RepairCause::none) return what(row);
  return row.fan_out ? fmt::format("{} of {} run, the others are shared", row.items, counted(row.width, "item")) : "runs";
}

}  // namespace

std::string fork_page(const coordinator::ForkPreview& preview, const Room& room) {
  std::vector<Cells> rows;
  for (const auto& row : preview.steps) rows.push_back({row.step, what_of_fork(row), why(row)});
  return table({{.title = "STEP", .shortens = true}, {.title = "WHAT"}, {.title = "WHY", .shortens = true, .leaves = 1}}, rows, room);
}

std::string repair_page(const coordinator::RepairPreview& preview, const Room& room) {
  std::vector<Cells> rows;
  for (const auto& row : preview.steps) rows.push_back({row.step, what(row), why(row)});
  auto page = table({{.title = "STEP", .shortens = true}, {.title = "WHAT"}, {.title = "WHY", .shortens = true, .leaves = 1}}, rows, room);
  const bool runs = std::ranges::any_of(preview.steps, [](const RepairRow& row) { return row.action != RepairAction::stays; });
  if (!runs) page += "No step runs again; what the chain answers is evaluated again.\n";
  return page;
}

}  // namespace catena::cli
