#include "api/stream_room.hpp"

#include <algorithm>

namespace catena::api {

std::optional<StreamId> StreamRoom::enter(const Topic& topic, std::int64_t now_ms) {
  if (streams_.size() >= limits_.streams) return std::nullopt;
  const auto stream = ++last_;
  auto& entry = streams_[stream];
  entry.topic = topic;
  entry.heartbeat_ms = now_ms + limits_.heartbeat_ms;
  heartbeats_.emplace(entry.heartbeat_ms, stream);
  if (topic) ++topics_[*topic].streams;
  make_due(stream, entry, now_ms);
  return stream;
}

void StreamRoom::leave(StreamId stream) {
  const auto found = streams_.find(stream);
  if (found == streams_.end()) return;
  auto& entry = found->second;
  due_.erase({entry.due_ms, stream});
  heartbeats_.erase({entry.heartbeat_ms, stream});
  if (entry.state == State::reading) --reading_;
  bytes_ -= entry.bytes;
  if (auto* followed = followed_by(entry)) {
    followed->idle.erase(stream);
    if (--followed->streams == 0) topics_.erase(*entry.topic);
  }
  streams_.erase(found);
}

void StreamRoom::grow(const ChainId& topic, std::int64_t now_ms) {
  const auto found = topics_.find(topic);
  if (found == topics_.end()) return;
  ++found->second.growth;
  for (const auto stream : std::exchange(found->second.idle, {})) {
    auto& entry = streams_.at(stream);
    make_due(stream, entry, std::max(now_ms, entry.read_ms + limits_.apart_ms));
  }
}

std::vector<StreamId> StreamRoom::begin_reading(std::int64_t now_ms) {
  std::vector<StreamId> begun;
  while (may_read() && !due_.empty() && due_.begin()->first <= now_ms) {
    const auto stream = due_.begin()->second;
    due_.erase(due_.begin());
    auto& entry = streams_.at(stream);
    entry.state = State::reading;
    entry.read_ms = now_ms;
    if (const auto* followed = followed_by(entry)) entry.seen = followed->growth;
    ++reading_;
    begun.push_back(stream);
  }
  return begun;
}

void StreamRoom::end_reading(StreamId stream, std::size_t bytes, bool more) {
  const auto found = streams_.find(stream);
  if (found == streams_.end()) return;
  auto& entry = found->second;
  --reading_;
  entry.state = State::writing;
  entry.more = more;
  entry.bytes = bytes;
  bytes_ += bytes;
}

void StreamRoom::end_writing(StreamId stream, std::int64_t now_ms) {
  const auto found = streams_.find(stream);
  if (found == streams_.end() || found->second.state != State::writing) return;
  auto& entry = found->second;
  bytes_ -= std::exchange(entry.bytes, 0);
  auto* followed = followed_by(entry);
  if (std::exchange(entry.more, false)) return make_due(stream, entry, now_ms);
  if (followed != nullptr && followed->growth != entry.seen) return make_due(stream, entry, std::max(now_ms, entry.read_ms + limits_.apart_ms));
  entry.state = State::idle;
  if (followed != nullptr) followed->idle.insert(stream);
}

std::vector<StreamId> StreamRoom::heartbeats(std::int64_t now_ms) {
  std::vector<StreamId> all;
  while (!heartbeats_.empty() && heartbeats_.begin()->first <= now_ms) {
    const auto stream = heartbeats_.begin()->second;
    heartbeats_.erase(heartbeats_.begin());
    auto& entry = streams_.at(stream);
    entry.heartbeat_ms = now_ms + limits_.heartbeat_ms;
    heartbeats_.emplace(entry.heartbeat_ms, stream);
    all.push_back(stream);
  }
  return all;
}

bool StreamRoom::is_idle(StreamId stream) const {
  const auto found = streams_.find(stream);
  return found != streams_.end() && found->second.state == State::idle;
}

void StreamRoom::begin_heartbeat(StreamId stream, std::size_t bytes) {
  auto& entry = streams_.at(stream);
  if (auto* followed = followed_by(entry)) followed->idle.erase(stream);
  entry.state = State::writing;
  entry.bytes = bytes;
  bytes_ += bytes;
}

std::optional<std::int64_t> StreamRoom::next_due_ms() const {
  std::optional<std::int64_t> due;
  if (!heartbeats_.empty()) due = heartbeats_.begin()->first;
  if (may_read() && !due_.empty()) due = std::min(due.value_or(due_.begin()->first), due_.begin()->first);
  return due;
}

void StreamRoom::make_due(StreamId stream, Entry& entry, std::int64_t due_ms) {
  entry.state = State::due;
  entry.due_ms = due_ms;
  due_.emplace(due_ms, stream);
}

StreamRoom::Followed* StreamRoom::followed_by(const Entry& entry) { return entry.topic ? &topics_.at(*entry.topic) : nullptr; }

}  // namespace catena::api
