#pragma once
// What a serve: child answers when it is asked to describe its tools.
#include <set>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"
#include "lang/program/description.hpp"

namespace catena::worker {

/// A call has another id: those count from 1.
inline constexpr std::string_view kDescribeQuestion = "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"describe\"}\n";
inline constexpr std::size_t kDescriptionBytesMax = 1UL << 20U;
/// How long a child may take to start and to describe itself, where its attempt has more time.
inline constexpr Millis kDescribeTimeout{30'000};

struct SaidOfTools {
  bool knows_describe = false;  // else it may serve any tool: nobody can tell
  lang::ServedTools tools = {};
  std::set<std::string, std::less<>> agreed = {};  // last words of endpoints that were found to be as it says
};

/// The line that came back. Error: tool_output_invalid, with what is wrong with it.
[[nodiscard]] Result<SaidOfTools> read_description(std::string_view line);

/// Why a tool must not be called, in words: the program does not serve it, or takes or gives something else than the chain has pinned; empty: it may.
[[nodiscard]] std::string disagreement(SaidOfTools& said, const lang::Endpoint& endpoint);

}  // namespace catena::worker
