#pragma once
// What settings get wrong together, where each is right by itself.
#include "config/settings.hpp"

namespace catena::config {

/// Errors: field_value, with the file of one of them.
[[nodiscard]] Result<void> check_together(const Loaded& loaded);

}  // namespace catena::config
