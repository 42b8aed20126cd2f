#pragma once
// The text form of an endpoint (`builtin:<name>`, `exec:<program> [args…]`) and what it needs from the surroundings.
#include <string_view>

#include "base/result.hpp"
#include "lang/program.hpp"

namespace catena::lang {

/// The endpoint as written: Endpoint::target is the builtin's name, or the program as the definition calls it.
/// Errors: endpoint_unknown (no such form, or malformed), feature_unavailable (a form that this version does not execute).
[[nodiscard]] Result<Endpoint> parse_endpoint(std::string_view text, const Place& where);

/// Words of a command line: split at white space; '…' and "…" keep it, and nothing else is special (there is no shell).
/// Empty when a quote is not closed.
[[nodiscard]] std::optional<std::vector<std::string>> split_words(std::string_view text);

}  // namespace catena::lang
