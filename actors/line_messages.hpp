#pragma once
// Lines and actors: what a line brings, as messages of its process.
#include <caf/actor.hpp>
#include <string>
#include <vector>

#include "link/line.hpp"

namespace catena::actors {

struct LineFrames {
  link::LinePtr line;
  std::vector<link::Frame> frames;
};
/// Comes once, and behind all frames.
struct LineOver {
  link::LinePtr line;
  std::string why;
};

/// What comes over the line goes to the actor, which the line does not keep alive.
void deliver(const link::LinePtr& line, const caf::actor& to);

}  // namespace catena::actors
