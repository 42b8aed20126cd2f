#pragma once
// Messages as the bytes that frames carry. Read with suspicion.
#include <string>
#include <string_view>

#include "actors/protocol.hpp"
#include "base/result.hpp"

namespace catena::actors {

[[nodiscard]] std::string encode(const NodeMessage& message);
/// A message of a kind that this version does not know is an Unknown. Error: connection_failed, when the bytes are no message.
[[nodiscard]] Result<NodeMessage> decode_message(std::string_view bytes);

}  // namespace catena::actors
