#pragma once
// What a person may change of a chain while it runs, in place of what its definition says. Each member that is set takes the place of the
// definition's from then on; orders that are out keep what they went out with.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/deadline.hpp"
#include "base/result.hpp"

namespace catena::engine {

struct Terms {
  std::optional<std::uint32_t> window;           // items of a fan-out on their way at once; 0: any number
  std::optional<std::uint32_t> tolerated;        // items of it that may fail
  std::optional<std::uint32_t> tolerated_milli;  // the same in thousandths of a percent of its list
  std::optional<std::int64_t> timeout_ms;        // of an attempt; 0: none
  std::optional<std::uint32_t> attempts;         // of a task, the first included
  friend bool operator==(const Terms&, const Terms&) = default;
  [[nodiscard]] bool empty() const { return *this == Terms{}; }
  /// How many may fail is one term, whichever way it is said.
  [[nodiscard]] bool tolerates() const { return tolerated.has_value() || tolerated_milli.has_value(); }
  /// Those of `newer` over these.
  void take_over(const Terms& newer) {
    if (newer.window) window = newer.window;
    if (newer.tolerates()) tolerated = newer.tolerated, tolerated_milli = newer.tolerated_milli;
    if (newer.timeout_ms) timeout_ms = newer.timeout_ms;
    if (newer.attempts) attempts = newer.attempts;
  }
};

/// "5%" or a number of items, as a person writes how many may fail. Error: field_value.
[[nodiscard]] Result<void> put_tolerance(Terms& terms, std::string_view text);
/// "5%", of thousandths of a percent.
[[nodiscard]] std::string percentage(std::uint32_t milli);
/// "priority 3, deadline 2h, max_concurrency 10, tolerates 5%, timeout 2m, 5 attempts".
[[nodiscard]] std::string words(const Terms& terms, const std::optional<std::int32_t>& priority = {}, const std::optional<Deadline>& deadline = {});

}  // namespace catena::engine
