#include "base/time.hpp"

#include <fmt/format.h>

#include "lang/fn/families.hpp"

namespace catena::lang::fn {

Result<Value> datetime_now(Invocation& call) {
  constexpr UnixMillis kSecond = 1000;
  const auto format = call.text(0);
  if (!format) return format;
  const auto& wanted = format->get().get_ref<const std::string&>();
  if (wanted == "iso") return Value{iso8601(call.now())};
  if (wanted == "unix") return Value{call.now() / kSecond};
  return call.refuse(Code::expression_value, fmt::format("must be \"iso\" or \"unix\", not \"{}\"", wanted), 0);
}

}  // namespace catena::lang::fn
