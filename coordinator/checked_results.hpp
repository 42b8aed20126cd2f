#pragma once
// Where what a worker says comes in from another process.
#include "actors/protocol.hpp"

namespace catena::coordinator {

/// Texts become what parse_json_text makes of them. One that is no JSON, or nests too deep to be looked at, becomes the error
/// tool_output_invalid of its attempt; the others of the report stay. A checkpoint or a usage that could not be is left out.
void check_results(actors::WorkReport& report);
/// The same of what an attempt says while it runs; a text is cut.
void check_note(actors::AttemptNote& note);

}  // namespace catena::coordinator
