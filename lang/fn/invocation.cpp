#include "lang/fn/invocation.hpp"

#include <fmt/format.h>

#include <limits>

namespace catena::lang::fn {
namespace {

const Json& empty_list() {
  static const Json list = Json::array();
  return list;
}

}  // namespace

Result<Json> Invocation::take(Value value) {
  if (value.is_borrowed()) {
    if (auto paid = charge(steps_of(value.get()), bytes_of(value.get())); !paid) return fail(paid.error());
  }
  return std::move(value).take();
}

tl::unexpected<Error> Invocation::expected(std::string_view what, const Json& got, std::size_t param) const {
  return refuse(Code::expression_value, fmt::format("needs {}, got {}", what, kind_of(got)), param);
}

Result<Value> Invocation::list(std::size_t param) {
  auto got = value(param);
  if (!got) return got;
  if (got->get().is_null()) return Value::borrowed(empty_list());
  if (!got->get().is_array()) return expected("a list", got->get(), param);
  if (auto paid = charge(got->get().size(), 0); !paid) return fail(paid.error());
  return got;
}

Result<Value> Invocation::text(std::size_t param) {
  constexpr std::size_t kBytesAStep = 64;
  auto got = value(param);
  if (!got) return got;
  if (!got->get().is_string()) return expected("a string", got->get(), param);
  if (auto paid = charge(1 + got->get().get_ref<const std::string&>().size() / kBytesAStep, 0); !paid) return fail(paid.error());
  return got;
}

Result<std::int64_t> Invocation::integer(std::size_t param) {
  const auto got = value(param);
  if (!got) return fail(got.error());
  return integer_of(got->get(), param);
}

Result<std::int64_t> Invocation::integer_or(std::size_t param, std::int64_t otherwise) {
  const auto got = value(param);
  if (!got) return fail(got.error());
  return got->get().is_null() ? otherwise : integer_of(got->get(), param);
}

Result<std::int64_t> Invocation::integer_of(const Json& number, std::size_t param) const {
  if (!number.is_number_integer()) return expected("an integer", number, param);
  if (number.is_number_unsigned() && number.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return refuse(Code::number_out_of_range, "is too large", param);
  }
  return number.get<std::int64_t>();
}

Result<Value> Invocation::number(Number computed) {
  if (!computed) return refuse(computed.error().code, computed.error().message, kParamsMax);
  return Value{std::move(*computed)};
}

}  // namespace catena::lang::fn
