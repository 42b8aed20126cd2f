#include "cli/show/style.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace catena::cli {
namespace {

struct Looks {
  std::string_view status;
  Shade shade;
  std::string_view symbol;
  std::string_view letter;  // where there are no symbols
};
constexpr std::array kLooks{
    Looks{"succeeded", Shade::good, "✓", "+"}, Looks{"completed", Shade::good, "✓", "+"},   Looks{"ok", Shade::good, "✓", "+"},
    Looks{"failed", Shade::bad, "✗", "x"},     Looks{"quarantined", Shade::bad, "✗", "x"},  Looks{"lost", Shade::bad, "✗", "x"},
    Looks{"in_doubt", Shade::bad, "?", "?"},   Looks{"running", Shade::busy, "▸", ">"},     Looks{"pending", Shade::busy, "▸", ">"},
    Looks{"paused", Shade::busy, "‖", "="},    Looks{"interrupted", Shade::busy, "‖", "="}, Looks{"ready", Shade::good, "✓", "+"},
    Looks{"open", Shade::good, "✓", "+"},      Looks{"draining", Shade::busy, "▸", ">"},    Looks{"cordoned", Shade::busy, "‖", "="},
    Looks{"skipped", Shade::faint, "-", "-"},  Looks{"cancelled", Shade::faint, "-", "-"},  Looks{"never entered", Shade::faint, "·", "."}};

const Looks* looks_of(std::string_view status) {
  // "lost 3m ago" and "failed, exit 4" begin with the word
  const auto* const found = std::ranges::find_if(kLooks, [&](const Looks& looks) {
    return status.starts_with(looks.status) &&
           (status.size() == looks.status.size() || status.find_first_of(" ,:", looks.status.size()) == looks.status.size());
  });
  return found == kLooks.end() ? nullptr : found;
}

std::string_view code_of(Shade shade) {
  switch (shade) {
    case Shade::plain: return "";
    case Shade::good: return "\x1b[32m";
    case Shade::bad: return "\x1b[31m";
    case Shade::busy: return "\x1b[33m";
    case Shade::faint: return "\x1b[2m";
    case Shade::strong: return "\x1b[1m";
  }
  return "";
}

}  // namespace

std::string painted(std::string_view text, Shade shade, const Style& style) {
  if (!style.color || shade == Shade::plain || text.empty()) return std::string{text};
  return fmt::format("{}{}\x1b[0m", code_of(shade), text);
}

Shade shade_of_status(std::string_view status) {
  const auto* const looks = looks_of(status);
  return looks == nullptr ? Shade::plain : looks->shade;
}

std::string_view symbol_of_status(std::string_view status, const Style& style) {
  const auto* const looks = looks_of(status);
  if (looks == nullptr) return style.symbols ? "·" : ".";
  return style.symbols ? looks->symbol : looks->letter;
}

}  // namespace catena::cli
