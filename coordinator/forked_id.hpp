#pragma once
// What a fork is called where nobody said.
#include <cstdint>
#include <string>

#include "base/ids.hpp"
#include "base/random.hpp"

namespace catena::coordinator {

/// After its source, as far as that is short.
[[nodiscard]] inline ChainId made_fork_id(const ChainId& source, std::uint64_t number) {
  constexpr std::size_t kLongest = 40;
  auto prefix = source.value.substr(0, kLongest);
  while (prefix.ends_with('-')) prefix.pop_back();
  return ChainId{readable_id(prefix.empty() ? "chain" : prefix, number)};
}

}  // namespace catena::coordinator
