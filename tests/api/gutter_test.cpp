// What an editor shows beside a definition is what `catena validate` says of it.
#include <fmt/format.h>

#include <set>
#include <string>
#include <vector>

#include "tests/api/support.hpp"
#include "tests/lang/golden_files.hpp"
#include "tests/lang/memory_finder.hpp"

namespace catena::api::test {
namespace {

namespace lang_test = catena::lang::test;

/// Definitions that are valid as files only: they name programs of the machine, or themselves by their path.
const std::set<std::string> kOnlyAsFiles{"call_itself", "primitive_exec_words"};

/// "CODE LINE:COLUMN MESSAGE" of each problem.
std::vector<std::string> gutter_lines(const Json& checked) {
  std::vector<std::string> lines;
  for (const auto& problem : checked.at("problems")) {
    CHECK_FALSE(problem.contains("file"));
    lines.push_back(fmt::format("{} {}:{} {}", problem.at("code").get<std::string>(), problem.at("line").get<int>(), problem.at("column").get<int>(),
                                problem.at("message").get<std::string>()));
  }
  return lines;
}

}  // namespace

TEST_CASE("gutter: a check finds in each malformed definition what is known to be wrong with it, and nothing in a valid one") {
  Scene scene;
  scene.shelf = [] {
    return Result<Shelf>{Shelf{std::make_shared<lang_test::MemoryFinder>(lang_test::standard_tools()), lang_test::kCatalog, nullptr}};
  };
  const auto checked = [&](const lang_test::GoldenCase& golden) {
    const auto answer = scene.answer("POST", "/v1/definitions:check", Json{{"file_name", "case.tool"}, {"text", golden.document}}.dump());
    REQUIRE(answer.status == 200);
    return parsed(answer);
  };
  const auto malformed = lang_test::read_cases("malformed");
  REQUIRE(malformed.size() >= 200);
  for (const auto& golden : malformed) {
    INFO(golden.name);
    const auto told = checked(golden);
    CHECK(told.at("valid") == false);
    if (golden.expected.front().starts_with("program_not_found ")) {  // a text names no program of the machine, be it there or not
      CHECK(gutter_lines(told).front().starts_with("program_not_found "));
      continue;
    }
    CHECK(gutter_lines(told) == golden.expected);
  }
  const auto valid = lang_test::read_cases("valid");
  REQUIRE(valid.size() >= 50);
  for (const auto& golden : valid) {
    INFO(golden.name);
    CHECK(checked(golden).at("valid") == !kOnlyAsFiles.contains(golden.name));
  }
}

}  // namespace catena::api::test
