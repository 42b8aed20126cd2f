#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace catena::lang::test {

/// `part` so many times: for documents that are too large to be written out.
inline std::string repeat(std::string_view part, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += part;
  return out;
}

}  // namespace catena::lang::test
