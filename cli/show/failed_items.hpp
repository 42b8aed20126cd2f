#pragma once
// What went wrong in a chain, step by step: errors in groups, and the items that had them.
#include <string>
#include <vector>

#include "client/questions.hpp"

namespace catena::cli {

/// Of one step.
struct StepFailures {
  std::string step = {};
  std::uint32_t failed = 0;  // items
  std::uint32_t items = 0;
  bool fan_out = false;
  std::optional<Error> error = {};  // of a plain step
  coordinator::ErrorGroups groups = {};
  std::vector<coordinator::ItemRow> first = {};  // failed items
};
/// Of the steps that failed, or of which items did: the first few items of each.
[[nodiscard]] Result<std::vector<StepFailures>> failures_of(client::Questions& questions, const ChainId& chain,
                                                            const std::vector<coordinator::StepRow>& steps);

/// `where`: the place as given, for the commands that lines name. `told`: an error that stands above already, and is not said again.
[[nodiscard]] std::vector<std::string> failure_lines(const ChainId& chain, const std::vector<StepFailures>& failures, const std::string& where,
                                                     const std::optional<Error>& told);
[[nodiscard]] Json to_json(const StepFailures& failures);
[[nodiscard]] Json to_json(const std::string& step, const coordinator::ItemRow& row);
/// A failed item, with what its tool wrote.
[[nodiscard]] std::vector<std::string> item_lines(const std::string& step, const coordinator::ItemRow& row);

}  // namespace catena::cli
