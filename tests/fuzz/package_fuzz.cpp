// Any text as a definition.
#include "tests/fuzz/definition.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  catena::fuzz::load(std::string{catena::fuzz::text_of(data, size)});
  return 0;
}
