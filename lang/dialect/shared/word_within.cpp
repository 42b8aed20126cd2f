#include "lang/dialect/shared/word_within.hpp"

#include "lang/program/reference.hpp"

namespace catena::lang {

std::optional<std::string_view> word_within(std::string_view text, std::span<const std::string_view> words) {
  for (auto at = text.find('$'); at != std::string_view::npos; at = text.find('$', at + 1)) {
    const auto behind = text.substr(at + 1);
    for (const auto word : words) {
      if (behind.starts_with(word) && (behind.size() == word.size() || !is_step_id_char(behind[word.size()]))) return word;
    }
  }
  return std::nullopt;
}

}  // namespace catena::lang
