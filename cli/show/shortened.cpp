#include "cli/show/shortened.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include <nlohmann/json.hpp>

#include "base/unicode.hpp"
#include "cli/console.hpp"
#include "cli/show/text.hpp"

namespace catena::cli {
namespace {

constexpr std::size_t kParsedMax = 4UL << 20U;  // a larger value is not looked into

/// How much of a value is shown.
struct Measure {
  std::size_t members = 0;  // of a list or an object, the outermost excepted
  std::size_t depth = 0;
  std::size_t text_lines = 0;  // of a text
};
constexpr auto kAll = std::numeric_limits<std::size_t>::max();
constexpr std::array kMeasures{Measure{kAll, kAll, kAll}, Measure{10, kAll, kAll}, Measure{4, kAll, kAll}, Measure{4, 3, kAll},
                               Measure{3, 2, kAll},       Measure{0, 1, kAll},     Measure{0, 1, 12},      Measure{0, 1, 4}};

using Ordered = nlohmann::ordered_json;  // a reader finds members where the definition put them

std::string text_of(const Ordered& value) { return value.dump(-1, ' ', false, Ordered::error_handler_t::replace); }

class ShortWriter {
 public:
  ShortWriter(const Measure& measure, std::size_t width, const Style& style) : measure_{measure}, width_{width}, style_{style} {}

  std::vector<std::string> write(const Ordered& value) {
    put(value, "", "", 0);
    return std::move(lines_);
  }

 private:
  void line(const std::string& text) { lines_.push_back(cut(printable(text), width_, style_)); }

  static std::string counted_inside(const Ordered& value) {
    return value.is_array() ? counted(value.size(), "item") : counted(value.size(), "member");
  }

  /// `before`: what stands before the value on its line; `after`: behind it.
  void put(const Ordered& value, const std::string& before, std::string_view after, std::size_t depth) {
    const std::string indent(2 * depth, ' ');
    if (value.is_string()) return put_text(value.get_ref<const std::string&>(), indent, before, after);
    if (!value.is_structured() || value.empty()) return line(fmt::format("{}{}{}{}", indent, before, text_of(value), after));
    const auto open = value.is_array() ? '[' : '{';
    const auto close = value.is_array() ? ']' : '}';
    const auto most = depth == 0 ? kAll : measure_.members;
    if (depth >= measure_.depth || most == 0)
      return line(fmt::format("{}{}{}{} {}{}{}", indent, before, open, ellipsis(style_), counted_inside(value), close, after));
    line(fmt::format("{}{}{}", indent, before, open));
    std::size_t at = 0;
    for (const auto& [key, member] : value.items()) {
      if (at == most && value.size() > most + 1) {
        line(fmt::format("{}  {} {} more", indent, ellipsis(style_), value.size() - at));
        break;
      }
      ++at;
      put(member, value.is_array() ? "" : text_of(key) + ": ", at == value.size() ? "" : ",", depth + 1);
    }
    line(fmt::format("{}{}{}", indent, close, after));
  }

  void put_text(const std::string& text, const std::string& indent, const std::string& before, std::string_view after) {
    if (text.find('\n') == std::string::npos) return line(fmt::format("{}{}{}{}", indent, before, text_of(text), after));
    line(fmt::format("{}{}|", indent, before));
    std::size_t shown = 0;
    for (std::string_view rest = text; !rest.empty();) {
      const auto end = rest.find('\n');
      if (shown++ == measure_.text_lines) {
        line(
            fmt::format("{}  {} {} more", indent, ellipsis(style_), counted(static_cast<std::uint64_t>(std::ranges::count(rest, '\n')) + 1, "line")));
        return;
      }
      auto written = std::string{rest.substr(0, end)};
      std::ranges::replace(written, '\t', ' ');
      line(fmt::format("{}  {}", indent, written));
      if (end == std::string_view::npos) return;
      rest.remove_prefix(end + 1);
    }
  }

  const Measure& measure_;
  std::size_t width_;
  const Style& style_;
  std::vector<std::string> lines_;
};

std::vector<std::string> indented(std::string_view compact) {
  std::vector<std::string> lines(1);
  pretty_json(compact, [&](std::string_view piece) {
    for (auto end = piece.find('\n'); end != std::string_view::npos; end = piece.find('\n')) {
      lines.back() += piece.substr(0, end);
      lines.emplace_back();
      piece.remove_prefix(end + 1);
    }
    lines.back() += piece;
  });
  for (auto& each : lines) each = printable(each);
  return lines;
}

}  // namespace

Shortened shortened_json(std::string_view compact, std::size_t width, std::size_t height, const Style& style) {
  auto lines = indented(compact);
  const bool fits = lines.size() <= height && std::ranges::all_of(lines, [&](const auto& text) { return display_width(text) <= width; });
  if (fits) return {std::move(lines), true};
  const auto value = compact.size() <= kParsedMax ? Ordered::parse(compact, nullptr, false) : Ordered();
  if (value.is_structured() || value.is_string()) {
    for (const auto& measure : kMeasures) {
      lines = ShortWriter{measure, width, style}.write(value);
      if (lines.size() <= height) return {std::move(lines), false};
    }
  }
  const auto more = lines.size() > height ? lines.size() - height + 1 : 0;
  if (more > 0) lines.resize(height - 1);
  for (auto& each : lines) each = cut(each, width, style);
  if (more > 0) lines.push_back(fmt::format("{} {} more", ellipsis(style), counted(more, "line")));
  return {std::move(lines), false};
}

}  // namespace catena::cli
