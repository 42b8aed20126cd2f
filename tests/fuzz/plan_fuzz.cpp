// Any text as a plan, or as the steps of one.
#include "tests/fuzz/definition.hpp"
#include "tests/fuzz/targets.hpp"

namespace catena::fuzz {

void fuzz_plan(std::string_view text) { load_in("plan", text, "arguments: []\nsteps:"); }

}  // namespace catena::fuzz
