#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "lang/document/json_equal.hpp"
#include "lang/fn/arithmetic.hpp"
#include "lang/fn/families.hpp"

namespace catena::lang::fn {

Result<Value> map(Invocation& call) {
  const auto array = call.list(0);
  if (!array) return array;
  Json made = Json::array();
  for (const auto& element : array->get()) {
    auto shaped = call.apply(1, element, ScalarValue::no_parts);
    if (!shaped) return shaped;
    auto owned = call.take(std::move(*shaped));
    if (!owned) return fail(owned.error());
    made.push_back(std::move(*owned));
  }
  return Value{std::move(made)};
}

Result<Value> filter(Invocation& call) {
  const auto array = call.list(0);
  if (!array) return array;
  Json made = Json::array();
  for (const auto& element : array->get()) {
    const auto verdict = call.apply(1, element, ScalarValue::no_parts);
    if (!verdict) return verdict;
    if (!truthy(verdict->get())) continue;
    auto copy = call.take(Value::borrowed(element));
    if (!copy) return fail(copy.error());
    made.push_back(std::move(*copy));
  }
  return Value{std::move(made)};
}

Result<Value> unique(Invocation& call) {
  const auto array = call.list(0);
  if (!array) return array;
  if (auto paid = call.charge(steps_of(array->get()), bytes_of(array->get())); !paid) return fail(paid.error());
  std::unordered_set<std::string> seen;
  Json made = Json::array();
  for (const auto& element : array->get()) {
    if (seen.insert(canonical_text(element)).second) made.push_back(element);
  }
  return Value{std::move(made)};
}

Result<Value> flatten(Invocation& call) {
  auto array = call.list(0);
  if (!array) return array;
  auto owned = call.take(std::move(*array));
  if (!owned) return fail(owned.error());
  Json made = Json::array();
  for (auto& element : *owned) {
    if (!element.is_array()) {
      made.push_back(std::move(element));
      continue;
    }
    if (auto paid = call.charge(element.size(), 0); !paid) return fail(paid.error());
    for (auto& inner : element) made.push_back(std::move(inner));
  }
  return Value{std::move(made)};
}

namespace {

enum class End { first, last };

Result<Value> end_of(Invocation& call, End end) {
  auto array = call.list(0);
  if (!array) return array;
  if (array->get().empty()) return Value{nullptr};
  if (array->is_borrowed()) return Value::borrowed(end == End::first ? array->get().front() : array->get().back());
  auto owned = std::move(*array).take();
  return Value{std::move(end == End::first ? owned.front() : owned.back())};
}

}  // namespace

Result<Value> first(Invocation& call) { return end_of(call, End::first); }
Result<Value> last(Invocation& call) { return end_of(call, End::last); }

Result<Value> zip(Invocation& call) {
  std::vector<Json> lists;
  for (std::size_t index = 0; index < call.rest_count(); ++index) {
    auto value = call.rest(index);
    if (!value) return value;
    if (!value->get().is_array() && !value->get().is_null()) {
      return call.refuse_rest(Code::expression_value, fmt::format("zip needs lists, got {}", kind_of(value->get())), index);
    }
    auto owned = call.take(std::move(*value));
    if (!owned) return fail(owned.error());
    lists.push_back(owned->is_null() ? Json::array() : std::move(*owned));
  }
  Json made = Json::array();
  if (lists.empty()) return Value{std::move(made)};
  const auto shortest = std::ranges::min(lists, {}, &Json::size).size();
  if (auto paid = call.charge(shortest * lists.size(), shortest * sizeof(Json)); !paid) return fail(paid.error());
  for (std::size_t row = 0; row < shortest; ++row) {
    Json joined = Json::array();
    for (auto& list : lists) joined.push_back(std::move(list[row]));
    made.push_back(std::move(joined));
  }
  return Value{std::move(made)};
}

Result<Value> range(Invocation& call) {
  auto start = call.integer(0);
  if (!start) return fail(start.error());
  const auto bound = call.value(1);
  if (!bound) return bound;
  const bool counts_from_zero = bound->get().is_null();
  const auto end = counts_from_zero ? start : call.integer_of(bound->get(), 1);
  if (!end) return fail(end.error());
  if (counts_from_zero) start = 0;
  const auto step = call.integer(2);
  if (!step) return fail(step.error());
  if (*step == 0) return call.refuse(Code::number_out_of_range, "must not be 0", 2);
  const auto distance = *step > 0 ? Wide{*end} - *start : Wide{*start} - *end;
  const auto stride = *step > 0 ? Wide{*step} : -Wide{*step};
  const auto size = distance <= 0 ? Wide{0} : (distance + stride - 1) / stride;
  const auto steps = static_cast<std::uint64_t>(std::min(size, Wide{1} << 48U));
  if (auto paid = call.charge(steps, steps * sizeof(Json)); !paid) return fail(paid.error());
  Json made = Json::array();
  for (std::uint64_t index = 0; index < steps; ++index) {
    made.push_back(static_cast<std::int64_t>(*start + Wide{*step} * static_cast<std::int64_t>(index)));
  }
  return Value{std::move(made)};
}

namespace {

/// An index as people give it: from the end when negative, and never outside.
std::size_t clamped(std::int64_t index, std::size_t size) {
  const auto length = static_cast<std::int64_t>(size);
  const auto from_start = index < 0 ? std::max<std::int64_t>(index, -length) + length : std::min(index, length);
  return static_cast<std::size_t>(from_start);
}

/// Where the n-th character begins.
std::size_t offset_of(std::string_view text, std::size_t character) {
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    if ((static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U) continue;
    if (character-- == 0) break;
  }
  return at;
}

}  // namespace

Result<Value> slice(Invocation& call) {
  const auto value = call.value(0);
  if (!value) return value;
  const auto& whole = value->get();
  if (whole.is_null()) return Value{Json::array()};
  if (!whole.is_array() && !whole.is_string()) return call.expected("a list or a string", whole, 0);
  const bool is_text = whole.is_string();
  const auto size = is_text ? characters(whole.get_ref<const std::string&>()) : whole.size();
  const auto start = call.integer(1);
  if (!start) return fail(start.error());
  const auto end = call.integer_or(2, static_cast<std::int64_t>(size));
  if (!end) return fail(end.error());
  if (auto paid = call.charge(steps_of(whole), bytes_of(whole)); !paid) return fail(paid.error());
  const auto from = clamped(*start, size);
  const auto to = std::max(from, clamped(*end, size));
  if (is_text) {
    const auto& text = whole.get_ref<const std::string&>();
    const auto begin = offset_of(text, from);
    return Value{text.substr(begin, offset_of(text, to) - begin)};
  }
  const auto begin = whole.begin();
  return Value{Json::array_t(begin + static_cast<std::ptrdiff_t>(from), begin + static_cast<std::ptrdiff_t>(to))};
}

Result<Value> length(Invocation& call) {
  const auto value = call.value(0);
  if (!value) return value;
  const auto& whole = value->get();
  if (whole.is_string()) {
    if (auto paid = call.charge(steps_of(whole), 0); !paid) return fail(paid.error());
    return Value{characters(whole.get_ref<const std::string&>())};
  }
  if (whole.is_structured() || whole.is_null()) return Value{whole.size()};
  return call.expected("a list, a string or an object", whole, 0);
}

Result<Value> count(Invocation& call) {
  const auto array = call.list(0);
  if (!array) return array;
  if (!call.given(1)) return Value{array->get().size()};
  std::size_t matching = 0;
  for (const auto& element : array->get()) {
    const auto verdict = call.apply(1, element, ScalarValue::no_parts);
    if (!verdict) return verdict;
    if (truthy(verdict->get())) ++matching;
  }
  return Value{matching};
}

std::optional<bool> holds(const Json& whole, const Json& part) {
  if (whole.is_null()) return false;
  if (whole.is_array()) return std::ranges::any_of(whole, [&](const Json& member) { return json_equal(member, part); });
  if (!part.is_string()) return std::nullopt;
  const auto& text = part.get_ref<const std::string&>();
  if (whole.is_string()) return find_text(whole.get_ref<const std::string&>(), text) != std::string_view::npos;
  if (whole.is_object()) return whole.contains(text);
  return std::nullopt;
}

std::uint64_t holds_steps(const Json& whole, const Json& part) {
  if (whole.is_array()) return 1 + whole.size() * steps_of(part);
  return whole.is_string() ? steps_of(whole) : 1;
}

Result<Value> contains(Invocation& call) {
  const auto whole = call.value(0);
  if (!whole) return whole;
  const auto part = call.value(1);
  if (!part) return part;
  if (auto paid = call.charge(holds_steps(whole->get(), part->get()), 0); !paid) return fail(paid.error());
  const auto found = holds(whole->get(), part->get());
  if (found) return Value{*found};
  return call.expected("a list, or a string or an object with a string to look for", whole->get(), 0);
}

Result<Value> concat(Invocation& call) {
  Json made;
  for (std::size_t index = 0; index < call.rest_count(); ++index) {
    auto value = call.rest(index);
    if (!value) return value;
    auto owned = call.take(std::move(*value));
    if (!owned) return fail(owned.error());
    if (owned->is_null()) continue;
    if (!owned->is_array() && !owned->is_string()) {
      return call.refuse_rest(Code::expression_value, fmt::format("concat needs lists or strings, got {}", kind_of(*owned)), index);
    }
    if (made.is_null()) {
      made = std::move(*owned);
    } else if (made.type() != owned->type()) {
      return call.refuse_rest(Code::expression_value, "concat needs all lists or all strings, not both", index);
    } else if (made.is_string()) {
      made.get_ref<std::string&>() += owned->get_ref<const std::string&>();
    } else {
      for (auto& element : *owned) made.push_back(std::move(element));
    }
  }
  return Value{made.is_null() ? Json::array() : std::move(made)};
}

}  // namespace catena::lang::fn
