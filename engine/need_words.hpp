#pragma once
// Words about needs that others tell apart.
#include <string_view>

namespace catena::engine {

/// How words about a need begin that only has to wait for its turn: see explain in placement.hpp.
inline constexpr std::string_view kAllBusy = "all workers that fit are busy";

}  // namespace catena::engine
