#pragma once
// The JSON value used everywhere a parsed value is needed. Objects are ordered by key, so equal values print alike.
#include <nlohmann/json.hpp>

namespace catena {
using Json = nlohmann::json;
}  // namespace catena
