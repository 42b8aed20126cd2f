#pragma once
// A connection between two nodes behind its admission, as sessions and uplinks see it: frames go in and come out, in order, until it is over.
// What comes out of it are frames and nothing else: no peer can name an actor, end one, or set a timer.
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace catena::link {

/// A piece of the stream of messages, see link/link.hpp.
struct Frame {
  std::uint64_t number = 0;  // from 1; 0: nothing but an acknowledgement
  std::uint64_t acked = 0;   // the last number received from the other side
  bool ends = true;          // the message is complete with this piece
  std::string bytes;
};

/// What a frame counts for in windows and bounds: many small ones take memory, too.
[[nodiscard]] inline std::size_t cost_of(const Frame& frame) {
  constexpr std::size_t kFrameCost = 64;
  return kFrameCost + frame.bytes.size();
}
[[nodiscard]] inline std::size_t cost_of(const std::vector<Frame>& frames) {
  std::size_t cost = 0;
  for (const auto& frame : frames) cost += cost_of(frame);
  return cost;
}

/// Who is at the other end, as its admission showed it.
struct Peer {
  std::string address;  // "host:port" on the network
  std::string role;     // worker, client
  std::string subject;  // the name in its certificate; empty on plain links
  friend bool operator==(const Peer&, const Peer&) = default;
};

/// All members may be called from any thread, and none waits. What a receiver is called with it puts aside: it must not call the line.
class Line {
 public:
  struct Receiver {
    std::function<void(std::vector<Frame> frames)> frames;
    std::function<void(const std::string& why)> over;  // once; nothing comes after it
  };
  virtual ~Line() = default;
  /// What comes from now on goes there; so does what came before anybody was named.
  virtual void deliver_to(Receiver receiver) = 0;
  virtual void send(std::vector<Frame> frames) = 0;
  /// So much of what was delivered (cost_of) has been dealt with: a line that is too far ahead of its receiver is over.
  virtual void taken(std::size_t cost) = 0;
  /// What was sent before still leaves; then the line is over.
  virtual void end() = 0;
};
using LinePtr = std::shared_ptr<Line>;

}  // namespace catena::link
