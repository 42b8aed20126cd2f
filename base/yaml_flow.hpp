#pragma once
// How deep the flow collections ([…], {…}) of a YAML text nest, found in one pass and constant memory, before a parser is asked: yaml-cpp keeps
// some 250 bytes for each bracket of a flow until it is closed, and calls nobody who could stop it.
#include <cstddef>
#include <optional>
#include <string_view>

namespace catena {

/// Brackets that may be open before a parser is asked: far beyond limits::kNestingMax, which holds then, for what counts them takes texts for flows
/// sometimes.
inline constexpr std::size_t kYamlFlowDepthMax = 10'000;

/// Where a flow collection goes deeper than `depth_max`; nothing when none does. Never too small a depth: quotes, comments and plain texts in a
/// flow are read as yaml-cpp reads them. It may be too large where brackets stand in a block's text, which is not told from a flow here, and none
/// closes them: choose a bound that no text comes near to.
[[nodiscard]] std::optional<std::size_t> find_deep_flow(std::string_view text, std::size_t depth_max);

}  // namespace catena
