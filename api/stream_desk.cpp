#include "api/stream_desk.hpp"

#include <algorithm>
#include <caf/send.hpp>
#include <chrono>
#include <string>
#include <utility>

namespace catena::api {

bool StreamDesk::enter(const Asking& asking, StreamSource source) {
  const auto topic = source.topic();
  const bool followed = topic && room_.is_followed(*topic);
  const auto id = room_.enter(topic, now_ms());
  if (!id) return false;
  const auto form = source.form();
  // A proxy that collects an answer before it hands it on would keep events back.
  Answer head{200, {}, std::string{media_type(form)}, {{"X-Accel-Buffering", "no"}}};
  auto outlet = asking.begin(std::move(head));
  streams_.emplace(
      *id, std::make_shared<Stream>(
               Stream{.id = *id, .source = std::move(source), .form = form, .topic = topic, .outlet = std::move(outlet), .allowed = asking.allowed}));
  if (topic && !followed) follow(*topic);
  go_on();
  return true;
}

void StreamDesk::take_piece(const StreamRead& read) {
  auto& stream = *read.stream;
  if (!streams_.contains(stream.id)) return;
  auto& piece = *read.piece;
  room_.end_reading(stream.id, piece.text.size(), piece.more);
  if (piece.over) {
    end(stream.id, std::move(piece.text));
  } else if (piece.text.empty() && stream.begun) {
    room_.end_writing(stream.id, now_ms());
  } else {
    stream.begun = true;
    write(stream, std::move(piece.text));  // the first has the head of the answer with it
  }
  go_on();
}

void StreamDesk::take_written(const StreamWritten& written) {
  if (!streams_.contains(written.stream)) return;
  if (written.taken) {
    room_.end_writing(written.stream, now_ms());
  } else {
    leave(written.stream);
  }
  go_on();
}

void StreamDesk::grow(const ChainId& topic) {
  room_.grow(topic, now_ms());
  go_on();
}

void StreamDesk::take_time(const StreamsDue& due) {
  timers_.erase(due.timer_ms);
  send_heartbeats();
  go_on();
}

void StreamDesk::end() {
  for (auto& [id, stream] : std::exchange(streams_, {})) {
    stream->outlet->end(closing_remark(stream->form, "the coordinator ends"));
    room_.leave(id);
  }
}

void StreamDesk::send_heartbeats() {
  for (const auto id : room_.heartbeats(now_ms())) {
    auto& stream = *streams_.at(id);
    if (stream.allowed && !stream.allowed()) {
      end(id, closing_remark(stream.form, "the access token is not valid any more"));
      continue;
    }
    if (!room_.is_idle(id)) continue;
    auto text = stream.source.heartbeat();
    room_.begin_heartbeat(id, text.size());
    write(stream, std::move(text));
  }
}

void StreamDesk::follow(const ChainId& topic) {
  if (!journal_) return;
  if (!topic.value.empty()) return self_->send(journal_, actors::FollowChain{topic});
  if (!std::exchange(follows_feed_, true)) self_->send(journal_, actors::FollowFeed{});
}

void StreamDesk::write(Stream& stream, std::string text) {
  stream.outlet->write(std::move(text), [desk = caf::actor{self_}, id = stream.id](bool taken) { caf::anon_send(desk, StreamWritten{id, taken}); });
}

void StreamDesk::leave(StreamId id) {
  const auto found = streams_.find(id);
  const auto topic = found->second->topic;
  streams_.erase(found);
  room_.leave(id);
  if (journal_ && topic && !topic->value.empty() && !room_.is_followed(*topic)) self_->send(journal_, actors::StopFollowingChain{*topic});
}

void StreamDesk::end(StreamId id, std::string last) {
  streams_.at(id)->outlet->end(std::move(last));
  leave(id);
}

void StreamDesk::go_on() {
  const auto now = now_ms();
  for (const auto id : room_.begin_reading(now)) self_->send(next_reader_(), ReadStream{streams_.at(id)});
  const auto due = room_.next_due_ms();
  // A timer cannot be taken back, so one that comes in time will do: each that is set is earlier than all that are out.
  if (!due || (!timers_.empty() && *timers_.begin() <= *due)) return;
  timers_.insert(*due);
  self_->delayed_send(self_, std::chrono::milliseconds{std::max<std::int64_t>(*due - now, 1)}, StreamsDue{*due});
}

std::int64_t StreamDesk::now_ms() const {
  return std::chrono::duration_cast<std::chrono::milliseconds>(self_->clock().now().time_since_epoch()).count();
}

}  // namespace catena::api
