#pragma once
// Which characters a string of JSON has as they are, of those that most strings are made of.
#include <array>
#include <cstddef>

namespace catena {

/// ASCII that is printed, but for what ends a string and what begins an escape. Others may stand there, too: those of other scripts as they are.
inline constexpr auto kPlainInJson = [] {
  std::array<bool, 256> plain{};
  for (int c = ' '; c <= '~'; ++c) plain.at(static_cast<std::size_t>(c)) = c != '"' && c != '\\';
  return plain;
}();
[[nodiscard]] constexpr bool is_plain_in_json(char c) { return kPlainInJson[static_cast<unsigned char>(c)]; }

}  // namespace catena
