#include "base/random.hpp"

#include <random>

namespace catena {

std::uint64_t entropy() {
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
