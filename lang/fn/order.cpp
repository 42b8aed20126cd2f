#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lang/document/json_equal.hpp"
#include "lang/fn/families.hpp"

namespace catena::lang::fn {
namespace {

struct Keyed {
  Json key;
  std::size_t index;
};

/// The key of each element; the element itself without a path.
Result<std::vector<Keyed>> keys_of(Invocation& call, const Json& list, std::size_t path) {
  std::vector<Keyed> keys;
  const bool by_path = call.given(path);
  for (std::size_t index = 0; index < list.size(); ++index) {
    auto key = by_path ? call.apply(path, list[index], ScalarValue::itself) : Result<Value>{Value::borrowed(list[index])};
    if (!key) return fail(key.error());
    auto owned = call.take(std::move(*key));
    if (!owned) return fail(owned.error());
    keys.push_back(Keyed{std::move(*owned), index});
  }
  return keys;
}

/// Whether all keys can be ordered among each other.
Result<void> comparable(Invocation& call, const std::vector<Keyed>& keys, std::size_t path) {
  for (const auto& [key, index] : keys) {
    const auto kind = kind_of(key);
    if (key.is_structured()) {
      return call.refuse(Code::expression_value,
                         fmt::format("the element at {} has a key that is {} {}; only numbers, strings and booleans have an order", index,
                                     key.is_array() ? "a" : "an", kind),
                         path);
    }
    if (kind != kind_of(keys.front().key)) {
      return call.refuse(
          Code::expression_value,
          fmt::format("mixed types have no order: the element at 0 gives a {}, the one at {} a {}", kind_of(keys.front().key), index, kind), path);
    }
  }
  return {};
}

bool before(const Json& a, const Json& b) { return a.is_number() ? compare_numbers(a, b) < 0 : a < b; }

/// Which element comes first; nulls do not count.
template <class Better>
Result<Value> extreme(Invocation& call, Better better) {
  const auto array = call.list(0);
  if (!array) return array;
  auto keys = keys_of(call, array->get(), 1);
  if (!keys) return fail(keys.error());
  std::erase_if(*keys, [](const Keyed& keyed) { return keyed.key.is_null(); });
  if (keys->empty()) return Value{nullptr};
  if (auto fit = comparable(call, *keys, 1); !fit) return fail(fit.error());
  auto* best = &keys->front();
  for (auto& keyed : *keys) {
    if (better(keyed.key, best->key)) best = &keyed;
  }
  return Value{std::move(best->key)};
}

}  // namespace

Result<Value> sort(Invocation& call) {
  auto array = call.list(0);
  if (!array) return array;
  const auto direction = call.text(2);
  if (!direction) return direction;
  const auto& wanted = direction->get().get_ref<const std::string&>();
  if (wanted != "asc" && wanted != "desc")
    return call.refuse(Code::expression_value, fmt::format("must be \"asc\" or \"desc\", not \"{}\"", wanted), 2);
  auto keys = keys_of(call, array->get(), 1);
  if (!keys) return fail(keys.error());
  if (auto fit = comparable(call, *keys, 1); !fit) return fail(fit.error());
  const auto levels = static_cast<std::uint64_t>(std::log2(static_cast<double>(keys->size()) + 1)) + 1;
  if (auto paid = call.charge(keys->size() * levels, 0); !paid) return fail(paid.error());
  const bool descending = wanted == "desc";
  std::ranges::stable_sort(
      *keys, [descending](const Json& a, const Json& b) { return descending ? before(b, a) : before(a, b); }, &Keyed::key);
  auto owned = call.take(std::move(*array));
  if (!owned) return fail(owned.error());
  Json made = Json::array();
  for (const auto& keyed : *keys) made.push_back(std::move((*owned)[keyed.index]));
  return Value{std::move(made)};
}

Result<Value> group_by(Invocation& call) {
  auto array = call.list(0);
  if (!array) return array;
  auto keys = keys_of(call, array->get(), 1);
  if (!keys) return fail(keys.error());
  auto owned = call.take(std::move(*array));
  if (!owned) return fail(owned.error());
  Json made = Json::object();
  for (const auto& [key, index] : *keys) {
    if (key.is_structured()) {
      return call.refuse(Code::expression_value, fmt::format("the key of the element at {} is not a scalar but a {}", index, kind_of(key)), 1);
    }
    const auto name = key.is_string() ? key.get<std::string>() : canonical_text(key);
    if (auto paid = call.charge(1, bytes_of(name)); !paid) return fail(paid.error());
    auto& group = made.emplace(name, Json::array()).first.value();
    group.push_back(std::move((*owned)[index]));
  }
  return Value{std::move(made)};
}

Result<Value> min(Invocation& call) {
  return extreme(call, [](const Json& a, const Json& b) { return before(a, b); });
}
Result<Value> max(Invocation& call) {
  return extreme(call, [](const Json& a, const Json& b) { return before(b, a); });
}

}  // namespace catena::lang::fn
