#pragma once
// All that is known of one chain, as `catena show ID` prints it.
#include <optional>
#include <string>
#include <vector>

#include "cli/console.hpp"
#include "cli/place.hpp"
#include "cli/show/failed_items.hpp"
#include "cli/show/family.hpp"

namespace catena::cli {

struct ChainView {
  coordinator::ChainDescription chain = {};
  std::vector<coordinator::StepRow> steps = {};
  std::vector<std::uint64_t> attempts = {};  // by step
  std::vector<StepFailures> failures = {};
  Family family = {};
  std::vector<std::string> waits = {};
  lang::JsonText arguments = {};
  std::optional<lang::JsonText> context = {};
  std::optional<lang::JsonText> response = {};
  std::optional<std::string> owner = {};  // whoever runs it, in words
  std::string place = {};                 // as given, for the commands that lines name
};
/// Asks for all of it; what the chain waits for, where it has not ended.
[[nodiscard]] Result<ChainView> view_of(const Shelf& shelf, coordinator::ChainDescription chain, const Place& place);

/// The whole page: pure. With ages behind times where `ages` is set.
[[nodiscard]] std::string chain_text(const ChainView& view, bool ages);
/// One object on one line. Values go in as the text that they are.
void print_chain_json(const ChainView& view, Output& out);

}  // namespace catena::cli
