#pragma once
// Calls of the file store that came from other nodes. Blocks like the store: for detached actors and threads of their own.
#include <string>
#include <string_view>

#include "actors/file_codec.hpp"
#include "lang/file_port.hpp"

namespace catena::coordinator {

/// Always an answer; what cannot be read is answered with an error.
[[nodiscard]] actors::FileReply serve_file_call(std::string_view what, std::string_view body, std::string content, lang::FileStore& files);

}  // namespace catena::coordinator
