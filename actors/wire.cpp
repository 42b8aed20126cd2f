#include "actors/wire.hpp"

#include <fmt/format.h>
#include <caf/binary_deserializer.hpp>
#include <caf/serializer_impl.hpp>

#include <array>
#include <utility>

namespace catena::actors {
namespace {

using Reader = bool (*)(caf::binary_deserializer& source, NodeMessage& message);

template <class Message>
bool read_as(caf::binary_deserializer& source, NodeMessage& message) {
  return !source(message.emplace<Message>());
}

template <std::size_t... At>
constexpr std::array<Reader, sizeof...(At)> readers(std::index_sequence<At...>) {
  return {&read_as<std::variant_alternative_t<At, NodeMessage>>...};
}

constexpr auto kReaders = readers(std::make_index_sequence<std::variant_size_v<NodeMessage>>{});
static_assert(kReaders.size() < 256, "the position is one byte");

}  // namespace

std::string encode(const NodeMessage& message) {
  std::string bytes(1, static_cast<char>(message.index()));
  caf::serializer_impl<std::string> sink{nullptr, bytes};
  // the serializer takes what it writes by a reference that could be written to
  std::visit([&](const auto& what) { static_cast<void>(sink(const_cast<std::decay_t<decltype(what)>&>(what))); }, message);
  return bytes;
}

Result<NodeMessage> decode_message(std::string_view bytes) {
  const auto kind = bytes.empty() ? kReaders.size() : static_cast<unsigned char>(bytes.front());
  if (kind >= kReaders.size())
    return fail(Code::connection_failed, "the other node sent a message of a kind that this version does not know");
  NodeMessage message;
  const auto body = bytes.substr(1);
  caf::binary_deserializer source{nullptr, body.data(), body.size()};
  if (!kReaders[kind](source, message) || source.remaining() != 0) {
    return fail(Code::connection_failed, fmt::format("the other node sent a damaged message (kind {}, {} bytes)", kind, bytes.size()));
  }
  return message;
}

}  // namespace catena::actors
