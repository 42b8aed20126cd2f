#include "actors/line_messages.hpp"

#include <caf/actor_cast.hpp>
#include <caf/send.hpp>
#include <memory>
#include <utility>

#include "actors/protocol.hpp"

namespace catena::actors {

void deliver(const LinePtr& line, const caf::actor& to) {
  const std::weak_ptr<Line> weak_line{line};  // it owns the receiver
  const auto weak_actor = caf::actor_cast<caf::weak_actor_ptr>(to);
  line->deliver_to({[=](std::vector<Frame> frames) {
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

std::size_t cost_of(const std::vector<Frame>& frames) {
  std::size_t cost = 0;
  for (const auto& frame : frames) cost += cost_of(frame);
  return cost;
}

}  // namespace catena::actors
