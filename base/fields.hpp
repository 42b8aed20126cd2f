#pragma once
// How records become JSON and back: members that equal their default are left out, unknown ones are passed over. Events and states list
// their members once, for both directions. What travels between nodes is in base/codec.hpp.
#include <concepts>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/ids.hpp"
#include "base/index_set.hpp"
#include "base/json.hpp"

namespace catena {

// ---- single values ---------------------------------------------------------------------------------------------------

template <class T>
concept Plain = std::integral<T> || std::same_as<T, std::string>;

template <Plain T>
[[nodiscard]] Json pack(const T& value) {
  return value;
}
template <Plain T>
void unpack(const Json& json, T& value) {
  if constexpr (std::same_as<T, bool>) {
    if (json.is_boolean()) value = json.get<bool>();
  } else if constexpr (std::integral<T>) {
    if (json.is_number_integer()) value = json.get<T>();
  } else {
    if (json.is_string()) value = json.get<std::string>();
  }
}

template <class E>
requires std::is_enum_v<E>
[[nodiscard]] Json pack(const E& value) { return static_cast<std::uint32_t>(value); }
template <class E>
requires std::is_enum_v<E>
void unpack(const Json& json, E& value) {
  if (json.is_number_unsigned()) value = static_cast<E>(json.get<std::uint32_t>());
}

template <class Tag>
[[nodiscard]] Json pack(const Name<Tag>& name) {
  return name.value;
}
template <class Tag>
void unpack(const Json& json, Name<Tag>& name) {
  unpack(json, name.value);
}
template <class Tag>
[[nodiscard]] Json pack(const Number<Tag>& number) {
  return number.value;
}
template <class Tag>
void unpack(const Json& json, Number<Tag>& number) {
  unpack(json, number.value);
}

[[nodiscard]] inline Json pack(const IndexSet& set) { return to_json(set); }
inline void unpack(const Json& json, IndexSet& set) { set = index_set_from_json(json); }

/// Unlike the form that references see, the journal's keeps the place and the notes: what is folded is what was live.
[[nodiscard]] Json pack(const Error& error);
void unpack(const Json& json, Error& error);

[[nodiscard]] Json pack(const VisitId& visit);
void unpack(const Json& json, VisitId& visit);
[[nodiscard]] inline Json pack(const Json& json) { return json; }
inline void unpack(const Json& json, Json& value) { value = json; }

template <class T>
[[nodiscard]] Json pack(const std::optional<T>& value) {
  return value ? pack(*value) : Json(nullptr);
}
template <class T>
void unpack(const Json& json, std::optional<T>& value) {
  if (!json.is_null()) unpack(json, value.emplace());
}

template <class T>
[[nodiscard]] Json pack(const std::map<std::string, T>& map) {
  Json json = Json::object();
  for (const auto& [key, value] : map) json[key] = pack(value);
  return json;
}
template <class T>
void unpack(const Json& json, std::map<std::string, T>& map) {
  if (!json.is_object()) return;
  for (const auto& [key, value] : json.items()) unpack(value, map[key]);
}

template <class T>
[[nodiscard]] Json pack(const std::vector<T>& values);
template <class T>
void unpack(const Json& json, std::vector<T>& values);

// ---- structs: their `fields(visitor, value)` names each member once ----------------------------------------------------

struct Packer {
  Json json = Json::object();
  template <class T>
  void operator()(const char* name, const T& value) {
    // An enum is always written: what its struct takes by default need not be its zero.
    if (std::is_enum_v<T> || !(value == T{})) json[name] = pack(value);
  }
};

struct Unpacker {
  const Json& json;
  template <class T>
  void operator()(const char* name, T& value) const {
    const auto member = json.find(name);
    if (member != json.end()) unpack(*member, value);
  }
};

template <class T>
concept Struct = requires(Packer packer, T& value) {
  fields(packer, value);
};

template <Struct T>
[[nodiscard]] Json pack(const T& value) {
  Packer packer;
  fields(packer, const_cast<T&>(value));  // fields() serves both directions; packing only reads
  return std::move(packer.json);
}
template <Struct T>
void unpack(const Json& json, T& value) {
  if (!json.is_object()) return;
  Unpacker unpacker{json};
  fields(unpacker, value);
}

template <class T>
[[nodiscard]] Json pack(const std::vector<T>& values) {
  Json json = Json::array();
  for (const auto& value : values) json.push_back(pack(value));
  return json;
}
template <class T>
void unpack(const Json& json, std::vector<T>& values) {
  if (!json.is_array()) return;
  for (const auto& value : json) unpack(value, values.emplace_back());
}

}  // namespace catena
