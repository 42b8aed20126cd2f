#pragma once
// An event of the journal in plain words.
#include <string>

#include "engine/event.hpp"
#include "lang/program/program.hpp"

namespace catena::coordinator {

struct EventText {
  UnixMillis at = 0;
  std::string text;
};

/// The step's id; "#3" without a program.
[[nodiscard]] std::string step_id(const lang::Program* program, StepIndex step);

/// `program` may be null: steps are numbers then.
[[nodiscard]] EventText describe(const engine::Event& event, const lang::Program* program);

}  // namespace catena::coordinator
