#pragma once
// What a chain waits for, as a person at a shell reads it.
#include <string>
#include <vector>

#include "client/questions.hpp"

namespace catena::cli {

/// "resize", or "resize/7" for an item of a fan-out.
[[nodiscard]] std::string task_text(const coordinator::Wait& wait);
[[nodiscard]] std::string wait_line(const ChainId& chain, const coordinator::Wait& wait, UnixMillis now);
/// One line each.
[[nodiscard]] std::vector<std::string> wait_lines(const ChainId& chain, const coordinator::ChainWaits& told);

/// Nothing moves this chain, nor any it waits for, before a person resolves what is in doubt: those items, as `CHAIN STEP[/INDEX]`. Empty
/// when something still moves.
[[nodiscard]] Result<std::vector<std::string>> waits_for_person(client::Questions& questions, const ChainId& chain);

}  // namespace catena::cli
