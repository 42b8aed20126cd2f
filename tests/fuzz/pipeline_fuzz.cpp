// Any text as a pipeline, or as the steps of one.
#include "tests/fuzz/definition.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  catena::fuzz::load_in("pipeline", catena::fuzz::text_of(data, size), "mode: compose\nsteps:");
  return 0;
}
