#pragma once
// The JSON value used everywhere a parsed value is needed. Objects are ordered by key, so equal values print alike.
#include <nlohmann/json.hpp>
#include <string>

namespace catena {
using Json = nlohmann::json;

/// On one line. Bytes that are no UTF-8 become U+FFFD, where `Json::dump` would throw.
[[nodiscard]] std::string dump_lossy(const Json& json);
}  // namespace catena
