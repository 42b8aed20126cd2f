#pragma once
// "host:port" as people write it: pure functions.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace catena::link {

struct LinkAddress {
  std::string host;  // a name or a numeric address, without brackets
  std::uint16_t port = 0;
  friend bool operator==(const LinkAddress&, const LinkAddress&) = default;
};

/// Reads "host:port", "1.2.3.4:port" and "[::1]:port". Errors: usage.
[[nodiscard]] Result<LinkAddress> parse_link_address(std::string_view text);
[[nodiscard]] std::string to_string(const LinkAddress& address);

}  // namespace catena::link
