#pragma once
// The JSON Schemas (2020-12, as OpenAPI 3.1 has them) of bodies and answers, by name.
#include <span>
#include <string_view>

namespace catena::api {

struct NamedSchema {
  std::string_view name;
  std::string_view text;  // JSON
};
[[nodiscard]] std::span<const NamedSchema> schemas();

}  // namespace catena::api
