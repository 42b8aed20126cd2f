#pragma once
// Cases of a line each, in the files of a folder: `SUBJECT => ANSWER`, or `SUBJECT !> ERROR`. `context JSON` sets the context of the lines
// below it; `#` begins a comment.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

namespace catena::lang::test {

struct CaseLine {
  std::string context;
  std::string subject;
  bool answers = false;  // or fails
  std::string expected;  // behind the arrow
};

struct Tally {
  int answers = 0;
  int errors = 0;
};

inline void run_case_lines(const std::filesystem::path& path, Tally& tally, const std::function<void(const CaseLine&)>& check) {
  std::ifstream in{path};
  std::string context = "{}";
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (line.empty() || line.starts_with('#')) continue;
    if (line.starts_with("context ")) {
      context = line.substr(8);
      continue;
    }
    INFO(path.filename().string() << ":" << number << ": " << line);
    const auto arrow = std::max(line.rfind(" => ") + 1, line.rfind(" !> ") + 1);
    REQUIRE(arrow != 0);
    const bool answers = line[arrow] == '=';
    ++(answers ? tally.answers : tally.errors);
    check({context, line.substr(0, arrow - 1), answers, line.substr(arrow + 3)});
  }
}

/// Runs the cases of all texts in tests/lang/`folder`.
inline Tally run_case_folder(const std::string& folder, const std::function<void(const CaseLine&)>& check) {
  Tally tally;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator{std::string{CATENA_SOURCE_DIR} + "/tests/lang/" + folder}) {
    if (entry.path().extension() == ".txt") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  for (const auto& file : files) run_case_lines(file, tally, check);
  return tally;
}

}  // namespace catena::lang::test
