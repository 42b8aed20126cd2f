// Any bytes as what another node sends once its link stands: as an encoded message, as frames of a link, and as a message that goes over one.
#include <algorithm>
#include <array>
#include <iterator>

#include "actors/wire.hpp"
#include "link/frame_bytes.hpp"
#include "link/link.hpp"
#include "tests/fuzz/check.hpp"
#include "tests/fuzz/targets.hpp"

namespace catena::fuzz {
namespace {

/// What was read is written as it was meant: reading it once more gives the same.
void read_and_write_message(std::string_view bytes) {
  const auto message = actors::decode_message(bytes);
  if (!message) {
    check(message.error().code == Code::connection_failed && !message.error().message.empty(), "a damaged message says so");
    return;
  }
  const auto written = actors::encode(*message);
  const auto again = actors::decode_message(written);
  check(again.has_value(), "what was written can be read");
  check(again->index() == message->index() && actors::encode(*again) == written, "reading and writing changes nothing");
}

/// Each frame is four bytes, what it says of itself, its number, what it acknowledges and its length, and then what it carries.
void take_frames(std::string_view text) {
  constexpr std::size_t kHead = 4;
  constexpr std::size_t kMessageMax = 256;
  link::Link link{{.frame_bytes = 64, .window_bytes = 1024, .message_bytes = kMessageMax}};
  link.send("what may be acknowledged");
  static_cast<void>(link.outgoing());
  std::size_t came = 0;
  std::size_t told = 0;
  while (text.size() >= kHead) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    link::Frame frame;
    frame.ends = (byte(0) & 1U) != 0;
    frame.number = byte(1);
    frame.acked = byte(2);
    frame.bytes = text.substr(kHead, byte(3));
    text.remove_prefix(kHead + frame.bytes.size());
    came += frame.bytes.size();
    const auto messages = link.receive(std::move(frame));
    if (!messages) {
      check(messages.error().code == Code::connection_failed && !messages.error().message.empty(), "a broken link says why");
      return;
    }
    for (const auto& message : *messages) {
      check(message.size() <= kMessageMax, "no message is over the limit");
      told += message.size();
      read_and_write_message(message);
    }
    check(told <= came, "messages have no more bytes than came");
  }
}

/// What one end of a link sends arrives at the other as it was, through frames and a window that are smaller.
void carry(std::string_view text) {
  const link::LinkLimits limits{.frame_bytes = 16, .window_bytes = 320, .message_bytes = 64UL << 20U};
  link::Link here{limits};
  link::Link there{limits};
  const std::array sent{std::string{text}, std::string{}, std::string{text.substr(text.size() / 2)}};
  for (const auto& message : sent) here.send(message);
  std::vector<std::string> arrived;
  while (arrived.size() < sent.size()) {
    auto frames = here.outgoing();
    check(!frames.empty(), "a link does not stand still");
    for (auto& frame : frames) {
      auto messages = there.receive(std::move(frame));
      check(messages.has_value(), "a link does not break by itself");
      std::move(messages->begin(), messages->end(), std::back_inserter(arrived));
    }
    for (auto& frame : there.outgoing()) check(here.receive(std::move(frame)).has_value(), "an acknowledgement is understood");
  }
  check(std::ranges::equal(arrived, sent), "messages arrive as they were sent, in order");
}

/// The bytes as a stream, in one piece and in two: the same frames come out of it, and written again they are the same bytes.
void read_stream(std::string_view text) {
  link::FrameReader whole;
  const auto frames = whole.feed(text);
  link::FrameReader cut;
  auto first = cut.feed(text.substr(0, text.size() / 3));
  auto second = first ? cut.feed(text.substr(text.size() / 3)) : std::move(first);
  check(frames.has_value() == second.has_value(), "where a stream is cut changes nothing");
  if (!frames) return;
  std::string written;
  for (const auto& frame : *frames) {
    check(frame.bytes.size() <= link::kFrameBytesMax, "no frame is over the limit");
    link::append_frame(written, frame);
  }
  check(text.starts_with(written), "frames are written as they were read");
}

}  // namespace

void fuzz_wire(std::string_view text) {
  read_and_write_message(text);
  take_frames(text);
  carry(text);
  read_stream(text);
}

}  // namespace catena::fuzz
