#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "base/cut_text.hpp"
#include "lang/document/json_text.hpp"
#include "lang/fn/families.hpp"

namespace catena::lang::fn {
namespace {

struct Total {
  Json sum = 0U;
  std::size_t counted = 0;
};

/// The sum over a list; null counts for nothing, true for 1.
Result<Total> total(Invocation& call) {
  const auto array = call.list(0);
  if (!array) return fail(array.error());
  const bool by_path = call.given(1);
  Total made;
  for (std::size_t index = 0; index < array->get().size(); ++index) {
    const auto& element = array->get()[index];
    auto value = by_path ? call.apply(1, element, ScalarValue::itself) : Result<Value>{Value::borrowed(element)};
    if (!value) return fail(value.error());
    const auto& found = value->get();
    if (found.is_null()) continue;
    if (!found.is_number() && !found.is_boolean()) {
      return call.refuse(Code::expression_value,
                         fmt::format("the element at {} gives a {}; only numbers and booleans can be added", index, kind_of(found)), by_path ? 1 : 0);
    }
    const auto next = call.number(add(made.sum, found.is_boolean() ? Json(found.get<bool>() ? 1U : 0U) : found));
    if (!next) return fail(next.error());
    made.sum = next->get();
    ++made.counted;
  }
  return made;
}

}  // namespace

Result<Value> sum(Invocation& call) {
  auto made = total(call);
  if (!made) return fail(made.error());
  return Value{std::move(made->sum)};
}

Result<Value> avg(Invocation& call) {
  const auto made = total(call);
  if (!made) return fail(made.error());
  if (made->counted == 0) return Value{nullptr};
  return call.number(divide(made->sum, Json(made->counted)));
}

Result<Value> round(Invocation& call) {
  constexpr std::int64_t kDigitsMax = 15;
  auto value = call.value(0);
  if (!value) return value;
  const auto digits = call.integer(1);
  if (!digits) return fail(digits.error());
  if (*digits < 0 || *digits > kDigitsMax) return call.refuse(Code::number_out_of_range, fmt::format("must be 0 to {}", kDigitsMax), 1);
  if (!value->get().is_number()) return call.expected("a number", value->get(), 0);
  if (!value->get().is_number_float()) return value;
  const auto number = value->get().get<double>();
  if (*digits == 0) {
    const auto whole = std::round(number);
    if (whole >= -0x1p63 && whole < 0) return Value{static_cast<std::int64_t>(whole)};
    if (whole >= 0 && whole < 0x1p64) return Value{static_cast<std::uint64_t>(whole)};
    return call.refuse(Code::number_out_of_range, "does not fit in an integer of 64 bits", 0);
  }
  const auto scale = std::pow(10.0, static_cast<double>(*digits));
  const auto scaled = std::round(number * scale) / scale;
  return Value{std::isfinite(scaled) ? scaled : number};  // a number too large to scale has no digits behind its point
}

Result<Value> abs(Invocation& call) {
  auto value = call.value(0);
  if (!value) return value;
  if (!value->get().is_number()) return call.expected("a number", value->get(), 0);
  if (value->get().get<double>() >= 0) return value;
  return call.number(negate(value->get()));
}

Result<Value> to_number(Invocation& call) {
  auto value = call.value(0);
  if (!value || value->get().is_number()) return value;
  if (value->get().is_boolean()) return Value{value->get().get<bool>() ? 1U : 0U};
  if (!value->get().is_string()) return call.expected("a string, a number or a boolean", value->get(), 0);
  const auto& text = value->get().get_ref<const std::string&>();
  if (auto paid = call.charge(steps_of(value->get()), 0); !paid) return fail(paid.error());
  const auto read = parse_json_text(text);
  if (!read || JsonView{*read}.kind() != JsonKind::number) {
    return call.refuse(Code::expression_value, fmt::format("\"{}\" is not a number", cut_text(text, 40)), 0);
  }
  return Value{JsonView{*read}.parse()};
}

}  // namespace catena::lang::fn
