#pragma once
// An event of the journal in plain words, and as an object with the names that people know.
#include <optional>
#include <string>
#include <string_view>

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

/// What an event is about, whatever its kind.
struct EventFacts {
  UnixMillis at = 0;
  std::string_view kind = {};
  std::optional<StepIndex> step = {};  // nothing: the chain
  Visit visit = 0;
  IndexSet items = {};
  std::uint32_t failed = 0;  // of the items, for good
  WorkerId worker = {};      // of a grant
  std::optional<Error> error = {};
};
[[nodiscard]] EventFacts facts_of(const engine::Event& event);

/// All that the event says: steps by their ids, words for states, times of day, and values as the JSON that they are. A value too large for the
/// journal is {"bytes": N}. Sets of items are lists of [first, last].
[[nodiscard]] Json describe_json(const engine::Event& event, const lang::Program* program);

}  // namespace catena::coordinator
