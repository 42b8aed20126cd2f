#pragma once
// Where a fork begins, in the names and numbers that people use.
#include <optional>
#include <string>

#include "base/ids.hpp"

namespace catena::actors {

struct ForkWish {
  Sequence event = 0;                         // shares the chain's history up to this event, and what was decided with it; 0: see `step`
  std::string step = {};                      // shares all that this step, and what fails or failed, has no part in; empty: see `event`
  std::optional<std::string> arguments = {};  // JSON, in place of those that the chain has
};

template <class V>
void fields(V& v, ForkWish& x) {
  v("event", x.event), v("step", x.step), v("arguments", x.arguments);
}

}  // namespace catena::actors
