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

struct NetV4 {
  std::uint32_t address;
  unsigned bits;
};
/// This network, private ones, shared address space (RFC 6598), loopback, protocol assignments, benchmarks, multicast and all above it.
constexpr std::array kPrivateV4{NetV4{v4(0, 0, 0, 0), 8},      NetV4{v4(10, 0, 0, 0), 8},    NetV4{v4(100, 64, 0, 0), 10},
                                NetV4{v4(127, 0, 0, 0), 8},    NetV4{v4(172, 16, 0, 0), 12}, NetV4{v4(192, 0, 0, 0), 24},
                                NetV4{v4(192, 168, 0, 0), 16}, NetV4{v4(198, 18, 0, 0), 15}, NetV4{v4(224, 0, 0, 0), 3}};

bool private_v4(std::uint32_t address) {
  return refused_v4(address) || std::ranges::any_of(kPrivateV4, [&](const NetV4& net) { return (address ^ net.address) >> (32U - net.bits) == 0; });
}

bool private_v6(const V6& address) {
  const bool local = (address[0] & 0xfeU) == 0xfc || (address[0] == 0xfe && (address[1] & 0xc0U) == 0xc0);
  if (local || address[0] == 0xff || refused_v6(address)) return true;
  return std::ranges::any_of(kWrapped, [&](const Wrapped& wrapped) {
    if (!std::equal(wrapped.prefix.begin(), wrapped.prefix.begin() + static_cast<std::ptrdiff_t>(wrapped.length), address.begin())) return false;
    const auto* inner = address.data() + wrapped.length;
    return private_v4(v4(inner[0], inner[1], inner[2], inner[3]));
  });
}

/// An address of another family is none of the internet.
template <class OfV4, class OfV6>
bool look_at(const sockaddr& address, OfV4 of_v4, OfV6 of_v6) {
  if (address.sa_family == AF_INET) {
    sockaddr_in in{};
    std::memcpy(&in, &address, sizeof in);
    return of_v4(ntohl(in.sin_addr.s_addr));
  }
  if (address.sa_family == AF_INET6) {
    sockaddr_in6 in{};
    std::memcpy(&in, &address, sizeof in);
    V6 bytes{};
    std::memcpy(bytes.data(), &in.sin6_addr, bytes.size());
    return of_v6(bytes);
  }
  return true;
}

}  // namespace

bool is_private(const sockaddr& address) { return look_at(address, private_v4, private_v6); }

bool is_link_local_or_metadata(const sockaddr& address) { return look_at(address, refused_v4, refused_v6); }

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
