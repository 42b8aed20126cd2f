#include "base/random.hpp"

#include <sys/random.h>

#include <random>

namespace catena {

/// The kernel is asked directly: what opens a device of the library looks at the processor first, which costs more than all else here.
std::uint64_t entropy() {
  std::uint64_t number = 0;
  if (::getrandom(&number, sizeof number, 0) == sizeof number) return number;
  std::random_device device;
  return (static_cast<std::uint64_t>(device()) << 32U) | device();
}

std::string readable_id(std::string_view prefix, std::uint64_t number) {
  constexpr std::string_view kAlphabet = "0123456789bcdfghjkmnpqrstvwxyz";
  std::string id{prefix};
  id += '-';
  for (int digit = 0; digit < 12; ++digit) {
    id += kAlphabet[number % kAlphabet.size()];
    number /= kAlphabet.size();
  }
  return id;
}

}  // namespace catena
