#include "base/packed_fields.hpp"

#include <cstring>
#include <utility>

namespace catena {
namespace {

// https://github.com/msgpack/msgpack/blob/master/spec.md
constexpr unsigned char kFixMap = 0x80, kFixList = 0x90, kFixText = 0xa0, kNil = 0xc0, kFalse = 0xc2, kTrue = 0xc3;
constexpr unsigned char kBinary8 = 0xc4, kBinary16 = 0xc5, kBinary32 = 0xc6;
constexpr unsigned char kUnsigned8 = 0xcc, kUnsigned16 = 0xcd, kUnsigned32 = 0xce, kUnsigned64 = 0xcf;
constexpr unsigned char kSigned8 = 0xd0, kSigned16 = 0xd1, kSigned32 = 0xd2, kSigned64 = 0xd3;
constexpr unsigned char kText8 = 0xd9, kText16 = 0xda, kText32 = 0xdb, kList16 = 0xdc, kList32 = 0xdd, kMap16 = 0xde, kMap32 = 0xdf;

constexpr unsigned kByteBits = 8;
constexpr std::size_t kShortText = 32;
constexpr std::size_t kShortList = 16;
constexpr std::int64_t kShortNegative = -32;

}  // namespace

void BytePacker::big_endian(std::uint64_t number, unsigned bytes) {
  for (auto left = bytes; left > 0; --left) put(static_cast<unsigned char>((number >> (kByteBits * (left - 1))) & 0xffU));
}

void BytePacker::number(std::uint64_t number) {
  if (number < kFixMap) return put(static_cast<unsigned char>(number));
  if (std::in_range<std::uint8_t>(number)) return put(kUnsigned8), big_endian(number, 1);
  if (std::in_range<std::uint16_t>(number)) return put(kUnsigned16), big_endian(number, 2);
  if (std::in_range<std::uint32_t>(number)) return put(kUnsigned32), big_endian(number, 4);
  put(kUnsigned64), big_endian(number, 8);
}

void BytePacker::signed_number(std::int64_t what) {
  const auto bits = static_cast<std::uint64_t>(what);
  if (what >= 0) return number(bits);
  if (what >= kShortNegative) return put(static_cast<unsigned char>(bits & 0xffU));
  if (std::in_range<std::int8_t>(what)) return put(kSigned8), big_endian(bits, 1);
  if (std::in_range<std::int16_t>(what)) return put(kSigned16), big_endian(bits, 2);
  if (std::in_range<std::int32_t>(what)) return put(kSigned32), big_endian(bits, 4);
  put(kSigned64), big_endian(bits, 8);
}

void BytePacker::text(std::string_view text) {
  if (text.size() < kShortText) {
    put(static_cast<unsigned char>(kFixText | text.size()));
  } else if (std::in_range<std::uint8_t>(text.size())) {
    put(kText8), big_endian(text.size(), 1);
  } else if (std::in_range<std::uint16_t>(text.size())) {
    put(kText16), big_endian(text.size(), 2);
  } else {
    put(kText32), big_endian(text.size(), 4);
  }
  out_.append(text);
}

void BytePacker::binary(std::string_view bytes) {
  if (std::in_range<std::uint8_t>(bytes.size())) {
    put(kBinary8), big_endian(bytes.size(), 1);
  } else if (std::in_range<std::uint16_t>(bytes.size())) {
    put(kBinary16), big_endian(bytes.size(), 2);
  } else {
    put(kBinary32), big_endian(bytes.size(), 4);
  }
  out_.append(bytes);
}

void BytePacker::list(std::size_t size) {
  if (size < kShortList) return put(static_cast<unsigned char>(kFixList | size));
  if (std::in_range<std::uint16_t>(size)) return put(kList16), big_endian(size, 2);
  put(kList32), big_endian(size, 4);
}

void BytePacker::map(std::size_t size) {
  if (size < kShortList) return put(static_cast<unsigned char>(kFixMap | size));
  if (std::in_range<std::uint16_t>(size)) return put(kMap16), big_endian(size, 2);
  put(kMap32), big_endian(size, 4);
}

void BytePacker::flag(bool flag) { put(flag ? kTrue : kFalse); }
void BytePacker::nothing() { put(kNil); }
void BytePacker::json(const Json& json) { Json::to_msgpack(json, out_); }

void BytePacker::Members::add(const char* name) {
  members_.at(count_) = {name, packer_.out_.size()};  // a type with more members is a mistake that must not write beyond
  ++count_;
  packer_.text(name);
}

/// What stands there is written again behind itself, then what was there first goes.
void BytePacker::Members::close() {
  auto& out = packer_.out_;
  const auto end = out.size();
  // Sorted by insertion: there are few members, and most are in order.
  std::array<std::size_t, kMembersMax> order;
  for (std::size_t member = 0; member < count_; ++member) {
    auto place = member;
    for (; place > 0 && std::strcmp(members_[order[place - 1]].name, members_[member].name) > 0; --place) order[place] = order[place - 1];
    order[place] = member;
  }
  packer_.map(count_);
  out.reserve(out.size() + end - begin_);  // what is appended lies in the same text
  for (std::size_t place = 0; place < count_; ++place) {
    const auto member = order[place];
    const auto member_end = member + 1 < count_ ? members_[member + 1].at : end;
    out.append(out.data() + members_[member].at, member_end - members_[member].at);
  }
  out.erase(begin_, end - begin_);
}

}  // namespace catena
