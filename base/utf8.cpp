#include "base/utf8.hpp"

namespace catena {
namespace {

bool continues(std::string_view bytes, std::size_t at, unsigned low = 0x80, unsigned high = 0xBF) {
  if (at >= bytes.size()) return false;
  const auto byte = static_cast<unsigned char>(bytes[at]);
  return byte >= low && byte <= high;
}

}  // namespace

std::size_t utf8_length(std::string_view bytes) {
  if (bytes.empty()) return 0;
  const auto lead = static_cast<unsigned char>(bytes.front());
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return continues(bytes, 1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    // no overlong forms, no surrogates
    const bool second = continues(bytes, 1, lead == 0xE0 ? 0xA0U : 0x80U, lead == 0xED ? 0x9FU : 0xBFU);
    return second && continues(bytes, 2) ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const bool second = continues(bytes, 1, lead == 0xF0 ? 0x90U : 0x80U, lead == 0xF4 ? 0x8FU : 0xBFU);
    return second && continues(bytes, 2) && continues(bytes, 3) ? 4 : 0;
  }
  return 0;
}

}  // namespace catena
