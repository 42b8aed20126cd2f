#pragma once
// YAML into the tree of document.hpp. Internal to lang/; callers use read_document.
#include <string_view>

#include "lang/document.hpp"

namespace catena::lang {

/// `text` is valid UTF-8 without a byte-order mark, at most limits::kDocumentBytesMax long.
[[nodiscard]] Result<Node> read_yaml_document(std::string_view text, std::string_view file);

/// What a plain (unquoted) scalar means by the core schema of YAML 1.2. Error: number_out_of_range, without a place.
[[nodiscard]] Result<Json> resolve_plain_scalar(std::string_view text);

}  // namespace catena::lang
