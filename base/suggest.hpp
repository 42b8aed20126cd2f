#pragma once
// "did you mean": the nearest of the known names.
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace catena {

/// Edits (insert, delete, replace, swap of neighbours) between two names. O(|a|*|b|).
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The known name nearest to `wanted`, if it is near enough to be a slip: at most a third of its length and three edits, at least one edit; not all
/// of it.
[[nodiscard]] std::optional<std::string> nearest(std::string_view wanted, std::span<const std::string> known);

/// "; did you mean 'x'?" or nothing: to append to a message.
[[nodiscard]] std::string did_you_mean(std::string_view wanted, std::span<const std::string> known);

}  // namespace catena
