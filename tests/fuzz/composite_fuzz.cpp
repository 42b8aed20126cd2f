// Any text as a composite, or as the steps of one.
#include "tests/fuzz/definition.hpp"
#include "tests/fuzz/targets.hpp"

namespace catena::fuzz {

void fuzz_composite(std::string_view text) { load_in("composite", text, "implementation:\n  type: composite\n  composite:\n    steps:"); }

}  // namespace catena::fuzz
