#pragma once
// What came of tests, for a person, a script and a build server: pure functions.
#include <string>
#include <vector>

#include "cli/definition_test/trial.hpp"

namespace catena::cli {

struct Tried {
  std::string file;
  std::string name;
  std::uint32_t line = 0;
  Verdict verdict;
};

/// A line; of a test that failed, and below it what is wrong.
[[nodiscard]] std::string verdict_text(const Tried& tried);
[[nodiscard]] Json verdict_json(const Tried& tried);
/// The whole document, as JUnit has it: a suite a file.
[[nodiscard]] std::string verdicts_junit(const std::vector<Tried>& all);
/// "5 tests passed", "1 of 5 tests failed".
[[nodiscard]] std::string summary_text(const std::vector<Tried>& all);

}  // namespace catena::cli
