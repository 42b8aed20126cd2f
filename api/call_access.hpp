#pragma once
// What each call of the command line needs over HTTP: the role, and what of it a caller with a namespace reaches. One table; a call that stands in
// none of its rows does not compile. Pure: labels of chains come in from outside.
#include <span>
#include <string_view>

#include "api/grants.hpp"
#include "api/reach.hpp"
#include "api/route.hpp"
#include "base/result.hpp"
#include "coordinator/client_calls.hpp"

namespace catena::api {

struct CallRule {
  std::string_view kind;
  Role role;
  Reach reach;  // chain: that of its member `chain`; own: the call is narrowed to the caller's namespace, or refused
};
[[nodiscard]] std::span<const CallRule> call_rules();

/// What a call asks of its caller.
[[nodiscard]] Needs needs_of(const coordinator::ClientAsk& ask);

/// The call as it may be served for this caller. Errors: role_refused, namespace_refused; chain_not_found, the same for a chain of another namespace
/// and for none.
[[nodiscard]] Result<coordinator::ClientAsk> allowed_call(coordinator::ClientAsk ask, Role role, const std::string& namespace_,
                                                          const LabelsOf& labels_of);

}  // namespace catena::api
