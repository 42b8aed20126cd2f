#include "lang/fn/path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/suggest.hpp"

namespace catena::lang::fn {
namespace {

tl::unexpected<std::string> none(std::string why) { return tl::unexpected<std::string>{std::move(why)}; }

Part no_key(const Json& object, std::string_view key) {
  constexpr std::size_t kShown = 30;
  std::vector<std::string> keys;
  constexpr std::size_t kShownBytes = 64;
  for (auto member = object.begin(); member != object.end() && keys.size() < kShown; ++member) {
    if (member.key().size() <= kShownBytes) keys.push_back(member.key());
  }
  if (key.size() > kShownBytes) return none("there is no key of that name");
  if (keys.empty()) return none(fmt::format("there is no '{}' in the object", key));
  return none(fmt::format("there is no '{}'{}; the object has: {}", key, did_you_mean(key, keys), fmt::join(keys, ", ")));
}

Part member(Value whole, std::string_view key) {
  const auto found = whole.get().find(key);
  if (found == whole.get().end()) return no_key(whole.get(), key);
  if (whole.is_borrowed()) return Value::borrowed(*found);
  auto owned = std::move(whole).take();
  return Value{std::move(*owned.find(key))};
}

Part at(Value whole, std::size_t index) {
  const auto size = whole.get().size();
  if (index >= size) return none(fmt::format("the index {} is out of range: the list has {} elements", index, size));
  if (whole.is_borrowed()) return Value::borrowed(whole.get()[index]);
  auto owned = std::move(whole).take();
  return Value{std::move(owned[index])};
}

std::optional<std::size_t> index_of(std::string_view segment) {
  std::size_t index = 0;
  const auto* end = segment.data() + segment.size();
  const auto read = std::from_chars(segment.data(), end, index);
  return read.ec == std::errc{} && read.ptr == end ? std::optional{index} : std::nullopt;
}

Part list_part(Value whole, std::string_view segment) {
  const auto size = whole.get().size();
  if (segment == "length") return Value{size};
  if (segment == "first" || segment == "last") {
    if (size == 0) return Value{nullptr};
    return at(std::move(whole), segment == "first" ? 0 : size - 1);
  }
  if (const auto index = index_of(segment)) return at(std::move(whole), *index);
  return none(fmt::format("'{}' is no part of a list; a list has length, first, last and indices from 0", segment));
}

}  // namespace

Part part(Value whole, std::string_view segment) {
  if (whole.get().is_null()) return Value{nullptr};
  if (whole.get().is_object()) return member(std::move(whole), segment);
  if (whole.get().is_array()) return list_part(std::move(whole), segment);
  if (whole.get().is_string() && segment == "length") return Value{characters(whole.get().get_ref<const std::string&>())};
  const auto* hint = whole.get().is_string() ? "; a string has only length" : "";
  return none(fmt::format("'{}' is asked of a {}, which has no parts{}", segment, kind_of(whole.get()), hint));
}

Part element(Value whole, const Json& index) {
  if (whole.get().is_null()) return Value{nullptr};
  if (whole.get().is_object() && index.is_string()) return member(std::move(whole), index.get_ref<const std::string&>());
  if (!whole.get().is_array() || !index.is_number_integer()) {
    return none(fmt::format("[{}] is asked of {}; [ ] takes an integer for a list, a string for an object", kind_of(index), kind_of(whole.get())));
  }
  if (index.is_number_unsigned()) return at(std::move(whole), index.get<std::uint64_t>());
  const auto size = static_cast<std::int64_t>(whole.get().size());
  const auto signed_index = index.get<std::int64_t>();
  if (signed_index < -size) return none(fmt::format("the index {} is out of range: the list has {} elements", signed_index, size));
  return at(std::move(whole), static_cast<std::size_t>(signed_index < 0 ? signed_index + size : signed_index));
}

}  // namespace catena::lang::fn
