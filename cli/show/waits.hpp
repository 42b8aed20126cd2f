#pragma once
// What a chain waits for that only a person can move.
#include <string>
#include <vector>

#include "client/questions.hpp"

namespace catena::cli {

/// Nothing moves this chain, nor any it waits for, before a person resolves what is in doubt: those items, as `CHAIN STEP[/INDEX]`. Empty
/// when something still moves.
[[nodiscard]] Result<std::vector<std::string>> waits_for_person(client::Questions& questions, const ChainId& chain);

}  // namespace catena::cli
