#include "base/packed_reader.hpp"

#include <algorithm>

namespace catena {
namespace {

// https://github.com/msgpack/msgpack/blob/master/spec.md
enum class Kind : std::uint8_t { none, nothing, flag, number, negative, real, text, binary, list, map };

/// What the first bytes of a value say: how long it is, or how many values are in it.
struct Head {
  Kind kind = Kind::none;
  std::size_t bytes = 1;     // of the head
  std::size_t content = 0;   // bytes behind it, of those that have no values in them
  std::uint64_t number = 0;  // the value, or how many values or pairs are in it
};

constexpr unsigned kBitsInByte = 8;

std::uint64_t big_endian(std::string_view bytes) {
  std::uint64_t number = 0;
  for (const char byte : bytes) number = number << kBitsInByte | static_cast<unsigned char>(byte);
  return number;
}

std::uint64_t sign_extended(std::uint64_t number, std::size_t bytes) {
  const auto unused = static_cast<unsigned>(64 - kBitsInByte * bytes);
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(number << unused) >> unused);
}

/// `kind` is none where these bytes are no head of a value.
Head head_of(std::string_view bytes) {
  if (bytes.empty()) return {};
  const auto tag = static_cast<unsigned char>(bytes.front());
  if (tag < 0x80) return {Kind::number, 1, 0, tag};
  if (tag < 0x90) return {Kind::map, 1, 0, tag & 0x0fU};
  if (tag < 0xa0) return {Kind::list, 1, 0, tag & 0x0fU};
  if (tag < 0xc0) return {Kind::text, 1, tag & 0x1fU, 0};
  if (tag >= 0xe0) return {Kind::negative, 1, 0, sign_extended(tag, 1)};
  struct Row {
    Kind kind;
    std::uint8_t size;  // of the number behind the tag
    std::uint8_t more;  // bytes of the content that this number does not count
  };
  static constexpr Row kRows[] = {
      {Kind::nothing, 0, 0},  {Kind::none, 0, 0},     {Kind::flag, 0, 0},     {Kind::flag, 0, 0},                             // c0
      {Kind::binary, 1, 0},   {Kind::binary, 2, 0},   {Kind::binary, 4, 0},                                                   // c4
      {Kind::binary, 1, 1},   {Kind::binary, 2, 1},   {Kind::binary, 4, 1},                                                   // c7: with a type
      {Kind::real, 0, 4},     {Kind::real, 0, 8},                                                                             // ca
      {Kind::number, 1, 0},   {Kind::number, 2, 0},   {Kind::number, 4, 0},   {Kind::number, 8, 0},                           // cc
      {Kind::negative, 1, 0}, {Kind::negative, 2, 0}, {Kind::negative, 4, 0}, {Kind::negative, 8, 0},                         // d0
      {Kind::binary, 0, 2},   {Kind::binary, 0, 3},   {Kind::binary, 0, 5},   {Kind::binary, 0, 9},   {Kind::binary, 0, 17},  // d4
      {Kind::text, 1, 0},     {Kind::text, 2, 0},     {Kind::text, 4, 0},                                                     // d9
      {Kind::list, 2, 0},     {Kind::list, 4, 0},     {Kind::map, 2, 0},      {Kind::map, 4, 0},                              // dc
  };
  const auto& row = kRows[tag - 0xc0U];
  if (bytes.size() < 1U + row.size) return {};
  const auto number = big_endian(bytes.substr(1, row.size));
  Head head{row.kind, 1U + row.size, 0, number};
  if (row.kind == Kind::flag) head.number = tag & 1U;
  if (row.kind == Kind::negative) head.number = sign_extended(number, row.size);
  if (row.kind == Kind::text || row.kind == Kind::binary || row.kind == Kind::real) head.content = number + row.more;
  return head;
}

/// How long the value is that begins here; 0: there is no whole one.
std::size_t length_of(std::string_view bytes) {
  const auto head = head_of(bytes);
  if (head.kind == Kind::none) return 0;
  if (head.kind != Kind::list && head.kind != Kind::map) return head.content <= bytes.size() - head.bytes ? head.bytes + head.content : 0;
  auto at = head.bytes;
  for (auto left = head.number; left > 0; --left) {
    if (head.kind == Kind::map) {
      if (head_of(bytes.substr(at)).kind != Kind::text) return 0;
      const auto name = length_of(bytes.substr(at));
      if (name == 0) return 0;
      at += name;
    }
    const auto length = length_of(bytes.substr(at));
    if (length == 0) return 0;
    at += length;
  }
  return at;
}

}  // namespace

std::optional<PackedValue> PackedValue::whole(std::string_view bytes) {
  if (bytes.empty() || length_of(bytes) != bytes.size()) return std::nullopt;
  return PackedValue{bytes};
}

bool PackedValue::is_nothing() const { return head_of(bytes_).kind == Kind::nothing; }
bool PackedValue::is_unsigned() const { return head_of(bytes_).kind == Kind::number; }
bool PackedValue::is_list() const { return head_of(bytes_).kind == Kind::list; }
bool PackedValue::is_map() const { return head_of(bytes_).kind == Kind::map; }

std::optional<bool> PackedValue::flag() const {
  const auto head = head_of(bytes_);
  return head.kind == Kind::flag ? std::optional{head.number == 1} : std::nullopt;
}

std::optional<std::uint64_t> PackedValue::integer() const {
  const auto head = head_of(bytes_);
  return head.kind == Kind::number || head.kind == Kind::negative ? std::optional{head.number} : std::nullopt;
}

std::optional<std::string_view> PackedValue::text() const {
  const auto head = head_of(bytes_);
  return head.kind == Kind::text ? std::optional{bytes_.substr(head.bytes, head.content)} : std::nullopt;
}

std::optional<std::string_view> PackedValue::binary() const {
  const auto head = head_of(bytes_);
  return head.kind == Kind::binary ? std::optional{bytes_.substr(head.bytes, head.content)} : std::nullopt;
}

Json PackedValue::json() const { return Json::from_msgpack(bytes_.begin(), bytes_.end(), true, false); }

PackedValue::Inside PackedValue::inside() const {
  const auto head = head_of(bytes_);
  return {static_cast<std::uint32_t>(head.number), head.bytes};
}

PackedValue PackedValue::next(std::size_t& at) const {
  const auto from = bytes_.substr(at);
  const auto length = length_of(from);
  at += length;
  return PackedValue{from.substr(0, length)};
}

PackedObject::PackedObject(const PackedValue& value) {
  value.for_each_member([this](std::string_view name, const PackedValue& member) { members_.push_back({name, member}); });
}

const PackedValue* PackedObject::find(std::string_view name) const {
  const auto at = std::ranges::find(members_, name, &Member::name);
  return at == members_.end() ? nullptr : &at->value;
}

}  // namespace catena
