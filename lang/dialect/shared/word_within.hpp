#pragma once
// References that stand within a text, where a dialect takes the text for what it is.
#include <optional>
#include <span>
#include <string_view>

namespace catena::lang {

/// The first of the words that stands in the text as `$word`, and is not part of a longer word.
[[nodiscard]] std::optional<std::string_view> word_within(std::string_view text, std::span<const std::string_view> words);

}  // namespace catena::lang
