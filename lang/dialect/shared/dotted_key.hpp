#pragma once
// Keys of nested fields, with dots between the names: "user.name".
#include <string>
#include <string_view>
#include <vector>

namespace catena::lang {

/// The names, at least one; an empty one where nothing stands before, behind or between dots.
[[nodiscard]] std::vector<std::string> split_at_dots(std::string_view key);

}  // namespace catena::lang
