#pragma once
// Structs as MessagePack of named fields, straight to and from bytes: what travels between nodes. A struct names each member once, for both
// directions, in `fields(visitor, value)`. Unknown members are passed over, absent ones keep their default: builds that differ by a member
// understand each other. Numbers, flags and enums are always written; what is empty is not. What is read is not trusted: sizes are checked
// against the bytes that are there, and memory is taken only as far as a bound that follows from them.
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/fields.hpp"
#include "base/ids.hpp"
#include "base/json.hpp"

namespace catena::codec {

class Writer;
class Reader;

// The two commonest forms: a number below kFixMap is its own byte, a text shorter than kShortText has a head of one byte. The others: codec.cpp.
inline constexpr unsigned char kFixMap = 0x80, kFixText = 0xa0;
inline constexpr std::size_t kShortText = 32;

template <class T>
concept Fielded = requires(Writer& writer, T& value) {
  fields(writer, value);
};
/// Enums that travel say how many values they have: `count_of(E)`.
template <class T>
concept Counted = std::is_enum_v<T> && requires(T value) {
  { count_of(value) } -> std::convertible_to<std::uint32_t>;
};

template <class T>
inline constexpr bool kIsVector = false;
template <class T>
inline constexpr bool kIsVector<std::vector<T>> = true;
template <class T>
inline constexpr bool kIsMap = false;
template <class T>
inline constexpr bool kIsMap<std::map<std::string, T>> = true;
template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;
template <class T>
inline constexpr bool kIsName = false;
template <class Tag>
inline constexpr bool kIsName<Name<Tag>> = true;
template <class T>
inline constexpr bool kIsNumber = false;
template <class Tag>
inline constexpr bool kIsNumber<Number<Tag>> = true;

class Writer {
 public:
  /// A member. Called by fields(), with a literal: its length is known when this is compiled.
  template <std::size_t Size, class T>
  void operator()(const char (&name)[Size], const T& member) {
    if constexpr (requires { member.empty(); }) {
      if (member.empty()) return;
    } else if constexpr (kIsOptional<T>) {
      if (!member) return;
    }
    static_assert(Size - 1 < kShortText);
    auto* const at = room(Size);
    *at = static_cast<char>(kFixText | (Size - 1));
    std::memcpy(at + 1, name, Size - 1);
    size_ += Size;
    value(member);
    ++members_;
  }

  template <class T>
  void value(const T& what) {
    if constexpr (std::same_as<T, bool>) {
      *room(1) = what ? '\xc3' : '\xc2';
      ++size_;
    } else if constexpr (std::is_enum_v<T>) {
      static_assert(Counted<T>);
      number(static_cast<std::uint64_t>(what));
    } else if constexpr (std::unsigned_integral<T>) {
      number(static_cast<std::uint64_t>(what));
    } else if constexpr (kIsNumber<T>) {
      number(what.value);
    } else if constexpr (std::signed_integral<T>) {
      what >= 0 ? number(static_cast<std::uint64_t>(what)) : negative_number(what);
    } else if constexpr (std::convertible_to<const T&, std::string_view>) {
      text(what);
    } else if constexpr (kIsName<T>) {
      text(what.value);
    } else if constexpr (kIsVector<T>) {
      list(what.size());
      for (const auto& element : what) value(element);
    } else if constexpr (kIsMap<T>) {
      map(what.size());
      for (const auto& [key, element] : what) {
        text(key);
        value(element);
      }
    } else if constexpr (kIsOptional<T>) {
      value(*what);
    } else if constexpr (Fielded<T>) {
      const auto outer = std::exchange(members_, 0U);
      const auto at = size_;
      std::memcpy(room(kMapHeadBytes), "\xde\0", kMapHeadBytes);
      size_ += kMapHeadBytes;
      fields(*this, const_cast<T&>(what));  // fields() serves both directions; writing only reads
      bytes_[at + 1] = static_cast<char>(members_ >> 8U);
      bytes_[at + 2] = static_cast<char>(members_ & 0xffU);
      members_ = outer;
    } else {
      text(dump_lossy(pack(what)));  // what has a JSON form of its own goes as its text
    }
  }

  void text(std::string_view text) {
    auto* at = room(kHeadBytesMax + text.size());
    if (text.size() < kShortText) {
      *at++ = static_cast<char>(kFixText | text.size());
    } else {
      at = put_text_head(at, text.size());
    }
    text.copy(at, text.size());
    size_ = static_cast<std::size_t>(at - bytes_.data()) + text.size();
  }
  void list(std::size_t size);
  [[nodiscard]] std::string take() {
    bytes_.resize(std::exchange(size_, 0));
    return std::move(bytes_);
  }

 private:
  static constexpr std::size_t kHeadBytesMax = 9;  // the longest head, with the number where it is the head of one
  static constexpr std::size_t kMapHeadBytes = 3;

  /// Makes room for so many more bytes and returns where they begin. The caller adds to size_ what it writes.
  [[nodiscard]] char* room(std::size_t bytes) {
    if (bytes > bytes_.size() - size_) grow(bytes);
    return bytes_.data() + size_;
  }
  void grow(std::size_t bytes);
  void number(std::uint64_t number) {
    auto* const at = room(kHeadBytesMax);
    if (number >= kFixMap) return large_number(at, number);
    *at = static_cast<char>(number);
    ++size_;
  }
  void large_number(char* at, std::uint64_t number);
  void negative_number(std::int64_t number);
  void map(std::size_t size);
  static char* put_text_head(char* at, std::size_t size);

  std::string bytes_;  // its first size_ bytes are written
  std::size_t size_ = 0;
  std::uint32_t members_ = 0;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes);
  /// Something was not as it has to be; what was read is worth nothing.
  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] bool at_end() const { return bytes_.empty(); }

  template <class T>
  void value(T& into) {
    if constexpr (std::same_as<T, bool>) {
      into = flag();
    } else if constexpr (std::is_enum_v<T>) {
      const auto read = number();
      if (read.negative || read.magnitude >= count_of(T{})) return fail();
      into = static_cast<T>(read.magnitude);
    } else if constexpr (kIsNumber<T>) {
      value(into.value);
    } else if constexpr (std::integral<T>) {
      const auto read = number();
      const bool fits = read.negative ? std::in_range<T>(static_cast<std::int64_t>(read.magnitude)) : std::in_range<T>(read.magnitude);
      if (!fits) return fail();
      into = static_cast<T>(read.magnitude);
    } else if constexpr (std::same_as<T, std::string>) {
      into = text();
    } else if constexpr (kIsName<T>) {
      into.value = text();
    } else if constexpr (kIsVector<T>) {
      into.clear();
      auto left = list();
      if (left > bytes_.size()) return fail();  // each takes a byte at least
      if (left == 0 || !take_memory(left * sizeof(typename T::value_type))) return;
      for (into.reserve(left); left > 0 && !failed_; --left) value(into.emplace_back());
    } else if constexpr (kIsMap<T>) {
      into.clear();
      for (auto left = map(); left > 0 && take_memory(sizeof(typename T::value_type) + kNodeBytes); --left) {
        const auto key = text();
        value(into[std::string{key}]);
      }
    } else if constexpr (kIsOptional<T>) {
      value(into.emplace());
    } else if constexpr (Fielded<T>) {
      members(into);
    } else {
      auto json = json_text();
      if (!failed_) unpack(json, into);
    }
  }

  [[nodiscard]] std::string_view text() {
    const auto short_size = bytes_.empty() ? kShortText : static_cast<unsigned char>(bytes_.front()) ^ kFixText;
    if (short_size >= kShortText || short_size >= bytes_.size()) return any_text();
    const std::string_view text{bytes_.data() + 1, short_size};
    bytes_.remove_prefix(1 + short_size);
    return text;
  }
  [[nodiscard]] std::size_t list();
  /// Passes over one value of whatever kind.
  void skip();
  void fail() { failed_ = true, bytes_ = {}; }

 private:
  static constexpr std::size_t kNodeBytes = 64;
  struct Number {
    std::uint64_t magnitude = 0;  // of a negative one: its bits
    bool negative = false;
  };
  /// Members in the order of fields() are found in one go; those in another order, by going round again.
  struct Members {
    Reader& reader;
    std::size_t left;
    std::string_view key = {};
    bool open = false;
    bool found = false;
    void next() {
      open = left > 0 && !reader.failed_;
      if (!open) return;
      --left;
      key = reader.text();
    }
    template <std::size_t Size, class T>
    void operator()(const char (&name)[Size], T& member) {
      if (!open || key.size() != Size - 1 || std::memcmp(key.data(), name, Size - 1) != 0) return;
      reader.value(member);
      found = true;
      next();
    }
  };
  template <class T>
  void members(T& into) {
    Members members{*this, map()};
    for (members.next(); members.open && !failed_;) {
      members.found = false;
      fields(members, into);
      if (members.found || !members.open) continue;
      skip();
      members.next();
    }
  }

  [[nodiscard]] std::size_t map();
  [[nodiscard]] bool flag();
  [[nodiscard]] Number number() {
    if (bytes_.empty() || static_cast<unsigned char>(bytes_.front()) >= kFixMap) return any_number();
    const auto small = static_cast<unsigned char>(bytes_.front());
    bytes_.remove_prefix(1);
    return {small, false};
  }
  [[nodiscard]] Number any_number();
  [[nodiscard]] std::string_view any_text();
  [[nodiscard]] Json json_text();
  [[nodiscard]] bool take_memory(std::size_t bytes);
  [[nodiscard]] std::uint64_t big_endian(unsigned bytes);
  [[nodiscard]] unsigned char head();

  std::string_view bytes_;
  std::size_t memory_left_;
  bool failed_ = false;
};

template <class T>
[[nodiscard]] std::string to_bytes(const T& value) {
  Writer writer;
  writer.value(value);
  return writer.take();
}

/// Nothing: the bytes are damaged, or go on behind the value.
template <class T>
[[nodiscard]] std::optional<T> from_bytes(std::string_view bytes) {
  Reader reader{bytes};
  T value{};
  reader.value(value);
  if (reader.failed() || !reader.at_end()) return std::nullopt;
  return value;
}

// ---- one of several structs --------------------------------------------------------------------------------------------
// [kind, struct], where `kKind` of the struct is its name. The first alternative of such a variant is Unknown.

/// A kind that this build does not know.
struct Unknown {
  std::string kind;
};

template <class... Kinds>
[[nodiscard]] std::string encode_kind(const std::variant<Unknown, Kinds...>& value) {
  Writer writer;
  writer.list(2);
  std::visit(
      [&](const auto& what) {
        if constexpr (std::same_as<std::decay_t<decltype(what)>, Unknown>) {
          writer.text(what.kind);
          writer.list(0);
        } else {
          writer.text(what.kKind);
          writer.value(what);
        }
      },
      value);
  return writer.take();
}

template <class Variant>
struct KindReader;
template <class... Kinds>
struct KindReader<std::variant<Unknown, Kinds...>> {
  using Variant = std::variant<Unknown, Kinds...>;
  static std::optional<Variant> read(std::string_view bytes) {
    Reader reader{bytes};
    if (reader.list() != 2) return std::nullopt;
    const auto kind = reader.text();
    Variant value;
    if (!(read_as<Kinds>(kind, reader, value) || ...)) {
      reader.skip();
      value = Unknown{std::string{kind}};
    }
    if (reader.failed() || !reader.at_end()) return std::nullopt;
    return value;
  }

 private:
  template <class Kind>
  static bool read_as(std::string_view kind, Reader& reader, Variant& value) {
    if (kind != Kind::kKind) return false;
    reader.value(value.template emplace<Kind>());
    return true;
  }
};

/// Nothing: the bytes are damaged. A kind that is not known is no damage.
template <class Variant>
[[nodiscard]] std::optional<Variant> decode_kind(std::string_view bytes) {
  return KindReader<Variant>::read(bytes);
}

}  // namespace catena::codec
