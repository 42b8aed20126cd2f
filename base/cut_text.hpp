#pragma once
// Texts as messages show them: shortened, but never inside a character.
#include <cstddef>
#include <string_view>

namespace catena {

/// The longest beginning of at most so many bytes that ends between two characters of UTF-8. Of bytes that are no UTF-8: some beginning.
[[nodiscard]] std::string_view cut_text(std::string_view text, std::size_t bytes_max);

}  // namespace catena
