// Any text as a definition.
#include "tests/fuzz/definition.hpp"
#include "tests/fuzz/targets.hpp"

namespace catena::fuzz {

void fuzz_package(std::string_view text) { load(std::string{text}); }

}  // namespace catena::fuzz
