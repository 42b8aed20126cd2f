#pragma once
// What a terminal shows of a chain while it runs: its steps, fan-outs with a bar, child chains below the steps that started them. Pure: what is known
// of the chain, the time and the terminal come in, lines come out.
#include <string>
#include <vector>

#include "cli/show/progress.hpp"
#include "cli/show/style.hpp"
#include "coordinator/inspect/questions.hpp"

namespace catena::cli {

/// What is known of the chain. Counts of fan-outs under way are the meter's, which are newer.
struct LiveView {
  ChainId chain = {};
  std::vector<coordinator::StepRow> steps = {};
  std::vector<coordinator::ListedChain> children = {};  // those that run, of all generations: the first of them
};

struct LiveLook {
  std::size_t width = 80;
  std::size_t height = 24;
  Style style = {};
};

/// No wider and no higher than the terminal. Where there is not room for all: finished steps are folded first, then those that wait, then child
/// chains.
[[nodiscard]] std::vector<std::string> live_lines(const LiveView& view, const ProgressMeter& meter, UnixMillis now, const LiveLook& look);

}  // namespace catena::cli
