#include "actors/line_messages.hpp"

#include <caf/actor_cast.hpp>
#include <caf/send.hpp>
#include <memory>
#include <utility>

#include "actors/protocol.hpp"

namespace catena::actors {

void deliver(const link::LinePtr& line, const caf::actor& to) {
  const std::weak_ptr<link::Line> weak_line{line};  // it owns the receiver
  const auto weak_actor = caf::actor_cast<caf::weak_actor_ptr>(to);
  line->deliver_to({[=](std::vector<link::Frame> frames) {
                      const auto here = weak_line.lock();
                      const auto actor = caf::actor_cast<caf::actor>(weak_actor);
                      if (actor && here) caf::anon_send(actor, LineFrames{here, std::move(frames)});
                    },
                    [=](const std::string& why) {
                      const auto here = weak_line.lock();
                      const auto actor = caf::actor_cast<caf::actor>(weak_actor);
                      if (actor && here) caf::anon_send(actor, LineOver{here, why});
                    }});
}

}  // namespace catena::actors
