#include "worker/http_address.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace catena::worker {
namespace {

using V6 = std::array<std::uint8_t, 16>;

constexpr std::uint32_t v4(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) { return a << 24U | b << 16U | c << 8U | d; }

// Metadata services that are not link-local: Alibaba, Oracle Classic, Azure's host.
constexpr std::array kMetadataV4{v4(100, 100, 100, 200), v4(192, 0, 0, 192), v4(168, 63, 129, 16)};
// AWS, Google.
constexpr std::array kMetadataV6{V6{0xfd, 0x00, 0x0e, 0xc2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x54},
                                 V6{0xfd, 0x20, 0x00, 0xce, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x54}};

/// Prefixes behind which an IPv4 address stands: IPv4-mapped, IPv4-compatible, NAT64, 6to4.
struct Wrapped {
  V6 prefix;
  std::size_t length;
};
constexpr std::array kWrapped{Wrapped{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}, 12}, Wrapped{{}, 12}, Wrapped{{0x00, 0x64, 0xff, 0x9b}, 12},
                              Wrapped{{0x20, 0x02}, 2}};

bool refused_v4(std::uint32_t address) {
  return (address >> 16U) == (v4(169, 254, 0, 0) >> 16U) || std::ranges::find(kMetadataV4, address) != kMetadataV4.end();
}

bool refused_v6(const V6& address) {
  if (address[0] == 0xfe && (address[1] & 0xc0U) == 0x80) return true;
  if (std::ranges::find(kMetadataV6, address) != kMetadataV6.end()) return true;
  return std::ranges::any_of(kWrapped, [&](const Wrapped& wrapped) {
    if (!std::equal(wrapped.prefix.begin(), wrapped.prefix.begin() + static_cast<std::ptrdiff_t>(wrapped.length), address.begin())) return false;
    const auto* inner = address.data() + wrapped.length;
    return refused_v4(v4(inner[0], inner[1], inner[2], inner[3]));
  });
}

}  // namespace

bool is_link_local_or_metadata(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    sockaddr_in in{};
    std::memcpy(&in, &address, sizeof in);
    return refused_v4(ntohl(in.sin_addr.s_addr));
  }
  if (address.sa_family == AF_INET6) {
    sockaddr_in6 in{};
    std::memcpy(&in, &address, sizeof in);
    V6 bytes{};
    std::memcpy(bytes.data(), &in.sin6_addr, bytes.size());
    return refused_v6(bytes);
  }
  return true;  // nothing else is an address of the internet
}

std::string to_text(const sockaddr& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.sa_family == AF_INET) {
    sockaddr_in in{};
    std::memcpy(&in, &address, sizeof in);
    ::inet_ntop(AF_INET, &in.sin_addr, text.data(), text.size());
  } else if (address.sa_family == AF_INET6) {
    sockaddr_in6 in{};
    std::memcpy(&in, &address, sizeof in);
    ::inet_ntop(AF_INET6, &in.sin6_addr, text.data(), text.size());
  }
  return text.data();
}

}  // namespace catena::worker
