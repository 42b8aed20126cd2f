#pragma once
// The text form of an endpoint (`builtin:<name>`, `exec:<program> [args…]`, …) and what it needs from the surroundings.
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "lang/program/program.hpp"

namespace catena::lang {

/// The endpoint as written. Endpoint::target is the builtin's name; the program as the definition calls it; what stands behind `http:` or
/// `https:`; the capability.
/// Errors: endpoint_unknown (no such form, or malformed), endpoint_unmapped (a form of another system, which the configuration has to map:
/// see EndpointMap), feature_unavailable (a form that this version does not execute).
[[nodiscard]] Result<Endpoint> parse_endpoint(std::string_view text, const Place& where);

/// A form that is catena's own: it is executed as it is, never mapped.
[[nodiscard]] bool is_own_form(std::string_view text);
inline constexpr std::size_t kSignalNameBytesMax = 100;
/// What steps wait for and people send.
[[nodiscard]] bool is_signal_name(std::string_view name);
inline constexpr std::string_view kSignalNameRule = "a name of at most 100 letters, digits, '_', '.' and '-'";
/// Its program has to be found and is pinned: exec, serve.
[[nodiscard]] bool runs_program(const Endpoint& endpoint);
/// As it would be written: what messages show.
[[nodiscard]] std::string endpoint_text(const Endpoint& endpoint);

/// Words of a command line: split at white space; '…' and "…" keep it, and nothing else is special (there is no shell).
/// Empty when a quote is not closed.
[[nodiscard]] std::optional<std::vector<std::string>> split_words(std::string_view text);

}  // namespace catena::lang
