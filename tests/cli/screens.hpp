#pragma once
// Screens: what commands print on a terminal, letter by letter, in files of tests/cli/screens; each with terminals of 80 and of 140 columns, with and
// without colours. Chains, clocks and folders are the test's own, so that nothing differs from run to run. Where a change of a screen is meant,
//   CATENA_SCREENS_WRITE=1 build/release/tests/test_processes '*screens*'
// writes them anew; what changed is to be looked at before it is committed.
#include <fstream>
#include <functional>
#include <regex>
#include <sstream>

#include "tests/cli/scene.hpp"
#include "tests/cli/terminal.hpp"

namespace cli_test {

inline constexpr catena::UnixMillis kMorning = 1'763'708'400'000;  // 2025-11-21T07:00:00Z

inline std::string with_visible_escapes(std::string text) {
  for (auto at = text.find('\x1b'); at != std::string::npos; at = text.find('\x1b', at)) text.replace(at, 1, "␛");
  return text;
}

/// Without the folder of this run, and the hashes of packages, which are of its files.
inline std::string without_own_paths(std::string text, const std::string& folder) {
  for (auto at = text.find(folder); at != std::string::npos; at = text.find(folder)) text.replace(at, folder.size(), "/home/ann");
  constexpr std::string_view kHex = "0123456789abcdef";
  constexpr std::string_view kInWords = "package ";
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find_first_not_of(kHex, at), text.size());
    const bool hash = end - at == 64 || (end - at > 4 && std::string_view{text}.substr(0, at).ends_with(kInWords));
    for (auto digit = at; hash && digit < end; ++digit) text[digit] = kHex[(digit - at) % kHex.size()];
    at = end + 1;
  }
  return text;
}

/// Compares with the file, or writes it.
inline void keep(const std::string& name, const std::string& text) {
  const auto file = fs::path{CATENA_SOURCE_DIR} / "tests/cli/screens" / (name + ".txt");
  if (std::getenv("CATENA_SCREENS_WRITE") != nullptr) {
    std::ofstream{file} << text;
    return;
  }
  std::istringstream expected{system_test::read_text(file)}, got{text};
  std::string want, have;
  for (int line = 1;; ++line) {
    const bool wanted = static_cast<bool>(std::getline(expected, want));
    const bool had = static_cast<bool>(std::getline(got, have));
    if (!wanted && !had) return;
    INFO(file.string() << ':' << line << ": CATENA_SCREENS_WRITE=1 writes it anew");
    CHECK(wanted == had);
    CHECK(want == have);
    if (wanted != had || want != have) return;
  }
}

inline constexpr std::array<unsigned short, 2> kLookedAt{80, 140};

/// All looks of one screen.
inline std::string looks_of(const std::string& title, const std::function<std::string(unsigned short columns)>& make,
                            const std::function<void(bool color)>& set_color) {
  std::string text;
  for (const bool color : {false, true}) {
    set_color(color);
    for (const unsigned short columns : kLookedAt)
      text += "==== " + title + ", " + std::to_string(columns) + " columns" + (color ? ", colours" : "") + "\n" + with_visible_escapes(make(columns));
  }
  return text;
}

inline std::string title_of(const Words& words) {
  std::string title = "catena";
  for (const auto& word : words) title += " " + word;
  return title;
}

/// The variables and the folder of whoever looks.
class Onlooker {
 public:
  Onlooker() : folder_{fs::canonical(scene_.folder() / ".").string()}, around_{folder_} {
    for (const auto* name : {"NO_COLOR", "LC_ALL", "LC_CTYPE", "CATENA_CONFIG", "CATENA_TOOLS", "XDG_CONFIG_HOME", "CATENA_CLUSTER__ADDRESS"})
      around_.set(name, "");
    around_.set("LANG", "C.UTF-8");
    around_.set("TERM", "xterm-256color");
    around_.set("HOME", folder_);
    around_.set("CATENA_DATA_DIR", folder_ + "/data");
  }

  [[nodiscard]] const Scene& scene() const { return scene_; }
  [[nodiscard]] const catena::ManualClock& clock() const { return clock_; }
  void pass(catena::Millis time) { clock_.advance(time); }
  void colored(bool yes) { around_.set("NO_COLOR", yes ? "" : "1"); }
  /// From now on another data directory, in which nothing is.
  void begin_anew() { around_.set("CATENA_DATA_DIR", folder_ + "/data-" + std::to_string(++begun_)); }
  void run(const Words& words) const { static_cast<void>(screen_of(words, 80, clock_)); }
  [[nodiscard]] std::string screen(const Words& words, unsigned short columns) const { return cleaned(screen_of(words, columns, clock_)); }
  [[nodiscard]] std::string cleaned(std::string screen) const { return without_own_paths(std::move(screen), folder_); }

 private:
  Scene scene_;
  std::string folder_;
  Surroundings around_;
  catena::ManualClock clock_{kMorning};
  int begun_ = 0;
};

}  // namespace cli_test
