#include <catch2/catch.hpp>

#include <set>

#include "lang/expr/eval_text.hpp"
#include "lang/fn/functions.hpp"

using namespace catena;
using namespace catena::lang;

namespace {
constexpr UnixMillis kNow = 1'767'323'045'678;
}  // namespace

TEST_CASE("every function's example gives what the table says") {
  for (const auto& spec : fn::functions()) {
    INFO(spec.name << ": " << spec.example);
    const auto value = expr::evaluate_text(spec.example, Json::object(), kNow);
    if (spec.purity == fn::Purity::reads_files) {
      REQUIRE_FALSE(value);
      CHECK(value.error().code == Code::feature_unavailable);
      continue;
    }
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

TEST_CASE("a signature shows parameters and defaults") {
  CHECK(fn::signature(*fn::find_function("sort")) == "sort(array, key_path=null, direction=\"asc\")");
  CHECK(fn::signature(*fn::find_function("create_object")) == "create_object(**values)");
  CHECK(fn::find_function("nothing") == nullptr);
}
