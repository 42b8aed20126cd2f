#pragma once
// What a terminal can show, and how words of a kind look there. Pure.
#include <cstdint>
#include <string>
#include <string_view>

namespace catena::cli {

/// Of the stream that is written to.
struct Style {
  bool color = false;
  bool symbols = false;  // it shows more than ASCII
};

enum class Shade : std::uint8_t { plain, good, bad, busy, faint, strong };

/// The text in that colour, where there are colours.
[[nodiscard]] std::string painted(std::string_view text, Shade shade, const Style& style);

/// Of a chain's, a step's, an item's or a worker's status, as it is printed.
[[nodiscard]] Shade shade_of_status(std::string_view status);

/// One column wide, for a status.
[[nodiscard]] std::string_view symbol_of_status(std::string_view status, const Style& style);

[[nodiscard]] constexpr std::string_view ellipsis(const Style& style) { return style.symbols ? "…" : "..."; }

}  // namespace catena::cli
