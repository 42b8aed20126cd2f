#pragma once
// Streams that clients read: pure. A stream is an entry here and nothing else, no thread and no actor. It is read when there is something new, and
// only when its client has taken the piece before.
//
//   due -> reading -> writing -> due      there is more, or it has grown since it was read
//                             -> idle     it has told all; what it waits for is its topic
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/ids.hpp"

namespace catena::api {

using StreamId = std::uint64_t;

struct StreamLimits {
  std::size_t streams = 2000;
  std::size_t read_at_once = 2;      // further ones wait, so that other requests get their turn
  std::size_t bytes = 128UL << 20U;  // of pieces that clients have not taken yet; beyond that nothing is read
  std::int64_t apart_ms = 50;        // between two readings of a stream that had told all: what happens together is read together
  std::int64_t heartbeat_ms = 15'000;
};

class StreamRoom {
 public:
  explicit StreamRoom(StreamLimits limits) : limits_{limits} {}

  /// What a stream waits for: the growth of a chain's history; of the feed, where the id is empty; of nothing.
  using Topic = std::optional<ChainId>;

  /// It is due at once. Nothing: there is no room.
  [[nodiscard]] std::optional<StreamId> enter(const Topic& topic, std::int64_t now_ms);
  void leave(StreamId stream);
  void grow(const ChainId& topic, std::int64_t now_ms);
  /// Somebody waits for its growth.
  [[nodiscard]] bool is_followed(const ChainId& topic) const { return topics_.contains(topic); }

  /// Those that are to be read now, which begin to be.
  [[nodiscard]] std::vector<StreamId> begin_reading(std::int64_t now_ms);
  /// It was read, and its client is sent so many bytes. `more`: there is more already.
  void end_reading(StreamId stream, std::size_t bytes, bool more);
  /// Its client has taken them.
  void end_writing(StreamId stream, std::int64_t now_ms);

  /// All whose heartbeat is due: they may be idle or not.
  [[nodiscard]] std::vector<StreamId> heartbeats(std::int64_t now_ms);
  [[nodiscard]] bool is_idle(StreamId stream) const;
  /// It was idle, and its client is sent a heartbeat of so many bytes.
  void begin_heartbeat(StreamId stream, std::size_t bytes);

  /// When there is something to do.
  [[nodiscard]] std::optional<std::int64_t> next_due_ms() const;
  [[nodiscard]] std::size_t size() const { return streams_.size(); }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  enum class State : std::uint8_t { due, reading, writing, idle };
  struct Entry {
    Topic topic;
    State state = State::due;
    std::int64_t due_ms = 0;        // where it is due
    std::int64_t heartbeat_ms = 0;  // when its heartbeat is
    std::int64_t read_ms = 0;       // when it was read last
    std::uint64_t seen = 0;         // growth of its topic that it was read behind
    std::size_t bytes = 0;          // its client has not taken
    bool more = false;
  };
  struct Followed {
    std::uint64_t growth = 0;
    std::size_t streams = 0;
    std::set<StreamId> idle;
  };
  using Entries = std::map<StreamId, Entry>;
  void make_due(StreamId stream, Entry& entry, std::int64_t due_ms);
  [[nodiscard]] bool may_read() const { return reading_ < limits_.read_at_once && bytes_ < limits_.bytes; }
  /// Null: it waits for nothing.
  [[nodiscard]] Followed* followed_by(const Entry& entry);

  StreamLimits limits_;
  StreamId last_ = 0;
  Entries streams_;
  std::map<ChainId, Followed> topics_;
  std::set<std::pair<std::int64_t, StreamId>> due_;
  std::set<std::pair<std::int64_t, StreamId>> heartbeats_;
  std::size_t reading_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace catena::api
