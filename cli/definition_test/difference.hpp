#pragma once
// Where a value is not what was expected, part by part, so that a person sees what differs and not two walls of JSON.
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"

namespace catena::cli {

struct Difference {
  std::string path;  // "response.items.2.name"
  std::string expected;
  std::string got;
  friend bool operator==(const Difference&, const Difference&) = default;
};

/// Whether members that nobody expects are a difference. Lists always have to be as long as expected.
enum class Compare { exactly, contained };

/// Numbers are equal by value: 1 is 1.0. At most `most`; the first of each place.
[[nodiscard]] std::vector<Difference> differences(const Json& expected, const Json& got, std::string path, Compare how, std::size_t most = 20);

/// The part of a value at `a.b.0`; null pointer when there is none.
[[nodiscard]] const Json* part_at(const Json& value, std::string_view path);

}  // namespace catena::cli
