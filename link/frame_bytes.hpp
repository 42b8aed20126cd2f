#pragma once
// Frames as the bytes of a connection: a head of fixed size, then the piece. Pure. What comes is read with suspicion: a head says how much
// follows, and what is too much is refused before memory is taken for it.
//   length (4 bytes) number (8) acked (8) flags (1: the message ends), all big-endian
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "link/line.hpp"

namespace catena::link {

/// Of the piece in a frame.
inline constexpr std::size_t kFrameBytesMax = 64UL << 10U;

void append_frame(std::string& bytes, const Frame& frame);

class FrameReader {
 public:
  /// The frames that are complete with these bytes. Error: connection_failed; nothing can be read any more then.
  [[nodiscard]] Result<std::vector<Frame>> feed(std::string_view bytes);

 private:
  [[nodiscard]] bool fill_up_to(std::size_t size, std::string_view& bytes);
  std::string partial_;  // less than a frame
};

}  // namespace catena::link
