#pragma once
// Golden cases are text files: lines beginning with "--- " say what is in them, the rest is what they say.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace catena::lang::test {

struct GoldenCase {
  std::string name;
  std::vector<std::string> expected;  // "--- expect: …", in order
  std::string document;
};

inline GoldenCase read_case(const std::filesystem::path& path) {
  GoldenCase golden{path.stem().string(), {}, {}};
  std::ifstream in{path, std::ios::binary};
  std::string line;
  const std::string expect = "--- expect: ";
  while (std::getline(in, line) && line != "--- document") {
    if (line.starts_with(expect)) golden.expected.push_back(line.substr(expect.size()));
  }
  std::ostringstream rest;
  rest << in.rdbuf();
  golden.document = rest.str();
  return golden;
}

inline std::vector<GoldenCase> read_cases(const std::string& folder) {
  std::vector<GoldenCase> cases;
  for (const auto& entry : std::filesystem::directory_iterator{std::string{CATENA_SOURCE_DIR} + "/tests/lang/" + folder}) {
    if (entry.path().extension() == ".tool") cases.push_back(read_case(entry.path()));
  }
  std::ranges::sort(cases, {}, &GoldenCase::name);
  return cases;
}

}  // namespace catena::lang::test
