// Any text as a composite, or as the steps of one.
#include "tests/fuzz/definition.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  catena::fuzz::load_in("composite", catena::fuzz::text_of(data, size), "implementation:\n  type: composite\n  composite:\n    steps:");
  return 0;
}
