#pragma once
// Plain scalars of YAML. Internal to lang/document.
#include <string_view>

#include "base/json.hpp"
#include "base/result.hpp"

namespace catena::lang {

/// What a plain (unquoted) scalar means by the core schema of YAML 1.2. Error: number_out_of_range, without a place.
[[nodiscard]] Result<Json> resolve_plain_scalar(std::string_view text);

}  // namespace catena::lang
