#pragma once
// One end of a line between two nodes: an ordered stream of messages over numbered frames, with a window in bytes. Pure: its owner moves the
// frames. A frame out of place breaks the link, and both ends begin anew; nothing is repaired within one, since what is open is known above
// and sent again.
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "link/frame_bytes.hpp"
#include "link/line.hpp"

namespace catena::link {

struct LinkLimits {
  std::size_t frame_bytes = kFrameBytesMax;
  std::size_t window_bytes = 1UL << 20U;     // sent and not acknowledged (cost_of): what a heartbeat may have to wait behind
  std::size_t message_bytes = 256UL << 20U;  // of a message that is put together
};

class Link {
 public:
  explicit Link(LinkLimits limits = {}) : limits_{limits} {}

  /// Takes an encoded message; outgoing() says what may leave of it.
  void send(std::string message);
  /// Frames that may leave now, each once: as many as the window holds, and an acknowledgement where the other side needs one.
  [[nodiscard]] std::vector<Frame> outgoing();
  /// For who has nothing to send for a while: says what has come, unless that was said already.
  [[nodiscard]] std::optional<Frame> acknowledgement();
  /// The messages that are complete with this frame. Error: connection_failed; the link is broken then.
  [[nodiscard]] Result<std::vector<std::string>> receive(Frame frame);
  /// From now on a message may be so large.
  void set_message_bytes(std::size_t most) { limits_.message_bytes = most; }
  /// The last frame that left, and the last of those that the other side has said to have.
  [[nodiscard]] std::uint64_t sent() const { return sent_; }
  [[nodiscard]] std::uint64_t acked() const { return acked_; }
  /// Bytes that wait for the window.
  [[nodiscard]] std::size_t waiting() const { return waiting_bytes_; }
  /// Messages that have not left as a whole.
  [[nodiscard]] std::size_t waiting_messages() const { return waiting_.size(); }

 private:
  struct Sent {
    std::uint64_t number = 0;
    std::size_t cost = 0;
  };
  void acknowledge(std::uint64_t number);

  LinkLimits limits_;
  std::deque<std::string> waiting_;  // messages that have not left as a whole
  std::size_t left_of_first_ = 0;    // bytes of the first of them that have left
  std::size_t waiting_bytes_ = 0;
  std::uint64_t sent_ = 0;   // number of the last frame that left
  std::uint64_t acked_ = 0;  // and of the last that the other side has
  std::deque<Sent> flying_;
  std::size_t flying_cost_ = 0;
  std::uint64_t received_ = 0;      // number of the last frame that came
  std::uint64_t told_ = 0;          // number of the last that the other side knows to have come
  std::size_t unacknowledged_ = 0;  // cost of what came since
  std::string partial_;
};

}  // namespace catena::link
