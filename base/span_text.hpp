#pragma once
#include <string>

#include "base/time.hpp"

namespace catena {

/// "0.4s", "12s", "3m 5s", "2h 4m", "5d 3h": to the two units that matter.
[[nodiscard]] std::string span_text(Millis span);

}  // namespace catena
