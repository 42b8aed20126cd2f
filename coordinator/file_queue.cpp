#include "coordinator/file_queue.hpp"

#include <algorithm>
#include <utility>

namespace catena::coordinator {

bool FileQueue::add(actors::FileCall call) {
  const auto bytes = content_bytes(call.ask);
  if (size_ >= limits_.calls || bytes_ + bytes > limits_.bytes) return false;
  ++size_;
  bytes_ += bytes;
  waiting_.push_back(std::move(call));
  return true;
}

std::optional<FileQueue::Start> FileQueue::next() {
  const auto place = std::ranges::find_if(under_way_, [](const auto& bytes) { return !bytes.has_value(); });
  if (waiting_.empty() || place == under_way_.end()) return std::nullopt;
  Start start{static_cast<std::size_t>(place - under_way_.begin()), std::move(waiting_.front())};
  waiting_.pop_front();
  *place = content_bytes(start.call.ask);
  return start;
}

void FileQueue::answered(std::size_t place) {
  auto& bytes = under_way_.at(place);
  if (!bytes) return;
  --size_;
  bytes_ -= *bytes;
  bytes.reset();
}

void FileQueue::drop_waiting() {
  for (const auto& call : waiting_) bytes_ -= content_bytes(call.ask);
  size_ -= waiting_.size();
  waiting_.clear();
}

}  // namespace catena::coordinator
