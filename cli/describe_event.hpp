#pragma once
// An event of the journal in plain words.
#include <string>

#include "engine/event.hpp"
#include "lang/program.hpp"

namespace catena::cli {

struct EventText {
  UnixMillis at = 0;
  std::string text;
};

/// `program` may be null: steps are numbers then.
[[nodiscard]] EventText describe(const engine::Event& event, const lang::Program* program);

}  // namespace catena::cli
