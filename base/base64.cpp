#include "base/base64.hpp"

#include <algorithm>
#include <cstdint>

namespace catena {
namespace {

constexpr std::string_view kDigits64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string to_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const auto part = bytes.substr(at, 3);
    std::uint32_t bits = 0;
    for (std::size_t byte = 0; byte < 3; ++byte) bits = bits << 8U | (byte < part.size() ? static_cast<unsigned char>(part[byte]) : 0U);
    for (std::size_t digit = 0; digit < 4; ++digit) text += digit <= part.size() ? kDigits64[bits >> (18 - 6 * digit) & 0x3fU] : '=';
  }
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  while (text.ends_with('=')) text.remove_suffix(1);
  if (text.size() % 4 == 1) return std::nullopt;
  std::string bytes;
  std::uint32_t bits = 0;
  unsigned held = 0;
  for (const char c : text) {
    const auto digit = kDigits64.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    bits = bits << 6U | static_cast<std::uint32_t>(digit);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes += static_cast<char>(bits >> held & 0xffU);
  }
  return bytes;
}

std::string to_base64url(std::string_view bytes) {
  auto text = to_base64(bytes);
  while (text.ends_with('=')) text.pop_back();
  std::ranges::replace(text, '+', '-');
  std::ranges::replace(text, '/', '_');
  return text;
}

std::optional<std::string> from_base64url(std::string_view text) {
  if (text.find_first_of("+/=") != std::string_view::npos) return std::nullopt;
  std::string usual{text};
  std::ranges::replace(usual, '-', '+');
  std::ranges::replace(usual, '_', '/');
  auto bytes = from_base64(usual);
  if (bytes && to_base64url(*bytes) != text) return std::nullopt;  // bits behind the last byte
  return bytes;
}

}  // namespace catena
