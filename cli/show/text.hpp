#pragma once
// How values look to a person: pure functions.
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "lang/document/json_text.hpp"

namespace catena::cli {

/// Takes a piece of text; pieces follow each other.
using Sink = std::function<void(std::string_view)>;

/// The value with an indentation of two spaces, as nlohmann's dump(2) has it, without building a tree of it.
void pretty_json(std::string_view compact, const Sink& sink);

/// Columns as wide as their widest cell, two spaces between them, the last one open; "" for no rows. In a terminal of so many `columns` (0: in
/// none) the widest are cut until a row fits. Widths are those of a terminal: 2 of a Chinese character.
[[nodiscard]] std::string table(const std::vector<std::string>& header, const std::vector<std::vector<std::string>>& rows, std::size_t columns = 0);

/// "0.4s", "12s", "3m 5s", "2h 4m", "5d 3h": to the two units that matter.
[[nodiscard]] std::string span_text(Millis span);

/// "3m ago", "just now": to the one unit that matters.
[[nodiscard]] std::string age_text(UnixMillis age);

/// At most `width` columns of a terminal; what was cut ends with an ellipsis.
[[nodiscard]] std::string cut(std::string_view text, std::size_t width);

/// "1 step", "2 steps".
[[nodiscard]] std::string counted(std::uint64_t count, std::string_view noun);

}  // namespace catena::cli
