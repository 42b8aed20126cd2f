#include "link/frame_bytes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace catena::link {
namespace {

constexpr std::size_t kLengthBytes = 4;
constexpr std::size_t kNumberBytes = 8;
constexpr std::size_t kHeadBytes = kLengthBytes + 2 * kNumberBytes + 1;
constexpr unsigned char kEnds = 1;
constexpr unsigned kBitsOfByte = 8;

void append_number(std::string& bytes, std::uint64_t number, std::size_t size) {
  for (auto left = size; left > 0; --left) bytes += static_cast<char>((number >> (kBitsOfByte * (left - 1))) & 0xffU);
}

std::uint64_t read_number(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t number = 0;
  for (const char byte : bytes.substr(at, size)) number = number << kBitsOfByte | static_cast<unsigned char>(byte);
  return number;
}

/// Of the whole frame, by its head.
Result<std::size_t> size_of(std::string_view head) {
  const auto length = read_number(head, 0, kLengthBytes);
  if (length > kFrameBytesMax)
    return fail(Code::connection_failed, fmt::format("a frame claims {} bytes, of which there can be {}", length, kFrameBytesMax));
  const auto flags = static_cast<unsigned char>(head[kHeadBytes - 1]);
  if (flags > kEnds) return fail(Code::connection_failed, fmt::format("a frame has the flags {}, which mean nothing", flags));
  return kHeadBytes + static_cast<std::size_t>(length);
}

Frame frame_of(std::string_view whole) {
  Frame frame;
  frame.number = read_number(whole, kLengthBytes, kNumberBytes);
  frame.acked = read_number(whole, kLengthBytes + kNumberBytes, kNumberBytes);
  frame.ends = static_cast<unsigned char>(whole[kHeadBytes - 1]) == kEnds;
  frame.bytes = whole.substr(kHeadBytes);
  return frame;
}

}  // namespace

void append_frame(std::string& bytes, const Frame& frame) {
  append_number(bytes, frame.bytes.size(), kLengthBytes);
  append_number(bytes, frame.number, kNumberBytes);
  append_number(bytes, frame.acked, kNumberBytes);
  bytes += static_cast<char>(frame.ends ? kEnds : 0);
  bytes += frame.bytes;
}

/// False: there are not so many bytes yet.
bool FrameReader::fill_up_to(std::size_t size, std::string_view& bytes) {
  const auto more = std::min(bytes.size(), size - std::min(size, partial_.size()));
  partial_.append(bytes.substr(0, more));
  bytes.remove_prefix(more);
  return partial_.size() >= size;
}

Result<std::vector<Frame>> FrameReader::feed(std::string_view bytes) {
  std::vector<Frame> frames;
  if (!partial_.empty()) {
    if (!fill_up_to(kHeadBytes, bytes)) return frames;
    const auto size = size_of(partial_);
    if (!size) return fail(size.error());
    if (!fill_up_to(*size, bytes)) return frames;
    frames.push_back(frame_of(partial_));
    partial_.clear();
  }
  while (bytes.size() >= kHeadBytes) {
    const auto size = size_of(bytes);
    if (!size) return fail(size.error());
    if (bytes.size() < *size) break;
    frames.push_back(frame_of(bytes.substr(0, *size)));
    bytes.remove_prefix(*size);
  }
  partial_ = bytes;
  return frames;
}

}  // namespace catena::link
