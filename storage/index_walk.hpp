#pragma once
// What several indices of chains have in common, in their order: whoever has fewer entries decides how many are read of the others. An index is
// a range of keys that begin with the same bytes; what follows them is the place of a chain, which is the same in each index. Several ranges can
// be one index together.
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "storage/kv.hpp"

namespace catena::storage {

struct IndexWalk {
  std::vector<std::string> prefixes;     // of the keys of each index; at least one
  std::vector<std::string> any_of = {};  // of the keys of one more index, which has what at least one of these has; empty: there is none
  std::string from = {};                 // the first place; empty: from the first that there is
  std::string to = {};                   // places before this one alone; empty: up to the last
};

/// Answers false to stop. The value is that of the first index.
using PlaceVisitor = std::function<bool(std::string_view place, std::string_view value)>;
/// Asked behind each step, with the entries that were read of all indices so far; false ends the walk.
using WalkBound = std::function<bool(std::size_t entries)>;

/// Visits each place that all indices have. Where the bound ended the walk: the last place that was looked at, behind which it goes on.
[[nodiscard]] Result<std::optional<std::string>> walk_indices(const Kv& kv, const IndexWalk& walk, const WalkBound& bound,
                                                              const PlaceVisitor& visitor);

}  // namespace catena::storage
