// Any text as a pipeline, or as the steps of one.
#include "tests/fuzz/definition.hpp"
#include "tests/fuzz/targets.hpp"

namespace catena::fuzz {

void fuzz_pipeline(std::string_view text) { load_in("pipeline", text, "mode: compose\nsteps:"); }

}  // namespace catena::fuzz
