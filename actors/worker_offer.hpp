#pragma once
// What a worker may call itself, and how much it may say of itself. A coordinator turns others away; a worker looks before it calls.
#include <optional>
#include <string>
#include <string_view>

#include "actors/protocol.hpp"

namespace catena::actors {

/// Under which child chains are granted.
inline constexpr std::string_view kChainsWorkerName = "chains";
/// Of the slots in the coordinator's own process.
inline constexpr std::string_view kOwnWorkerName = "coordinator";

/// Why no coordinator takes a worker with this name, slots and words, said to a person; nothing: one does.
[[nodiscard]] std::optional<std::string> wrong_offer(const Greeting& greeting);

/// What it offers a dispatcher, as its greeting says.
[[nodiscard]] Hello offered_by(const Greeting& greeting);

}  // namespace catena::actors
