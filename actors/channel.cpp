#include "actors/channel.hpp"

#include <utility>

#include "actors/wire.hpp"

namespace catena::actors {

void Channel::say(const NodeMessage& message) { link_.send(encode(message)); }

bool Channel::flush() {
  auto frames = link_.outgoing();
  const bool numbered = !frames.empty() && frames.back().number != 0;
  if (!frames.empty()) line_->send(std::move(frames));
  return numbered;
}

void Channel::acknowledge() {
  if (auto frame = link_.acknowledgement()) line_->send({std::move(*frame)});
}

Result<std::vector<NodeMessage>> Channel::decode(std::vector<link::Frame> frames) {
  std::vector<NodeMessage> heard;
  line_->taken(cost_of(frames));
  for (auto& frame : frames) {
    const auto messages = link_.receive(std::move(frame));
    if (!messages) return fail(messages.error());
    for (const auto& bytes : *messages) {
      auto message = decode_message(bytes);
      if (!message) return fail(std::move(message).error());
      heard.push_back(std::move(*message));
    }
  }
  return heard;
}

}  // namespace catena::actors
