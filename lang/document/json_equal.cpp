#include "lang/document/json_equal.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace catena::lang {
namespace {

std::partial_ordering order(auto a, auto b) {
  if (std::cmp_less(a, b)) return std::partial_ordering::less;
  return std::cmp_equal(a, b) ? std::partial_ordering::equivalent : std::partial_ordering::greater;
}

/// An integer (signed or unsigned) against a float: by the whole part, then by what stands behind the point.
template <class Integer>
std::partial_ordering order_with_float(Integer a, double b) {
  constexpr double kBelowAll = -0x1p63;
  constexpr double kAboveAll = 0x1p64;
  if (std::isnan(b)) return std::partial_ordering::unordered;
  if (b < kBelowAll) return std::partial_ordering::greater;
  if (b >= kAboveAll) return std::partial_ordering::less;
  const double whole = std::trunc(b);
  const auto by_whole = whole < 0 ? order(a, static_cast<std::int64_t>(whole)) : order(a, static_cast<std::uint64_t>(whole));
  return by_whole == std::partial_ordering::equivalent ? whole <=> b : by_whole;
}

std::partial_ordering order_with_float(const Json& integer, double b) {
  return integer.is_number_unsigned() ? order_with_float(integer.get<std::uint64_t>(), b) : order_with_float(integer.get<std::int64_t>(), b);
}

std::partial_ordering reverse(std::partial_ordering ordering) { return 0 <=> ordering; }

}  // namespace

std::partial_ordering compare_numbers(const Json& a, const Json& b) {
  if (a.is_number_float() && b.is_number_float()) return a.get<double>() <=> b.get<double>();
  if (b.is_number_float()) return order_with_float(a, b.get<double>());
  if (a.is_number_float()) return reverse(order_with_float(b, a.get<double>()));
  if (a.is_number_unsigned()) {
    return b.is_number_unsigned() ? order(a.get<std::uint64_t>(), b.get<std::uint64_t>()) : order(a.get<std::uint64_t>(), b.get<std::int64_t>());
  }
  return b.is_number_unsigned() ? order(a.get<std::int64_t>(), b.get<std::uint64_t>()) : order(a.get<std::int64_t>(), b.get<std::int64_t>());
}

bool json_equal(const Json& a, const Json& b) {
  if (a.is_number() && b.is_number()) return compare_numbers(a, b) == std::partial_ordering::equivalent;
  if (a.type() != b.type()) return false;
  if (a.is_array()) return std::ranges::equal(a, b, json_equal);
  if (!a.is_object()) return a == b;
  return a.size() == b.size() && std::equal(a.items().begin(), a.items().end(), b.items().begin(), [](const auto& left, const auto& right) {
           return left.key() == right.key() && json_equal(left.value(), right.value());
         });
}

}  // namespace catena::lang
