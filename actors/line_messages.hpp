#pragma once
// Lines and actors: what a line brings, as messages of its process.
#include <caf/actor.hpp>
#include <string>
#include <vector>

#include "actors/line.hpp"

namespace catena::actors {

struct LineFrames {
  LinePtr line;
  std::vector<Frame> frames;
};
/// Comes once, and behind all frames.
struct LineOver {
  LinePtr line;
  std::string why;
};

/// What comes over the line goes to the actor, which the line does not keep alive.
void deliver(const LinePtr& line, const caf::actor& to);

/// What the frames cost in all, for Line::taken.
[[nodiscard]] std::size_t cost_of(const std::vector<Frame>& frames);

}  // namespace catena::actors
