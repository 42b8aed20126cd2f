#pragma once
// Records as MessagePack without the JSON between: byte for byte what Json::to_msgpack() makes of pack() (base/fields.hpp). The journal writes
// several events for each step of a chain, and a tree of JSON values costs many times what its bytes do.
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/codec.hpp"
#include "base/fields.hpp"

namespace catena {

class BytePacker {
 public:
  explicit BytePacker(std::string& out) : out_{out} {}

  template <class T>
  void value(const T& what) {
    if constexpr (std::same_as<T, bool>) {
      flag(what);
    } else if constexpr (std::is_enum_v<T>) {
      number(static_cast<std::uint32_t>(what));
    } else if constexpr (std::unsigned_integral<T>) {
      number(what);
    } else if constexpr (std::integral<T>) {
      signed_number(what);
    } else if constexpr (std::same_as<T, std::string> || std::same_as<T, std::string_view>) {
      text(what);
    } else if constexpr (codec::kIsName<T> || codec::kIsNumber<T>) {
      value(what.value);
    } else if constexpr (std::same_as<T, VisitId>) {
      list(2), number(what.step), number(what.visit);
    } else if constexpr (std::same_as<T, IndexSet>) {
      list(what.ranges().size());
      for (const auto& run : what.ranges()) list(2), number(run.first), number(run.last);
    } else if constexpr (codec::kIsOptional<T>) {
      what ? value(*what) : nothing();
    } else if constexpr (codec::kIsVector<T>) {
      list(what.size());
      for (const auto& one : what) value(one);
    } else if constexpr (codec::kIsMap<T>) {
      map(what.size());
      for (const auto& [key, one] : what) text(key), value(one);
    } else if constexpr (std::same_as<T, Error>) {
      json(pack(what));
    } else if constexpr (requires { pack_bytes(*this, what); }) {
      pack_bytes(*this, what);
    } else if constexpr (requires(Members & members, T & one) { fields(members, one); }) {
      object([&](Members& members) { fields(members, const_cast<T&>(what)); });  // fields() serves both directions; packing only reads
    } else {
      json(pack(what));
    }
  }

  void text(std::string_view text);
  void binary(std::string_view bytes);
  void list(std::size_t size);
  void map(std::size_t size);
  void number(std::uint64_t number);
  void signed_number(std::int64_t number);
  void flag(bool flag);
  void nothing();
  void json(const Json& json);

  /// Members of one object, in any order; `add` gets the visitor that fields() takes. Those that equal their default are left out.
  class Members;
  template <class Add>
  void object(Add&& add);

 private:
  void put(unsigned char byte) { out_.push_back(static_cast<char>(byte)); }
  void big_endian(std::uint64_t number, unsigned bytes);

  std::string& out_;
};

class BytePacker::Members {
 public:
  explicit Members(BytePacker& packer) : packer_{packer}, begin_{packer.out_.size()} {}

  template <class T>
  void operator()(const char* name, const T& value) {
    // As Packer has it.
    if (!std::is_enum_v<T> && value == T{}) return;
    add(name);
    packer_.value(value);
  }
  /// A member that is there whatever it equals; `write` writes its one value with the packer that it gets.
  template <class Write>
  void with(const char* name, Write write) {
    add(name);
    write(packer_);
  }
  /// Puts them in the order of their names, behind their number.
  void close();

 private:
  struct Member {
    const char* name;
    std::size_t at;
  };
  static constexpr std::size_t kMembersMax = 64;

  void add(const char* name);

  BytePacker& packer_;
  std::size_t begin_;
  std::array<Member, kMembersMax> members_;  // not initialised: an object is packed for each event
  std::size_t count_ = 0;
};

template <class Add>
void BytePacker::object(Add&& add) {
  Members members{*this};
  add(members);
  members.close();
}

}  // namespace catena
