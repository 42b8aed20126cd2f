#pragma once
// From a request to its route: pure. What the table does not know is refused here, in one place.
#include <functional>
#include <set>
#include <string>

#include "api/route.hpp"

namespace catena::api {

/// Names by which this server may be called: against pages that rebind a name of their own to this address. Empty: any.
struct Guard {
  std::set<std::string> hosts;
};
/// Error: origin_refused, for another host than these, and for a page of another origin than the host that the request names.
[[nodiscard]] Result<void> check_origin(const Request& request, const Guard& guard);

/// Looked at in the order of these problems: route_unknown, method_not_allowed (with `Allow`), request_invalid (parameters), request_too_large,
/// media_type_unsupported, those of the body.
/// `access`: who asks, told for the route before anything else of the request is looked at; null: everybody may.
using Access = std::function<Outcome<Caller>(const Request& request, const Route& route)>;
[[nodiscard]] Outcome<Asked> find_route(Request& request, std::span<const Route> routes, UnixMillis now, const Access& access = nullptr);

/// Whether a request of this method changes nothing.
[[nodiscard]] inline bool only_reads(const std::string& method) { return method == "GET"; }

}  // namespace catena::api
