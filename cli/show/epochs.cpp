#include "cli/show/epochs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/show/text.hpp"

namespace catena::cli {
namespace {

using client::Epoch;
using coordinator::EpochMark;
using coordinator::EpochSign;
using coordinator::StepRow;

constexpr std::size_t kEpochsShown = 10;  // the last; -o json has more
constexpr std::size_t kStepsNamed = 4;

std::string_view opener_of(const Epoch& epoch) {
  if (epoch.opened.sign == EpochSign::submitted) return "submitted";
  if (epoch.opened.sign == EpochSign::forked) return "fork";
  if (epoch.given) return "skip";
  return epoch.opened.by_parent ? "retry of its parent" : "retry";
}

std::vector<std::string> step_names(const EpochMark& mark, const std::vector<StepRow>& steps) {
  std::vector<std::string> names;
  for (const auto step : mark.steps) names.push_back(step < steps.size() ? steps[step].id : fmt::format("#{}", step));
  return names;
}

/// Steps that it opened again: "each, total", "a, b, c, d and 5 more".
std::string opened_text(const Epoch& epoch, const std::vector<StepRow>& steps) {
  const auto& mark = epoch.opened;
  if (mark.sign == EpochSign::submitted) return {};
  auto names = step_names(mark, steps);
  if (names.size() > kStepsNamed) names.resize(kStepsNamed);
  auto text = fmt::format("{}", fmt::join(names, ", "));
  if (mark.steps_all > names.size()) text += fmt::format(" and {} more", mark.steps_all - names.size());
  if (mark.other_package) text += text.empty() ? "as definitions were then" : " (as definitions were then)";
  return text;
}

bool is_known(const std::vector<Epoch>& epochs, std::string EpochMark::*member) {
  return std::ranges::any_of(epochs, [=](const Epoch& epoch) { return !(epoch.opened.*member).empty(); });
}

std::string_view end_of(const Epoch& epoch) { return epoch.ended ? engine::name(epoch.ended->status) : "goes on"; }

}  // namespace

std::vector<std::string> epoch_lines(const client::AttemptsAndEpochs& told, const std::vector<StepRow>& steps, UnixMillis now, const Room& room) {
  std::vector<std::string> lines;
  const auto& epochs = told.epochs;
  if (told.epochs_before + epochs.size() < 2) return lines;
  const auto left_out = epochs.size() - std::min(epochs.size(), kEpochsShown);
  std::vector<Cells> rows;
  for (auto at = left_out; at < epochs.size(); ++at) {
    const auto& epoch = epochs[at];
    const auto end = epoch.ended ? epoch.ended->at : now;
    rows.push_back({std::to_string(told.epochs_before + at + 1), std::string{opener_of(epoch)}, epoch.opened.by, iso8601(epoch.opened.at),
                    std::string{end_of(epoch)}, span_text(Millis{std::max<UnixMillis>(end - epoch.opened.at, 0)}), std::to_string(epoch.attempts),
                    opened_text(epoch, steps), epoch.opened.reason});
  }
  if (const auto before = told.epochs_before + left_out; before != 0) lines.push_back(fmt::format("{} before these", before));
  const auto text = table({{.title = "EPOCH"},
                           {.title = "OPENED BY"},
                           {.title = "WHO", .shortens = true, .absent = !is_known(epochs, &EpochMark::by)},
                           {.title = "AT", .leaves = 2},
                           {.title = "ENDED", .shade = shade_of_status},
                           {.title = "AFTER", .leaves = 1},
                           {.title = "ATTEMPTS", .leaves = 3},
                           {.title = "STEPS", .shortens = true},
                           {.title = "REASON", .shortens = true, .absent = !is_known(epochs, &EpochMark::reason)}},
                          rows, room);
  for (std::size_t from = 0; from < text.size();) {
    const auto end = std::min(text.find('\n', from), text.size());
    lines.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  return lines;
}

Json epochs_json(const client::AttemptsAndEpochs& told, const std::vector<StepRow>& steps) {
  Json all = Json::array();
  auto number = told.epochs_before;
  for (const auto& epoch : told.epochs) {
    Json json{{"epoch", ++number}, {"opened_by", opener_of(epoch)}, {"opened_at", iso8601(epoch.opened.at)}, {"attempts", epoch.attempts}};
    if (!epoch.opened.by.empty()) json["by"] = epoch.opened.by;
    if (!epoch.opened.reason.empty()) json["reason"] = epoch.opened.reason;
    if (epoch.opened.sign != EpochSign::submitted) {
      json["steps"] = step_names(epoch.opened, steps);
      json["steps_count"] = epoch.opened.steps_all;
      json["other_definitions"] = epoch.opened.other_package;
    }
    if (epoch.ended) {
      json["status"] = engine::name(epoch.ended->status);
      json["ended_at"] = iso8601(epoch.ended->at);
      if (epoch.ended->error) json["error"] = catena::to_json(*epoch.ended->error);
    }
    all.push_back(std::move(json));
  }
  return all;
}

}  // namespace catena::cli
