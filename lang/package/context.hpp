#pragma once
// The context of a submission: who it is for and why (user_id, session_id, casefile_id, …). It is recorded with the chain, handed to every
// tool, and definitions may require names in it.
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "lang/package/package.hpp"

namespace catena::lang {

/// It travels in an environment variable and in a header, and a line of a header may not be longer than this at common servers.
inline constexpr std::size_t kContextBytesMax = 8000;

/// The names that definitions of the package require, each with the names of those that do.
[[nodiscard]] std::map<std::string, std::vector<std::string>> required_context(const Package& package);

/// The context as it is recorded and sent, compact and in ASCII; empty for none (no text, null, or an empty object). Errors: usage (no
/// object), document_too_large, and policy_violation where a name is missing, null or "" that the package requires.
[[nodiscard]] Result<std::string> check_context(std::string_view text, const Package& package);

}  // namespace catena::lang
