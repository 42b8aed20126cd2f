#pragma once
// Big-endian numbers: byte order of the encodings is the order of the numbers.
#include <cstdint>
#include <string>
#include <string_view>

namespace catena::storage {

inline void append_be32(std::string& out, std::uint32_t number) {
  for (unsigned shift = 32; shift > 0; shift -= 8) out.push_back(static_cast<char>((number >> (shift - 8)) & 0xffU));
}

inline void append_be64(std::string& out, std::uint64_t number) {
  append_be32(out, static_cast<std::uint32_t>(number >> 32U));
  append_be32(out, static_cast<std::uint32_t>(number));
}

/// `bytes` has at least four.
[[nodiscard]] inline std::uint32_t read_be32(std::string_view bytes) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) number = (number << 8U) | static_cast<unsigned char>(bytes[i]);
  return number;
}

/// `bytes` has at least eight.
[[nodiscard]] inline std::uint64_t read_be64(std::string_view bytes) { return (std::uint64_t{read_be32(bytes)} << 32U) | read_be32(bytes.substr(4)); }

}  // namespace catena::storage
