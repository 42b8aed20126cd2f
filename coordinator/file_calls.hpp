#pragma once
// Calls of the file store that came from other nodes. Blocks like the store: for detached actors and threads of their own.
#include "actors/file_calls.hpp"
#include "lang/file/file_port.hpp"

namespace catena::coordinator {

/// Always an answer; a call that cannot be meant is answered with an error.
[[nodiscard]] actors::FileReply serve_file_call(actors::FileAsk ask, lang::FileStore& files);

}  // namespace catena::coordinator
