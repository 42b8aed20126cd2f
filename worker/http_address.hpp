#pragma once
// Which addresses a tool's request must not reach.
#include <sys/socket.h>

#include <string>

namespace catena::worker {

/// Link-local (169.254.0.0/16, fe80::/10) or one that cloud machines get their credentials from. An IPv4 address in the clothes of an
/// IPv6 one (mapped, NAT64, 6to4) is looked at as itself.
[[nodiscard]] bool is_link_local_or_metadata(const sockaddr& address);

/// The same, or one that is not of the public internet: loopback, a private or shared network, multicast, reserved. Of IPv4 within IPv6 likewise.
[[nodiscard]] bool is_private(const sockaddr& address);

/// "169.254.169.254", "fe80::1"
[[nodiscard]] std::string to_text(const sockaddr& address);

}  // namespace catena::worker
