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
  client::AttemptsAndEpochs attempts = {};
  std::vector<std::string> labels = {};  // by step: what it calls, where names say little; empty: they say enough
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

/// The whole page: pure.
[[nodiscard]] std::string chain_text(const ChainView& view, const PageLook& look = {});
/// One object on one line. Values go in as the text that they are.
[[nodiscard]] std::string chain_json(const ChainView& view);

}  // namespace catena::cli
