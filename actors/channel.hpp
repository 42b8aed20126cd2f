#pragma once
// A node's end of a line as messages: a link::Link over its link::Line. For one actor, or one thread. The line ends with it.
#include <string>
#include <vector>

#include "actors/line_messages.hpp"
#include "actors/protocol.hpp"
#include "link/link.hpp"

namespace catena::actors {

class Channel {
 public:
  explicit Channel(link::LinePtr line, link::LinkLimits limits = {}) : line_{std::move(line)}, link_{limits} {}
  ~Channel() { line_->end(); }
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  [[nodiscard]] bool uses(const link::LinePtr& line) const { return line == line_; }
  [[nodiscard]] const link::Link& link() const { return link_; }
  void set_message_bytes(std::size_t most) { link_.set_message_bytes(most); }
  void deliver_to(const caf::actor& actor) const { deliver(line_, actor); }

  /// Leaves with flush().
  void say(const NodeMessage& message);
  void say_bytes(std::string message) { link_.send(std::move(message)); }
  /// Sends what the window lets leave. True: frames left that the other side will say to have.
  bool flush();
  /// Says what has come, unless that was said already.
  void acknowledge();
  /// What the frames of its line complete. Error: connection_failed; the channel is to be given up.
  [[nodiscard]] Result<std::vector<NodeMessage>> decode(std::vector<link::Frame> frames);

 private:
  link::LinePtr line_;
  link::Link link_;
};

}  // namespace catena::actors
