#pragma once
// Records out of MessagePack without the JSON between: what unpack() (base/fields.hpp) makes of the JSON of the same bytes. A chain that comes back,
// and every answer about one, reads its records so.
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/codec.hpp"
#include "base/fields.hpp"

namespace catena {

/// A value within bytes that are known to be whole. The bytes must outlive it.
class PackedValue {
 public:
  /// None: these bytes are not one value and nothing more. O(bytes).
  [[nodiscard]] static std::optional<PackedValue> whole(std::string_view bytes);

  [[nodiscard]] bool is_nothing() const;
  [[nodiscard]] bool is_unsigned() const;
  [[nodiscard]] bool is_list() const;
  [[nodiscard]] bool is_map() const;
  [[nodiscard]] std::optional<bool> flag() const;
  /// The bits of a number that is whole, in 64 of them.
  [[nodiscard]] std::optional<std::uint64_t> integer() const;
  [[nodiscard]] std::optional<std::string_view> text() const;
  [[nodiscard]] std::optional<std::string_view> binary() const;
  [[nodiscard]] Json json() const;
  /// Calls `take` with every value of a list; of what is none, with nothing.
  template <class Take>
  void for_each(Take take) const {
    if (!is_list()) return;
    auto [left, at] = inside();
    for (; left > 0; --left) take(next(at));
  }
  /// With every name and value of a map.
  template <class Take>
  void for_each_member(Take take) const {
    if (!is_map()) return;
    auto [left, at] = inside();
    for (; left > 0; --left) {
      const auto name = next(at);
      take(*name.text(), next(at));
    }
  }

 private:
  explicit PackedValue(std::string_view bytes) : bytes_{bytes} {}
  struct Inside {
    std::uint32_t count;
    std::size_t at;
  };
  [[nodiscard]] Inside inside() const;
  [[nodiscard]] PackedValue next(std::size_t& at) const;

  std::string_view bytes_;
};

/// The members of a map, found by name. As a visitor that fields() takes: those that are not there keep their value.
class PackedObject {
 public:
  /// Of what is no map, none.
  explicit PackedObject(const PackedValue& value);
  [[nodiscard]] const PackedValue* find(std::string_view name) const;
  template <class T>
  void operator()(const char* name, T& value) const;

 private:
  struct Member {
    std::string_view name;
    PackedValue value;
  };
  std::vector<Member> members_;
};

/// What is of another type leaves `value` as it is.
template <class T>
void read_packed(const PackedValue& from, T& value) {
  if constexpr (std::same_as<T, bool>) {
    if (const auto flag = from.flag()) value = *flag;
  } else if constexpr (std::is_enum_v<T>) {
    if (from.is_unsigned()) value = static_cast<T>(static_cast<std::uint32_t>(*from.integer()));
  } else if constexpr (std::integral<T>) {
    if (const auto number = from.integer()) value = static_cast<T>(*number);
  } else if constexpr (std::same_as<T, std::string>) {
    if (const auto text = from.text()) value = *text;
  } else if constexpr (codec::kIsName<T> || codec::kIsNumber<T>) {
    read_packed(from, value.value);
  } else if constexpr (std::same_as<T, VisitId>) {
    std::vector<PackedValue> both;
    from.for_each([&](const PackedValue& one) { both.push_back(one); });
    if (both.size() != 2) return;
    read_packed(both[0], value.step);
    read_packed(both[1], value.visit);
  } else if constexpr (std::same_as<T, IndexSet>) {
    value = {};
    from.for_each([&](const PackedValue& run) {
      std::array<std::uint32_t, 2> ends{};
      std::size_t count = 0;
      run.for_each([&](const PackedValue& end) {
        if (count < ends.size() && end.is_unsigned())
          ends[count++] = static_cast<std::uint32_t>(*end.integer());
        else
          count = ends.size() + 1;
      });
      if (count == ends.size()) value.insert(IndexSet::range(ends[0], ends[1]));
    });
  } else if constexpr (codec::kIsOptional<T>) {
    if (!from.is_nothing()) read_packed(from, value.emplace());
  } else if constexpr (codec::kIsVector<T>) {
    from.for_each([&](const PackedValue& one) { read_packed(one, value.emplace_back()); });
  } else if constexpr (codec::kIsMap<T>) {
    from.for_each_member([&](std::string_view name, const PackedValue& one) { read_packed(one, value[std::string{name}]); });
  } else if constexpr (!std::same_as<T, Error> && requires { unpack_bytes(from, value); }) {
    unpack_bytes(from, value);
  } else if constexpr (!std::same_as<T, Error> && requires(const PackedObject& object) { fields(object, value); }) {
    if (!from.is_map()) return;
    const PackedObject object{from};
    fields(object, value);
  } else {
    unpack(from.json(), value);
  }
}

template <class T>
void PackedObject::operator()(const char* name, T& value) const {
  if (const auto* member = find(name)) read_packed(*member, value);
}

}  // namespace catena
