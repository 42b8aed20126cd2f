#include "lang/fn/value.hpp"

#include <cstring>

#include <algorithm>
#include <cmath>

namespace catena::lang::fn {
namespace {

constexpr std::uint64_t kCellBytes = 16;
constexpr std::uint64_t kMemberBytes = 80;  // a node of the map and its key's header

Json canonical(const Json& value) {
  constexpr double kBelowAll = -0x1p63;
  constexpr double kAboveAll = 0x1p64;
  if (value.is_number_float()) {
    const auto number = value.get<double>();
    if (std::trunc(number) != number || number < kBelowAll || number >= kAboveAll) return value;
    return number < 0 ? Json(static_cast<std::int64_t>(number)) : Json(static_cast<std::uint64_t>(number));
  }
  if (!value.is_structured()) return value;
  Json made = value.is_array() ? Json::array() : Json::object();
  if (value.is_array()) {
    for (const auto& element : value) made.push_back(canonical(element));
  } else {
    for (const auto& [key, member] : value.items()) made[key] = canonical(member);
  }
  return made;
}

}  // namespace

std::string_view kind_of(const Json& value) {
  if (value.is_array()) return "list";
  if (value.is_object()) return "object";
  return value.is_number() ? "number" : std::string_view{value.type_name()};
}

bool truthy(const Json& value) {
  switch (value.type()) {
    case Json::value_t::boolean: return value.get<bool>();
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned:
    case Json::value_t::number_float: return value.get<double>() != 0.0;
    case Json::value_t::string: return !value.get_ref<const std::string&>().empty();
    case Json::value_t::array:
    case Json::value_t::object: return !value.empty();
    default: return false;
  }
}

std::uint64_t steps_of(const Json& value) {
  constexpr std::uint64_t kBytesAStep = 64;
  if (value.is_string()) return 1 + value.get_ref<const std::string&>().size() / kBytesAStep;
  std::uint64_t steps = 1;
  if (value.is_structured()) {
    for (const auto& part : value) steps += steps_of(part);
  }
  return steps;
}

std::uint64_t bytes_of(const Json& value) {
  if (value.is_string()) return kCellBytes * 3 + value.get_ref<const std::string&>().size();
  std::uint64_t bytes = kCellBytes;
  if (value.is_array()) {
    for (const auto& element : value) bytes += bytes_of(element);
  } else if (value.is_object()) {
    for (const auto& [key, member] : value.items()) bytes += kMemberBytes + key.size() + bytes_of(member);
  }
  return bytes;
}

bool nests_deeper_than(const Json& value, int levels) {
  if (!value.is_structured()) return false;
  if (levels == 0) return true;
  return std::ranges::any_of(value, [levels](const Json& part) { return nests_deeper_than(part, levels - 1); });
}

std::string canonical_text(const Json& value) { return canonical(value).dump(); }

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::size_t find_text(std::string_view whole, std::string_view part, std::size_t from) {
  if (from > whole.size()) return std::string_view::npos;
  const auto rest = whole.substr(from);
  const void* found = memmem(rest.data(), rest.size(), part.data(), part.size());
  if (found == nullptr) return part.empty() ? from : std::string_view::npos;
  return static_cast<std::size_t>(static_cast<const char*>(found) - whole.data());
}

}  // namespace catena::lang::fn
