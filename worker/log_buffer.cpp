#include "worker/log_buffer.hpp"

namespace catena::worker {

void LogBuffer::offer(actors::LogPiece piece) {
  bool wakes = false;
  {
    const std::scoped_lock lock{mutex_};
    bytes_ += piece.cost();
    pieces_.push_back(std::move(piece));
    while (bytes_ > bytes_max_ && !pieces_.empty()) {
      bytes_ -= pieces_.front().cost();
      dropped_ += pieces_.front().text.size();
      pieces_.pop_front();
    }
    wakes = !pieces_.empty() && !std::exchange(told_, true);
  }
  if (wakes && wake_) wake_();
}

LogBuffer::Taken LogBuffer::take(std::uint64_t most) {
  const std::scoped_lock lock{mutex_};
  Taken taken;
  while (!pieces_.empty() && taken.bytes + pieces_.front().cost() <= most) {
    taken.bytes += pieces_.front().cost();
    taken.pieces.push_back(std::move(pieces_.front()));
    pieces_.pop_front();
  }
  bytes_ -= taken.bytes;
  if (!taken.pieces.empty()) taken.dropped = std::exchange(dropped_, 0);
  told_ = !pieces_.empty();
  return taken;
}

}  // namespace catena::worker
