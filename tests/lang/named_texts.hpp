#pragma once
// Definitions in memory, called by their names.
#include <algorithm>
#include <array>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "lang/package/definition_name.hpp"
#include "lang/package/package.hpp"

namespace catena::lang::test {

/// The definition that calls itself `name`, or, where it calls itself nothing, whose path has that stem. Of several the first by path.
inline Result<Source> named_in(const std::map<std::string, std::string>& texts, std::string_view name) {
  constexpr std::array<std::string_view, 5> kEndings{".tool", ".agent", ".yaml", ".yml", ".json"};
  std::vector<std::string> known;
  for (const auto& [path, text] : texts) {
    if (std::ranges::none_of(kEndings, [&path = path](auto ending) { return path.ends_with(ending); })) continue;
    std::istringstream in{text};
    const auto declared = declared_name(in);
    if (!declared) continue;
    known.push_back(declared->value_or(file_stem(path)));
    if (known.back() == name) return Source{path, text};
  }
  return fail(no_tool_named(name, known));
}

}  // namespace catena::lang::test
