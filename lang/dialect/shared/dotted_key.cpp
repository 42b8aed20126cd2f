#include "lang/dialect/shared/dotted_key.hpp"

namespace catena::lang {

std::vector<std::string> split_at_dots(std::string_view key) {
  std::vector<std::string> parts;
  for (;;) {
    const auto dot = key.find('.');
    parts.emplace_back(key.substr(0, dot));
    if (dot == std::string_view::npos) return parts;
    key.remove_prefix(dot + 1);
  }
}

}  // namespace catena::lang
