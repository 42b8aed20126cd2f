// The entry of a libFuzzer program, which runs the target CATENA_FUZZ_TARGET.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  catena::fuzz::CATENA_FUZZ_TARGET({reinterpret_cast<const char*>(data), size});
  return 0;
}
