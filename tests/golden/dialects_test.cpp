// The same chain written in several dialects, and converted from them: the same result, and every tool runs as often.
//
// A case of tests/golden/dialects is one of tests/golden/cases, with these differences: `--- definition DIALECT` is the chain in that
// dialect, answers are told by tool (`TOOL[#n] => JSON`), and `expect` has `ran TOOL N, …`, then `result JSON` or `fails`, and for each
// dialect `at DIALECT [PATH]`: where in its response the result stands. `at DIALECT>tool [PATH]` is what `catena convert` makes of it; `not
// DIALECT>tool` says that it cannot be converted.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <catch2/catch.hpp>

#include <algorithm>
#include <sstream>

#include "lang/convert/convert.hpp"
#include "lang/run/schema_check.hpp"
#include "tests/coordinator/fixture.hpp"
#include "tests/golden/golden_case.hpp"
#include "tests/golden/reply.hpp"

namespace catena::golden {
namespace {

using coordinator::test::Fixture;

struct Ran {
  bool succeeded = false;
  Json response;
  std::string error;
  std::map<std::string, std::size_t> executions;  // by tool
};

coordinator::test::Definitions definitions_of(const GoldenCase& golden, const std::string& root) {
  coordinator::test::Definitions definitions;
  for (const auto& [path, text] : golden.definitions) {
    if (path.starts_with('/')) definitions.add(path, text);
  }
  definitions.add("/main.tool", root);
  return definitions;
}

Ran run(const GoldenCase& golden, const std::string& root) {
  const auto package = lang::load_package("/main.tool", definitions_of(golden, root), coordinator::test::kCatalog);
  if (!package) {
    for (const auto& error : package.error()) UNSCOPED_INFO(render(error));
    FAIL("it is not valid");
  }
  std::map<std::string, std::string> lines;
  for (const auto& line : golden.answers) lines[line.substr(0, line.find(' '))] = line.substr(line.find(' ') + 1);
  Fixture fixture;
  fixture.script.otherwise = [&](const actors::Attempted& attempt) {
    const auto& tool = fixture.script.executions.back().tool;
    const auto times = std::ranges::count(fixture.script.executions, tool, &coordinator::test::Execution::tool);
    const auto exact = lines.find(fmt::format("{}#{}", tool, times));
    const auto any = lines.find(tool);
    return exact != lines.end() ? reply_of(exact->second) : any != lines.end() ? reply_of(any->second) : coordinator::test::answer(attempt.arguments);
  };
  const auto arguments = lang::check_arguments(lang::parse_json_text(golden.arguments).value(), package->main().arguments, "the case");
  REQUIRE(arguments);
  const auto ended = fixture.complete(std::make_shared<const lang::Package>(*package), "c", arguments->text);
  Ran ran;
  ran.succeeded = ended.status == engine::ChainStatus::succeeded;
  if (ran.succeeded) ran.response = Json::parse(ended.response.text);
  if (ended.error) ran.error = ended.error->message;
  for (const auto& execution : fixture.script.executions) ++ran.executions[execution.tool];
  return ran;
}

/// "final_state.x" of a response.
Json at_path(Json value, std::string path) {
  while (!path.empty()) {
    const auto dot = path.find('.');
    const auto key = path.substr(0, dot);
    path = dot == std::string::npos ? std::string{} : path.substr(dot + 1);
    if (!value.is_object() || !value.contains(key)) return Json{{"there is no", key}};
    value = Json(value[key]);
  }
  return value;
}

std::string counted(const std::map<std::string, std::size_t>& executions) {
  std::vector<std::string> parts;
  for (const auto& [tool, count] : executions) parts.push_back(fmt::format("{} {}", tool, count));
  return fmt::format("{}", fmt::join(parts, ", "));
}

struct Expected {
  std::string ran;
  std::optional<Json> result;  // nothing: it fails
  struct Variant {
    std::string dialect;
    bool converted = false;
    bool possible = true;
    std::string path;
  };
  std::vector<Variant> variants;
};

Expected expected_of(const GoldenCase& golden) {
  Expected expected;
  for (const auto& [number, line] : golden.expected) {
    const auto space = std::min(line.find(' '), line.size());
    const auto kind = line.substr(0, space);
    const auto rest = space == line.size() ? std::string{} : line.substr(space + 1);
    if (kind == "ran") expected.ran = rest;
    if (kind == "result") expected.result = Json::parse(rest);
    if (kind != "at" && kind != "not") continue;
    std::istringstream words{rest};
    Expected::Variant variant;
    words >> variant.dialect >> variant.path;
    variant.possible = kind == "at";
    const auto arrow = variant.dialect.find('>');
    variant.converted = arrow != std::string::npos;
    variant.dialect = variant.dialect.substr(0, arrow);
    expected.variants.push_back(std::move(variant));
  }
  return expected;
}

void check_variant(const GoldenCase& golden, const Expected& expected, const Expected::Variant& variant) {
  auto text = golden.definitions.at(variant.dialect);
  if (variant.converted) {
    const auto made = lang::convert_to_tool("/main.tool", definitions_of(golden, text), coordinator::test::kCatalog);
    if (!variant.possible) {
      REQUIRE_FALSE(made);
      for (const auto& error : made.error()) CHECK(error.code == Code::not_convertible);
      return;
    }
    if (!made) {
      for (const auto& error : made.error()) UNSCOPED_INFO(render(error));
      FAIL("it cannot be converted");
    }
    text = made->text;
  }
  INFO(text);
  const auto ran = run(golden, text);
  INFO(ran.error);
  CHECK(counted(ran.executions) == expected.ran);
  CHECK(ran.succeeded == expected.result.has_value());
  if (ran.succeeded && expected.result) CHECK(at_path(ran.response, variant.path) == *expected.result);
}

TEST_CASE("a chain means the same in every dialect that can say it, and converted") {
  std::map<std::string, int> variants;
  for (const auto& entry : std::filesystem::directory_iterator{CATENA_SOURCE_DIR "/tests/golden/dialects"}) {
    for (const auto& golden : read_cases(entry.path())) {
      const auto expected = expected_of(golden);
      CHECK(expected.variants.size() >= 2);
      for (const auto& variant : expected.variants) {
        const auto name = variant.dialect + (variant.converted ? ">tool" : "");
        ++variants[name];
        DYNAMIC_SECTION(fmt::format("{}:{}: {}: {}", golden.file, golden.line, golden.title, name)) { check_variant(golden, expected, variant); }
      }
    }
  }
  for (const auto* dialect : {"tool", "composite", "pipeline", "plan", "composite>tool", "pipeline>tool", "plan>tool"}) CHECK(variants[dialect] >= 4);
}

}  // namespace
}  // namespace catena::golden
