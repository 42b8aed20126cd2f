#pragma once
// What can be written at a place of a definition, while it is being written. The answer comes from the checker itself: a probe stands at the place,
// and what the checker knows in place of the probe is what can be written there. So it is the same for all dialects, in JSON and in YAML.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lang/package/package.hpp"

namespace catena::lang {

enum class CompletionKind : std::uint8_t { key, tool, step, reference, function, value };
inline constexpr std::array kCompletionKindNames{std::string_view{"key"},       std::string_view{"tool"},     std::string_view{"step"},
                                                 std::string_view{"reference"}, std::string_view{"function"}, std::string_view{"value"}};
[[nodiscard]] constexpr std::string_view name(CompletionKind kind) { return kCompletionKindNames[static_cast<std::size_t>(kind)]; }

struct Completion {
  std::string label = {};
  CompletionKind kind = CompletionKind::key;
  std::string insert = {};  // in place of the word that ends at the place, with what has to stand around it
};
struct Completions {
  std::vector<Completion> rows = {};
  std::uint32_t column = 0;  // where the word begins that they complete, in the line of the place
};
/// Rows of one answer.
inline constexpr std::size_t kCompletionsMax = 200;

/// `at`: line and column, in bytes from 1; those of a text that is shorter are its end. `key` names the text in the package. Nothing, where the text
/// around the place is not whole enough to be read even with the probe.
[[nodiscard]] Completions complete(std::string_view text, const std::string& key, const Place& at, const SourceFinder& finder,
                                   const Catalog& catalog);

}  // namespace catena::lang
