#include "link/link.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace catena::link {

void Link::send(std::string message) {
  waiting_bytes_ += message.size();
  waiting_.push_back(std::move(message));
}

std::vector<Frame> Link::outgoing() {
  std::vector<Frame> frames;
  while (!waiting_.empty() && flying_cost_ < limits_.window_bytes) {
    auto& message = waiting_.front();
    Frame frame;
    frame.number = ++sent_;
    if (left_of_first_ == 0 && message.size() <= limits_.frame_bytes) {
      frame.bytes = std::move(message);
    } else {
      frame.bytes = message.substr(left_of_first_, limits_.frame_bytes);
      left_of_first_ += frame.bytes.size();
      frame.ends = left_of_first_ == message.size();
    }
    if (frame.ends) {
      waiting_.pop_front();
      left_of_first_ = 0;
    }
    waiting_bytes_ -= frame.bytes.size();
    flying_.push_back({frame.number, cost_of(frame)});
    flying_cost_ += flying_.back().cost;
    frames.push_back(std::move(frame));
  }
  // the other side waits for it before it goes on; else the next frame carries it
  if (frames.empty() && unacknowledged_ >= limits_.window_bytes / 4) {
    if (auto frame = acknowledgement()) frames.push_back(std::move(*frame));
  }
  for (auto& frame : frames) frame.acked = received_;
  if (!frames.empty()) {
    told_ = received_;
    unacknowledged_ = 0;
  }
  return frames;
}

std::optional<Frame> Link::acknowledgement() {
  if (told_ == received_) return std::nullopt;
  Frame frame;
  frame.acked = told_ = received_;
  unacknowledged_ = 0;
  return frame;
}

Result<std::vector<std::string>> Link::receive(Frame frame) {
  if (frame.acked > sent_) return fail(Code::connection_failed, fmt::format("frame {} is acknowledged, which was not sent", frame.acked));
  acknowledge(frame.acked);
  std::vector<std::string> messages;
  if (frame.number == 0) return messages;
  if (frame.number != received_ + 1) {
    return fail(Code::connection_failed, fmt::format("frame {} came where {} was expected", frame.number, received_ + 1));
  }
  if (partial_.size() + frame.bytes.size() > limits_.message_bytes) {
    return fail(Code::connection_failed, fmt::format("a message is over {} bytes", limits_.message_bytes));
  }
  received_ = frame.number;
  unacknowledged_ += cost_of(frame);
  if (partial_.empty()) {
    partial_ = std::move(frame.bytes);
  } else {
    partial_ += frame.bytes;
  }
  if (frame.ends) messages.push_back(std::exchange(partial_, {}));
  return messages;
}

void Link::acknowledge(std::uint64_t number) {
  acked_ = std::max(acked_, number);
  while (!flying_.empty() && flying_.front().number <= number) {
    flying_cost_ -= flying_.front().cost;
    flying_.pop_front();
  }
}

}  // namespace catena::link
