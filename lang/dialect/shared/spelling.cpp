#include "lang/dialect/shared/spelling.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace catena::lang {

std::string said_otherwise(const Spelling& own, std::string_view key) {
  const auto& other = own.dialect == kToolSpelling.dialect ? kAgentSpelling : kToolSpelling;
  const std::array<std::pair<std::string_view, std::string_view>, 7> words{{{other.arguments, own.arguments},
                                                                            {other.responses, own.responses},
                                                                            {other.call_path, own.call_path},
                                                                            {other.call_inline, own.call_inline},
                                                                            {other.short_type, own.type},
                                                                            {other.type, own.type},
                                                                            {other.default_value, own.default_value}}};
  for (const auto& [theirs, ours] : words) {
    if (theirs != key || theirs.empty() || ours.empty() || theirs == ours) continue;
    return fmt::format("is a word of the {} dialect; this document is in the {} dialect, write '{}'", other.dialect, own.dialect, ours);
  }
  return {};
}

}  // namespace catena::lang
