#include "actors/wire.hpp"

#include <fmt/format.h>

namespace catena::actors {

std::string encode(const NodeMessage& message) { return codec::encode_kind(message); }

Result<NodeMessage> decode_message(std::string_view bytes) {
  auto message = codec::decode_kind<NodeMessage>(bytes);
  if (!message) return fail(Code::connection_failed, fmt::format("the other node sent a damaged message of {} bytes", bytes.size()));
  return std::move(*message);
}

}  // namespace catena::actors
