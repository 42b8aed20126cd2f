#pragma once
// What is a character of UTF-8, in one place.
#include <cstddef>
#include <string_view>

namespace catena {

/// Bytes of the well-formed sequence at the front (Unicode 15, table 3-7); 0: there is none.
[[nodiscard]] std::size_t utf8_length(std::string_view bytes);

}  // namespace catena
