#pragma once
// What has changed between the definitions that a chain runs and those that it is to go on with. Decides which of its results may stay.
#include <string>
#include <string_view>
#include <vector>

#include "lang/package/package.hpp"

namespace catena::lang {

struct StepChange {
  bool arguments = false;  // when it runs, or what it hands to its tool: its results may stay where the arguments come out the same
  bool tool = false;       // what its tool is, or what becomes of its answer
  bool nested = false;     // what it calls is a definition that has changed inside
  [[nodiscard]] bool any() const { return arguments || tool || nested; }
};

/// A chain's records know its steps by their places. Error chain_state: one is gone, has another name, or another stands in its place; also in a
/// definition that is called from there. Steps may be added behind the others.
[[nodiscard]] Result<void> check_places(const Package& had, std::string_view had_definition, const Package& now, std::string_view now_definition);

/// For each step that both have. They fit: see check_places. O(both definitions and those that they call).
[[nodiscard]] std::vector<StepChange> changes(const Package& had, std::string_view had_definition, const Package& now,
                                              std::string_view now_definition);

}  // namespace catena::lang
