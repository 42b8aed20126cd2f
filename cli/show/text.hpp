#pragma once
// How values look to a person: pure functions.
#include <functional>
#include <string>
#include <string_view>

#include "base/chain_labels.hpp"
#include "base/span_text.hpp"
#include "base/time.hpp"
#include "cli/show/style.hpp"
#include "lang/document/json_text.hpp"

namespace catena::cli {

/// Takes a piece of text; pieces follow each other.
using Sink = std::function<void(std::string_view)>;

/// The value with an indentation of two spaces, as nlohmann's dump(2) has it, without building a tree of it.
void pretty_json(std::string_view compact, const Sink& sink);

/// "3m ago", "just now": to the one unit that matters.
[[nodiscard]] std::string age_text(UnixMillis age);

/// At most `width` columns of a terminal; what was cut ends with an ellipsis.
[[nodiscard]] std::string cut(std::string_view text, std::size_t width, const Style& style = {.symbols = true});

/// The same with the ellipsis in the middle.
[[nodiscard]] std::string cut_middle(std::string_view text, std::size_t width, const Style& style = {.symbols = true});

/// Lines of at most `width` columns (0: as they are), broken between words. What goes on stands below its beginning: behind the gap of a list of
/// options, or as far in as the line began.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t width);

/// "1 step", "2 steps".
[[nodiscard]] std::string counted(std::uint64_t count, std::string_view noun);

/// "stage=prod team=a".
[[nodiscard]] std::string label_words(const ChainLabels& labels);

}  // namespace catena::cli
