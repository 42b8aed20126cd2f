#pragma once
// Text as JSON has it, without a JSON value between.
#include <string>
#include <string_view>

namespace catena {

/// Appends dump_lossy(Json(text)).
void append_dumped(std::string& out, std::string_view text);

}  // namespace catena
