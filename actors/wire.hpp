#pragma once
// Messages as the bytes that frames carry: the position within NodeMessage, then the fields. Read with suspicion.
#include <string>
#include <string_view>

#include "actors/protocol.hpp"
#include "base/result.hpp"

namespace catena::actors {

[[nodiscard]] std::string encode(const NodeMessage& message);
/// Error: connection_failed, when the bytes are no message of this version or go on behind it.
[[nodiscard]] Result<NodeMessage> decode_message(std::string_view bytes);

}  // namespace catena::actors
