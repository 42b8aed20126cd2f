// Any text as a plan, or as the steps of one.
#include "tests/fuzz/definition.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  catena::fuzz::load_in("plan", catena::fuzz::text_of(data, size), "arguments: []\nsteps:");
  return 0;
}
