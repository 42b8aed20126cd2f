#pragma once
// What can help a chain that has failed.
#include <string>

#include "client/questions.hpp"

namespace catena::cli {

/// "`catena retry ID` runs again what did not succeed", or what helps where that would not; `where` stands behind each command.
[[nodiscard]] std::string repair_hint(client::Questions& questions, const ChainId& chain, const std::string& where);

}  // namespace catena::cli
