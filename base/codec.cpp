#include "base/codec.hpp"

#include <algorithm>
#include <limits>

#include "base/limits.hpp"

namespace catena::codec {
namespace {

// The first bytes of MessagePack's forms (https://github.com/msgpack/msgpack/blob/master/spec.md).
constexpr unsigned char kFixList = 0x90, kNil = 0xc0, kFalse = 0xc2, kTrue = 0xc3;
constexpr unsigned char kBytes8 = 0xc4, kBytes16 = 0xc5, kBytes32 = 0xc6, kExt8 = 0xc7, kExt16 = 0xc8, kExt32 = 0xc9, kFloat32 = 0xca,
                        kFloat64 = 0xcb;
constexpr unsigned char kUnsigned8 = 0xcc, kUnsigned16 = 0xcd, kUnsigned32 = 0xce, kUnsigned64 = 0xcf;
constexpr unsigned char kSigned8 = 0xd0, kSigned16 = 0xd1, kSigned32 = 0xd2, kSigned64 = 0xd3, kFixExt1 = 0xd4, kFixExt16 = 0xd8;
constexpr unsigned char kText8 = 0xd9, kText16 = 0xda, kText32 = 0xdb, kList16 = 0xdc, kList32 = 0xdd, kMap16 = 0xde, kMap32 = 0xdf, kNegative = 0xe0;

constexpr unsigned kByteBits = 8;
/// What a message may take of memory: no honest one comes near.
constexpr std::size_t kMemoryLeast = 64UL << 10U;
constexpr std::size_t kMemoryPerByte = 16;

/// Brackets outside of strings, counted and not followed.
bool nests_too_deep(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (in_string) {
      if (c == '\\') ++at;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > limits::kNestingMax) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

/// Writes a head and the low `bytes` bytes of a number, the highest first. Returns the place behind them.
char* put(char* at, unsigned char head, std::uint64_t number, unsigned bytes) {
  *at++ = static_cast<char>(head);
  for (auto left = bytes; left > 0; --left) *at++ = static_cast<char>((number >> (kByteBits * (left - 1))) & 0xffU);
  return at;
}

}  // namespace

// ---- writing ----------------------------------------------------------------------------------------------------------

void Writer::grow(std::size_t bytes) {
  constexpr std::size_t kLeast = 128;
  bytes_.resize(std::max({kLeast, 2 * bytes_.size(), size_ + bytes}));
}

void Writer::large_number(char* at, std::uint64_t number) {
  if (number <= std::numeric_limits<std::uint8_t>::max()) {
    at = put(at, kUnsigned8, number, 1);
  } else if (number <= std::numeric_limits<std::uint16_t>::max()) {
    at = put(at, kUnsigned16, number, 2);
  } else if (number <= std::numeric_limits<std::uint32_t>::max()) {
    at = put(at, kUnsigned32, number, 4);
  } else {
    at = put(at, kUnsigned64, number, 8);
  }
  size_ = static_cast<std::size_t>(at - bytes_.data());
}

void Writer::negative_number(std::int64_t number) {
  constexpr std::int64_t kShortLeast = -32;
  auto* at = room(kHeadBytesMax);
  if (number >= kShortLeast) {
    *at++ = static_cast<char>(number);
  } else {
    at = put(at, kSigned64, static_cast<std::uint64_t>(number), 8);
  }
  size_ = static_cast<std::size_t>(at - bytes_.data());
}

char* Writer::put_text_head(char* at, std::size_t size) {
  if (size <= std::numeric_limits<std::uint8_t>::max()) return put(at, kText8, size, 1);
  if (size <= std::numeric_limits<std::uint16_t>::max()) return put(at, kText16, size, 2);
  return put(at, kText32, size, 4);
}

void Writer::list(std::size_t size) {
  constexpr std::size_t kShort = 16;
  auto* at = room(kHeadBytesMax);
  if (size < kShort) {
    *at++ = static_cast<char>(kFixList | size);
  } else {
    at = put(at, kList32, size, 4);
  }
  size_ = static_cast<std::size_t>(at - bytes_.data());
}

void Writer::map(std::size_t size) {
  const auto* const end = put(room(kHeadBytesMax), kMap32, size, 4);
  size_ = static_cast<std::size_t>(end - bytes_.data());
}

// ---- reading ----------------------------------------------------------------------------------------------------------

Reader::Reader(std::string_view bytes) : bytes_{bytes}, memory_left_{kMemoryLeast + kMemoryPerByte * bytes.size()} {}

bool Reader::take_memory(std::size_t bytes) {
  if (failed_ || bytes_.empty() || bytes > memory_left_) {
    fail();
    return false;
  }
  memory_left_ -= bytes;
  return true;
}

unsigned char Reader::head() {
  if (bytes_.empty()) {
    fail();
    return kNil;
  }
  const auto first = static_cast<unsigned char>(bytes_.front());
  bytes_.remove_prefix(1);
  return first;
}

std::uint64_t Reader::big_endian(unsigned bytes) {
  if (bytes_.size() < bytes) {
    fail();
    return 0;
  }
  std::uint64_t number = 0;
  for (unsigned at = 0; at < bytes; ++at) number = number << kByteBits | static_cast<unsigned char>(bytes_[at]);
  bytes_.remove_prefix(bytes);
  return number;
}

bool Reader::flag() {
  const auto first = head();
  if (first != kTrue && first != kFalse) fail();
  return first == kTrue;
}

Reader::Number Reader::any_number() {
  const auto first = head();
  const auto sign_extended = [this](unsigned bytes) {
    const auto unused = kByteBits * (static_cast<unsigned>(sizeof(std::uint64_t)) - bytes);
    const auto value = static_cast<std::int64_t>(big_endian(bytes) << unused) >> unused;
    return Number{static_cast<std::uint64_t>(value), value < 0};
  };
  if (first < kFixMap) return {first, false};
  if (first >= kNegative) return {static_cast<std::uint64_t>(static_cast<std::int8_t>(first)), true};
  switch (first) {
    case kUnsigned8: return {big_endian(1), false};
    case kUnsigned16: return {big_endian(2), false};
    case kUnsigned32: return {big_endian(4), false};
    case kUnsigned64: return {big_endian(8), false};
    case kSigned8: return sign_extended(1);
    case kSigned16: return sign_extended(2);
    case kSigned32: return sign_extended(4);
    case kSigned64: return sign_extended(8);
    default: fail(); return {};
  }
}

std::string_view Reader::any_text() {
  const auto first = head();
  std::uint64_t size = 0;
  if ((first & 0xe0U) == kFixText) {
    size = first & 0x1fU;
  } else if (first == kText8 || first == kBytes8) {
    size = big_endian(1);
  } else if (first == kText16 || first == kBytes16) {
    size = big_endian(2);
  } else if (first == kText32 || first == kBytes32) {
    size = big_endian(4);
  } else {
    fail();
  }
  if (size > bytes_.size()) fail();
  if (failed_) return {};
  const auto text = bytes_.substr(0, size);
  bytes_.remove_prefix(size);
  return text;
}

std::size_t Reader::list() {
  const auto first = head();
  if ((first & 0xf0U) == kFixList) return first & 0x0fU;
  if (first == kList16) return big_endian(2);
  if (first == kList32) return big_endian(4);
  fail();
  return 0;
}

std::size_t Reader::map() {
  const auto first = head();
  if ((first & 0xf0U) == kFixMap) return first & 0x0fU;
  if (first == kMap16) return big_endian(2);
  if (first == kMap32) return big_endian(4);
  fail();
  return 0;
}

/// Counts what is still to be passed over: nothing is followed into its depth.
void Reader::skip() {
  for (std::uint64_t left = 1; left > 0 && !failed_; --left) {
    if (bytes_.empty()) return fail();
    const auto first = static_cast<unsigned char>(bytes_.front());
    if ((first & 0xf0U) == kFixMap || first == kMap16 || first == kMap32) {
      left += 2 * static_cast<std::uint64_t>(map());
    } else if ((first & 0xf0U) == kFixList || first == kList16 || first == kList32) {
      left += list();
    } else if ((first & 0xe0U) == kFixText || (first >= kText8 && first <= kText32) || (first >= kBytes8 && first <= kBytes32)) {
      static_cast<void>(text());
    } else if (first == kNil || first == kFalse || first == kTrue) {
      static_cast<void>(head());
    } else if (first < kFixMap || first >= kNegative || (first >= kUnsigned8 && first <= kSigned64)) {
      static_cast<void>(number());
    } else {
      std::uint64_t size = 0;
      static_cast<void>(head());
      if (first == kFloat32)
        size = 4;
      else if (first == kFloat64)
        size = 8;
      else if (first == kExt8)
        size = 1 + big_endian(1);
      else if (first == kExt16)
        size = 1 + big_endian(2);
      else if (first == kExt32)
        size = 1 + big_endian(4);
      else if (first >= kFixExt1 && first <= kFixExt16)
        size = 1 + (1ULL << (first - kFixExt1));
      else
        return fail();
      if (size > bytes_.size()) return fail();
      bytes_.remove_prefix(size);
    }
  }
}

Json Reader::json_text() {
  const auto read = text();
  if (failed_) return {};
  Json json = nests_too_deep(read) ? Json(Json::value_t::discarded) : Json::parse(read, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) fail();
  return json;
}

}  // namespace catena::codec
