#pragma once
// Words that nobody guesses, and comparing them without telling how much was right.
#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace catena::link {

/// Two hex digits a byte, from the system's source. Errors: internal.
[[nodiscard]] Result<std::string> random_hex(std::size_t bytes);
/// In a time that depends on neither's content.
[[nodiscard]] bool same_secret(std::string_view a, std::string_view b);

}  // namespace catena::link
