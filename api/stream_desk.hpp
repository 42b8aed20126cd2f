#pragma once
// The desk's part that is about streams: has readers read what is next, sends it to clients, and hears of growth from the journal. What happens when
// is decided by a StreamRoom.
#include <caf/actor.hpp>
#include <caf/event_based_actor.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>

#include "api/desk.hpp"
#include "api/stream_room.hpp"

namespace catena::api {

/// One that a client reads. A reader has the source while it reads, and the desk at all other times.
struct Stream {
  StreamId id = 0;
  StreamSource source;
  StreamForm form = StreamForm::lines;
  StreamRoom::Topic topic = {};
  std::shared_ptr<Outlet> outlet;
  bool begun = false;             // its head was sent
  std::function<bool()> allowed;  // whether its client may go on; null: whoever began may
};

class StreamDesk {
 public:
  /// `next_reader`: who reads the next piece.
  StreamDesk(caf::event_based_actor* self, caf::actor journal, const StreamLimits& limits, std::function<const caf::actor&()> next_reader)
      : self_{self}, journal_{std::move(journal)}, room_{limits}, next_reader_{std::move(next_reader)} {}

  /// False: there is no room, and the request is to be answered otherwise.
  [[nodiscard]] bool enter(const Asking& asking, StreamSource source);
  [[nodiscard]] std::size_t size() const { return streams_.size(); }
  void take_piece(const StreamRead& read);
  void take_written(const StreamWritten& written);
  void grow(const ChainId& topic);
  void take_time(const StreamsDue& due);
  /// Each reader is told that the coordinator ends.
  void end();

 private:
  void follow(const ChainId& topic);
  void write(Stream& stream, std::string text);
  void leave(StreamId id);
  void end(StreamId id, std::string last);
  void go_on();
  void send_heartbeats();
  [[nodiscard]] std::int64_t now_ms() const;

  caf::event_based_actor* self_;
  caf::actor journal_;
  StreamRoom room_;
  std::function<const caf::actor&()> next_reader_;
  std::map<StreamId, std::shared_ptr<Stream>> streams_;
  bool follows_feed_ = false;
  std::set<std::int64_t> timers_;  // that are out: when they come
};

}  // namespace catena::api
