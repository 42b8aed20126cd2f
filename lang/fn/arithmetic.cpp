#include "lang/fn/arithmetic.hpp"

#include <cmath>
#include <cstdint>
#include <limits>

namespace catena::lang::fn {
namespace {

Wide wide(const Json& integer) {
  return integer.is_number_unsigned() ? static_cast<Wide>(integer.get<std::uint64_t>()) : static_cast<Wide>(integer.get<std::int64_t>());
}

bool integers(const Json& a, const Json& b) { return !a.is_number_float() && !b.is_number_float(); }

tl::unexpected<Trouble> overflow() {
  return tl::unexpected<Trouble>{Trouble{Code::number_out_of_range,
                                         "the integer result does not fit in 64 bits; make one side a decimal (1.0) if an "
                                         "approximate result will do"}};
}

tl::unexpected<Trouble> by_zero(const char* what) { return tl::unexpected<Trouble>{Trouble{Code::number_out_of_range, what}}; }

Number narrow(Wide value) {
  if (value < 0) {
    if (value < std::numeric_limits<std::int64_t>::min()) return overflow();
    return Json(static_cast<std::int64_t>(value));
  }
  if (value > static_cast<Wide>(std::numeric_limits<std::uint64_t>::max())) return overflow();
  return Json(static_cast<std::uint64_t>(value));
}

}  // namespace

Number finite(double value) {
  if (std::isfinite(value)) return Json(value);
  return tl::unexpected<Trouble>{Trouble{Code::number_out_of_range, "the result is larger than a number can be"}};
}

Number add(const Json& a, const Json& b) { return integers(a, b) ? narrow(wide(a) + wide(b)) : finite(a.get<double>() + b.get<double>()); }

Number subtract(const Json& a, const Json& b) { return integers(a, b) ? narrow(wide(a) - wide(b)) : finite(a.get<double>() - b.get<double>()); }

Number multiply(const Json& a, const Json& b) {
  if (!integers(a, b)) return finite(a.get<double>() * b.get<double>());
  Wide product = 0;
  return __builtin_mul_overflow(wide(a), wide(b), &product) ? Number{overflow()} : narrow(product);
}

Number divide(const Json& a, const Json& b) {
  if (b.get<double>() == 0.0) return by_zero("division by zero");
  if (integers(a, b) && wide(a) % wide(b) == 0) return narrow(wide(a) / wide(b));
  return finite(a.get<double>() / b.get<double>());
}

Number modulo(const Json& a, const Json& b) {
  if (b.get<double>() == 0.0) return by_zero("the remainder of a division by zero");
  if (integers(a, b)) {
    const auto rest = wide(a) % wide(b);
    return narrow(rest != 0 && (rest < 0) != (wide(b) < 0) ? rest + wide(b) : rest);
  }
  const auto divisor = b.get<double>();
  const auto rest = std::fmod(a.get<double>(), divisor);
  return finite(rest != 0 && (rest < 0) != (divisor < 0) ? rest + divisor : rest);
}

Number negate(const Json& a) { return a.is_number_float() ? finite(-a.get<double>()) : narrow(-wide(a)); }

}  // namespace catena::lang::fn
