#include "coordinator/strikes.hpp"

#include <fmt/format.h>

namespace catena::coordinator {

std::uint64_t progress_of(const engine::ChainState& state) {
  std::uint64_t progress = state.visits;
  for (const auto& visit : state.steps) {
    progress += visit.ok.count() + visit.bad.count();
    if (engine::settled(visit.status)) ++progress;
  }
  return progress;
}

Strikes strike(const std::optional<Strikes>& before, std::uint64_t epoch, std::uint64_t progress) {
  const bool in_a_row = before && before->epoch + 1 == epoch && before->progress == progress;
  return {epoch, in_a_row ? before->count + 1 : 1, progress};
}

std::optional<Strikes> strikes_of(const storage::ChainSummary& summary) {
  const auto noted = summary.extra.is_object() ? summary.extra.find("strikes") : summary.extra.end();
  if (noted == summary.extra.end() || !noted->is_object()) return std::nullopt;
  return Strikes{noted->value("epoch", std::uint64_t{0}), noted->value("count", 0U), noted->value("progress", std::uint64_t{0})};
}

void note_strikes(storage::ChainSummary& summary, const Strikes& strikes) {
  if (!summary.extra.is_object()) summary.extra = Json::object();
  summary.extra["strikes"] = {{"epoch", strikes.epoch}, {"count", strikes.count}, {"progress", strikes.progress}};
}

std::optional<Error> strike_against(storage::ChainSummary& summary, std::uint64_t epoch, const engine::ChainState& state) {
  const auto strikes = strike(strikes_of(summary), epoch, progress_of(state));
  note_strikes(summary, strikes);
  if (strikes.count < kStrikesMax) return std::nullopt;
  auto error = make_error(Code::unclean_ends,
                          fmt::format("chain '{0}' was live when the process ended uncleanly, {1} times in a row and without getting on: it is "
                                      "quarantined; `catena resume {0}` goes on with it, `catena cancel {0}` ends it",
                                      summary.id.value, strikes.count));
  summary.status = engine::name(engine::ChainStatus::quarantined);
  summary.extra["error"] = {{"code", name(error.code)}, {"message", error.message}};
  return error;
}

}  // namespace catena::coordinator
