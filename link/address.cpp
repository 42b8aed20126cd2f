#include "link/address.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace catena::link {
namespace {

constexpr std::size_t kHostBytesMax = 255;

bool host_character(char c) { return c > ' ' && c < 0x7f && c != '[' && c != ']' && c != '/' && c != '@' && c != '\'' && c != '"'; }

}  // namespace

Result<LinkAddress> parse_link_address(std::string_view text) {
  const auto shown = text.substr(0, kHostBytesMax);
  const auto wrong = [&] {
    return fail(Code::usage, fmt::format("'{}' is not an address; write host:port, for example 10.0.0.5:7420 or [::1]:7420", shown));
  };
  if (!std::ranges::all_of(text, [](char c) { return c >= ' ' && c < 0x7f; }))
    return fail(Code::usage, "an address has characters that no host name has");
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return wrong();
  auto host = text.substr(0, colon);
  const auto digits = text.substr(colon + 1);
  LinkAddress address;
  const auto [end, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), address.port);
  if (ec != std::errc{} || end != digits.data() + digits.size()) return wrong();
  const bool bracketed = host.size() >= 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  // an IPv6 address without brackets could end with its port, or not
  if (!bracketed && host.find(':') != std::string_view::npos) return wrong();
  if (host.empty() || host.size() > kHostBytesMax || !std::ranges::all_of(host, host_character)) return wrong();
  address.host = host;
  return address;
}

std::string to_string(const LinkAddress& address) {
  const bool colons = address.host.find(':') != std::string::npos;
  return colons ? fmt::format("[{}]:{}", address.host, address.port) : fmt::format("{}:{}", address.host, address.port);
}

}  // namespace catena::link
