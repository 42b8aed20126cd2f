#include <catch2/catch.hpp>

#include <set>

#include "lang/expr/check.hpp"
#include "lang/expr/eval_text.hpp"
#include "lang/fn/functions.hpp"
#include "tests/lang/memory_files.hpp"

namespace catena::lang::test {
namespace {

struct Evaluated {
  Result<Json> value;
  std::vector<std::string> warnings;
};

/// Over the files of the examples.
Evaluated over_files(const std::string& text, const test::MemoryFiles& files, const Json& context = Json::object()) {
  const expr::ObjectVariables variables{context};
  const auto compiled = expr::compile(text, expr::Names{});
  if (!compiled) return {fail(compiled.error()), {}};
  Evaluated made{Json(nullptr), {}};
  expr::Input input{variables, kNow};
  input.files = &files;
  input.warnings = &made.warnings;
  made.value = expr::evaluate(**compiled, input);
  return made;
}

Code function_refusal(const std::string& text) {
  const auto made = over_files(text, test::example_files());
  INFO(text);
  REQUIRE_FALSE(made.value);
  CHECK(made.value.error().notes.size() >= 2);  // the expression and a caret
  return made.value.error().code;
}
}  // namespace

TEST_CASE("a text that is no number is shown without cutting a character in two") {
  std::string odd = "x";
  for (int n = 0; n < 40; ++n) odd += "é";
  const auto made = over_files("to_number('" + odd + "')", test::example_files()).value;
  REQUIRE_FALSE(made);
  CHECK_NOTHROW(Json(made.error().message).dump());
}

TEST_CASE("every function's example gives what the table says") {
  for (const auto& spec : fn::functions()) {
    INFO(spec.name << ": " << spec.example);
    const auto value = over_files(std::string{spec.example}, test::example_files()).value;
    REQUIRE(value);
    CHECK(value->dump() == Json::parse(spec.result).dump());
  }
}

TEST_CASE("the table has the functions of the language, each once and documented") {
  const std::set<std::string> expected{"get_object_property",
                                       "json_parse",
                                       "to_json",
                                       "pipeline",
                                       "map",
                                       "sum",
                                       "join",
                                       "if",
                                       "filter",
                                       "group_by",
                                       "sort",
                                       "unique",
                                       "flatten",
                                       "datetime_now",
                                       "datetime_parse",
                                       "datetime_format",
                                       "datetime_add",
                                       "datetime_diff",
                                       "create_object",
                                       "list_files",
                                       "list_file_versions",
                                       "describe_version",
                                       "read_file",
                                       "read_files",
                                       "length",
                                       "count",
                                       "min",
                                       "max",
                                       "avg",
                                       "first",
                                       "last",
                                       "keys",
                                       "values",
                                       "merge",
                                       "concat",
                                       "split",
                                       "replace",
                                       "lower",
                                       "upper",
                                       "trim",
                                       "contains",
                                       "slice",
                                       "range",
                                       "zip",
                                       "round",
                                       "abs",
                                       "to_string",
                                       "to_number",
                                       "default",
                                       "regex_match"};
  const auto& names = fn::function_names();
  CHECK(std::set<std::string>{names.begin(), names.end()} == expected);
  CHECK(names.size() == expected.size());
  for (const auto& spec : fn::functions()) {
    INFO(spec.name);
    CHECK_FALSE(spec.doc.empty());
    CHECK(spec.run != nullptr);
    for (const auto& param : spec.params()) CHECK((param.required || Json::accept(param.fallback)));
  }
}

TEST_CASE("functions that read files fail where there is no file store") {
  for (const auto& spec : fn::functions()) {
    if (spec.purity != fn::Purity::reads_files) continue;
    INFO(spec.name);
    const auto value = expr::evaluate_text(spec.example, Json::object(), kNow);
    REQUIRE_FALSE(value);
    CHECK(value.error().code == Code::feature_unavailable);
  }
}

TEST_CASE("list_files gives at most 50 paths and says when there are more") {
  test::MemoryFiles files;
  for (int file = 0; file < 50; ++file) files.put(fmt::format("/d/{:02}", file), "");
  auto all = over_files("list_files('/d')", files);
  REQUIRE(all.value);
  CHECK(all.value->size() == 50);
  CHECK(all.warnings.empty());
  files.put("/d/50", "");
  const auto cut = over_files("[list_files('/d'), list_files('/d'), list_files('/none')]", files);
  REQUIRE(cut.value);
  CHECK((*cut.value)[0].size() == 50);
  CHECK((*cut.value)[2].empty());
  REQUIRE(cut.warnings.size() == 1);
  CHECK(cut.warnings.front().find("truncated") != std::string::npos);
}

TEST_CASE("a version is told with all that is known of it") {
  const auto files = test::example_files();
  const auto told = over_files("describe_version('/data/a.txt')", files).value;
  REQUIRE(told);
  CHECK(*told == Json{{"path", "/data/a.txt"},
                      {"file_name", "a.txt"},
                      {"version_id", "v2"},
                      {"size", 5},
                      {"added_on", "2026-01-02T03:04:05.678Z"},
                      {"owner", "ann"},
                      {"group", "staff"},
                      {"metadata", {{"lang", "en"}, {"tags", {"x", "y"}}}},
                      {"sha256", "sum-of-v2"}});
  CHECK(*over_files("list_file_versions('/data/a.txt').first == describe_version('/data/a.txt')", files).value == true);
}

TEST_CASE("files that cannot be read are errors with a caret, which default() can catch where there is no such file") {
  CHECK(function_refusal("read_file('/nowhere')") == Code::file_not_found);
  CHECK(function_refusal("read_file('/data/a.txt', 'v9')") == Code::file_version_not_found);
  CHECK(function_refusal("describe_version('/data/a.txt', version_id='v9')") == Code::file_version_not_found);
  CHECK(function_refusal("list_file_versions('/nowhere')") == Code::file_not_found);
  CHECK(function_refusal("read_file('/data/picture.png')") == Code::file_not_text);
  CHECK(function_refusal("read_files(['/data/a.txt', 7])") == Code::expression_value);
  CHECK(function_refusal("read_files(['/data/a.txt', '/nowhere'])") == Code::file_not_found);
  CHECK(function_refusal("read_files(map(range(6), '\"/data/a.txt\"'))") == Code::expression_value);
  CHECK(function_refusal("read_file(7)") == Code::expression_value);
  const auto files = test::example_files();
  CHECK(*over_files("default(read_file('/nowhere'), 'none')", files).value == "none");
  CHECK(*over_files("read_files(map(range(5), '\"/data/a.txt\"')) | length", files).value == 5);
}

TEST_CASE("what is read counts against the limits before it is read") {
  test::MemoryFiles files;
  files.put("/big", std::string(1 << 20, 'x'));
  const Json context = Json::object();
  const expr::ObjectVariables variables{context};
  expr::Input input{variables, kNow, expr::Limits{1'000'000, 1 << 20}};
  input.files = &files;
  const auto value = expr::evaluate(**expr::compile("read_file('/big')", expr::Names{}), input);
  REQUIRE_FALSE(value);
  CHECK(value.error().code == Code::expression_limit);
}

TEST_CASE("a signature shows parameters and defaults") {
  CHECK(fn::signature(*fn::find_function("sort")) == "sort(array, key_path=null, direction=\"asc\")");
  CHECK(fn::signature(*fn::find_function("create_object")) == "create_object(**values)");
  CHECK(fn::find_function("nothing") == nullptr);
}

}  // namespace catena::lang::test
