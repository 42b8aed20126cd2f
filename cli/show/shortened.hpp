#pragma once
// A response that is larger than the terminal, as far as there is room for it. Pure.
#include <string>
#include <string_view>
#include <vector>

#include "cli/show/style.hpp"

namespace catena::cli {

struct Shortened {
  std::vector<std::string> lines;
  bool whole = true;  // they are all of the value, as JSON
};

/// The value, indented; where that is wider or higher than the room, with what is inside of it folded, from the innermost on, and texts of several
/// lines as lines behind a "|".
[[nodiscard]] Shortened shortened_json(std::string_view compact, std::size_t width, std::size_t height, const Style& style);

}  // namespace catena::cli
