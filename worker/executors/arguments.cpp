#include "worker/executors/arguments.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

namespace catena::worker {
namespace {

template <class Integer>
std::optional<Integer> integer_from(std::string_view text) {
  Integer value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

Number read_number(lang::JsonView number) {
  if (const auto small = integer_from<std::int64_t>(number.text())) return {.exact = true, .whole = *small, .real = 0};
  if (const auto large = integer_from<std::uint64_t>(number.text())) return {.exact = true, .whole = *large, .real = 0};
  double real = 0;
  std::from_chars(number.text().data(), number.text().data() + number.text().size(), real);
  return {.exact = false, .whole = 0, .real = real};
}

Result<std::string> print(const Number& number) {
  if (!number.exact) {
    if (!std::isfinite(number.real)) return fail(Code::number_out_of_range, "the result does not fit a 64-bit floating-point number");
    return Json(number.real).dump();
  }
  if (number.whole < 0 && number.whole >= std::numeric_limits<std::int64_t>::min()) return std::to_string(static_cast<std::int64_t>(number.whole));
  if (number.whole >= 0 && number.whole <= std::numeric_limits<std::uint64_t>::max()) return std::to_string(static_cast<std::uint64_t>(number.whole));
  return fail(Code::number_out_of_range, "the result does not fit a 64-bit integer; give one value with a decimal point for an inexact result");
}

std::optional<lang::JsonView> Arguments::find(std::string_view name) const {
  auto value = object_.find(name);
  if (value && value->is_null()) value.reset();
  return value;
}

Error Arguments::error(Code code, std::string_view name, std::string_view rest) const {
  return make_error(code, fmt::format("builtin '{}': argument '{}' {}", builtin_, name, rest));
}

Error Arguments::wrong_type(std::string_view name, std::string_view wanted, lang::JsonKind given) const {
  return error(Code::argument_type, name, fmt::format("must be {}, but it is a {}", wanted, lang::name(given)));
}

Result<std::optional<lang::JsonView>> Arguments::optional(std::string_view name, lang::JsonKind kind) const {
  const auto value = find(name);
  if (value && value->kind() != kind) return fail(wrong_type(name, fmt::format("a {}", lang::name(kind)), value->kind()));
  return value;
}

Result<lang::JsonView> Arguments::required(std::string_view name, lang::JsonKind kind) const {
  auto value = optional(name, kind);
  if (!value) return fail(std::move(value).error());
  if (!*value) return fail(error(Code::argument_missing, name, fmt::format("is missing; give a {}", lang::name(kind))));
  return **value;
}

Result<std::string> Arguments::string(std::string_view name) const {
  return required(name, lang::JsonKind::string).map([](lang::JsonView value) { return value.string(); });
}

Result<std::string> Arguments::string_or(std::string_view name, std::string_view otherwise) const {
  return optional(name, lang::JsonKind::string).map([&](const auto& value) { return value ? value->string() : std::string{otherwise}; });
}

Result<std::int64_t> Arguments::integer_or(std::string_view name, std::int64_t otherwise, std::int64_t low, std::int64_t high) const {
  auto value = optional(name, lang::JsonKind::number);
  if (!value) return fail(std::move(value).error());
  if (!*value) return otherwise;
  const auto number = read_number(**value);
  if (!number.exact) return fail(error(Code::argument_type, name, fmt::format("must be an integer, but it is {}", (*value)->text())));
  if (number.whole < low || number.whole > high) {
    return fail(error(Code::field_value, name, fmt::format("must be from {} to {}, but it is {}", low, high, (*value)->text())));
  }
  return static_cast<std::int64_t>(number.whole);
}

}  // namespace catena::worker
