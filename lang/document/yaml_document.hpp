#pragma once
// YAML into the tree of document.hpp. Internal to lang/; callers use read_document.
#include <string_view>

#include "lang/document/document.hpp"

namespace catena::lang {

/// `text` is valid UTF-8 without a byte-order mark, at most limits::kDocumentBytesMax long.
[[nodiscard]] Result<Node> read_yaml_document(std::string_view text, std::string_view file);

}  // namespace catena::lang
