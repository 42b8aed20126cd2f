#pragma once
// A terminal as a picture (SVG) that moves: screens that follow each other, in a loop. Letters are text, so that it stays small and can be read by a
// screen reader. Nothing of it depends on the machine.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cli_test {

/// What is on the screen for a time; with the codes of colours that catena writes.
struct Frame {
  std::vector<std::string> lines;
  std::int64_t for_ms = 0;
};

class Picture {
 public:
  Picture(std::string title, std::size_t columns) : title_{std::move(title)}, columns_{columns} {}

  [[nodiscard]] std::string svg(const std::vector<Frame>& frames) const {
    std::size_t most = 0;
    std::int64_t whole = 0;
    for (const auto& frame : frames) {
      most = std::max(most, frame.lines.size());
      whole += frame.for_ms;
    }
    const auto width = columns_ * kAdvanceTenths / 10 + 2 * kMargin;
    const auto height = most * kLine + 2 * kMargin + kTop;
    std::string text = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\" aria-label=\"{2}\">\n"
        "<style>text{{font:14px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#d4d4d4;white-space:pre}}"
        ".g{{fill:#6abf69}}.r{{fill:#f47067}}.y{{fill:#e2b340}}.d{{fill:#8b949e}}.b{{fill:#ffffff;font-weight:bold}}\n",
        width, height, escaped(title_));
    std::int64_t from = 0;
    for (std::size_t at = 0; at < frames.size(); ++at) {
      const auto begin = percent(from, whole);
      from += frames[at].for_ms;
      const auto end = percent(from, whole);
      const bool last = at + 1 == frames.size();
      // without animations the last screen is what is seen
      text += fmt::format(".f{0}{{opacity:{1};animation:k{0} {2}ms step-end infinite}}@keyframes k{0}{{0%{{opacity:{3}}}{4}{5}}}\n", at, last ? 1 : 0,
                          whole, at == 0 ? 1 : 0, at == 0 ? "" : begin + "%{opacity:1}", last ? "" : end + "%{opacity:0}");
    }
    text += fmt::format("</style>\n<rect width=\"{}\" height=\"{}\" rx=\"8\" fill=\"#1e1e1e\"/>\n", width, height);
    text +=
        "<circle cx=\"20\" cy=\"18\" r=\"6\" fill=\"#f47067\"/><circle cx=\"40\" cy=\"18\" r=\"6\" fill=\"#e2b340\"/><circle cx=\"60\" cy=\"18\" "
        "r=\"6\" fill=\"#6abf69\"/>\n";
    for (std::size_t at = 0; at < frames.size(); ++at) {
      text += fmt::format("<g class=\"f{}\">\n", at);
      for (std::size_t line = 0; line < frames[at].lines.size(); ++line) {
        if (frames[at].lines[line].empty()) continue;
        text += fmt::format("<text x=\"{}\" y=\"{}\" xml:space=\"preserve\">{}</text>\n", kMargin, kTop + kMargin + (line + 1) * kLine - 5,
                            spans(frames[at].lines[line]));
      }
      text += "</g>\n";
    }
    return text + "</svg>\n";
  }

 private:
  static constexpr std::size_t kMargin = 14, kTop = 20, kLine = 19, kAdvanceTenths = 85;

  static std::string percent(std::int64_t part, std::int64_t whole) {
    return fmt::format("{:.2f}", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
  }

  static std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
      if (c == '<')
        out += "&lt;";
      else if (c == '>')
        out += "&gt;";
      else if (c == '&')
        out += "&amp;";
      else if (c == '"')
        out += "&quot;";
      else
        out += c;
    }
    return out;
  }

  static std::string_view class_of(std::string_view code) {
    if (code == "32") return "g";
    if (code == "31" || code == "1;31") return "r";
    if (code == "33" || code == "1;33") return "y";
    return code == "1" ? "b" : "d";
  }

  static std::string spans(std::string_view line) {
    std::string text;
    bool open = false;
    while (!line.empty()) {
      const auto escape = line.find('\x1b');
      text += escaped(line.substr(0, escape));
      if (escape == std::string_view::npos) break;
      const auto end = line.find('m', escape);
      const auto code = line.substr(escape + 2, end - escape - 2);
      if (open) text += "</tspan>";
      open = code != "0";
      if (open) text += fmt::format("<tspan class=\"{}\">", class_of(code));
      line.remove_prefix(end + 1);
    }
    return open ? text + "</tspan>" : text;
  }

  std::string title_;
  std::size_t columns_;
};

}  // namespace cli_test
