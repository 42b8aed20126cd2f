#include <catch2/catch.hpp>

#include "lang/run/schema_check.hpp"
#include "lang/run/scope.hpp"

namespace catena::lang::test {
namespace {

Field field(std::string name, Type type, bool required = false) {
  Field made;
  made.name = std::move(name);
  made.type = type;
  made.required = required;
  return made;
}

Field with_default(Field made, Json value) {
  made.default_value = std::move(value);
  return made;
}

Schema schema(std::vector<Field> fields) { return Schema{std::move(fields), false, nullptr}; }

std::string checked_arguments(const char* arguments, const Schema& against) {
  const auto text = check_arguments(JsonText{arguments}, against, "step 's': tool 't'");
  if (!text) FAIL(render(text.error()));
  return text->text;
}

Error arguments_refused(const char* arguments, const Schema& against) {
  const auto text = check_arguments(JsonText{arguments}, against, "step 's': tool 't'");
  REQUIRE_FALSE(text);
  return text.error();
}

Code response_refused(const char* response, const Schema& against) {
  const auto done = check_response(JsonText{response}, against, "step 's': tool 't'");
  REQUIRE_FALSE(done);
  return done.error().code;
}

}  // namespace

TEST_CASE("arguments that fit are handed on as they are") {
  CHECK(checked_arguments(R"({"b":1.50,"a":"x"})", schema({field("a", Type::string, true), field("b", Type::number)})) == R"({"b":1.50,"a":"x"})");
  CHECK(checked_arguments("{}", schema({})) == "{}");
}

TEST_CASE("each type takes its values and refuses the others") {
  struct Row {
    Type type;
    std::vector<const char*> good, bad;
  };
  const std::vector<Row> rows{
      {Type::string, {"\"x\"", "\"\""}, {"1", "true", "[]", "{}"}},
      {Type::file, {"\"/a/b\""}, {"1", "{}"}},
      {Type::number, {"1", "1.5", "-1e9"}, {"\"1\"", "true", "[1]"}},
      {Type::integer, {"1", "-5", "2.0", "1e3", "18446744073709551615"}, {"1.5", "1e-1", "\"1\"", "true"}},
      {Type::boolean, {"true", "false"}, {"1", "\"true\"", "0"}},
      {Type::object, {"{}", "{\"a\":1}"}, {"[]", "\"{}\""}},
      {Type::list, {"[]", "[1]"}, {"{}", "\"[]\"", "1"}},
      {Type::any, {"1", "\"x\"", "[]", "{}", "true"}, {}},
  };
  for (const auto& row : rows) {
    const auto against = schema({field("v", row.type)});
    for (const auto* good : row.good) CHECK(check_arguments(JsonText{std::string{"{\"v\":"} + good + "}"}, against, "w"));
    for (const auto* bad : row.bad) {
      INFO(bad);
      const auto text = check_arguments(JsonText{std::string{"{\"v\":"} + bad + "}"}, against, "w");
      REQUIRE_FALSE(text);
      CHECK(text.error().code == Code::argument_type);
    }
  }
}

TEST_CASE("a wrong type is named with its definition, argument and value") {
  const auto error = arguments_refused(R"({"n":"abc"})", schema({field("n", Type::integer)}));
  CHECK(error.message == "step 's': tool 't': the argument 'n' must be of type integer, not the string \"abc\"");
}

TEST_CASE("a required argument is missing when it is absent or null") {
  const auto against = schema({field("a", Type::string, true)});
  CHECK(arguments_refused("{}", against).code == Code::argument_missing);
  CHECK(arguments_refused(R"({"a":null})", against).code == Code::argument_missing);
  CHECK(arguments_refused(R"({"a":null})", schema({field("a", Type::any, true)})).code == Code::argument_missing);
  CHECK_THAT(arguments_refused("{}", against).message, Catch::Contains("step 's': tool 't'") && Catch::Contains("'a'"));
}

TEST_CASE("an optional argument may be null whatever its type") {
  CHECK(checked_arguments(R"({"a":null})", schema({field("a", Type::integer)})) == R"({"a":null})");
}

TEST_CASE("declared defaults fill in what is absent or null") {
  const auto against =
      schema({with_default(field("a", Type::integer), 5), with_default(field("b\"", Type::list), Json::array({1})), field("c", Type::any)});
  CHECK(checked_arguments("{}", against) == R"({"a":5,"b\"":[1]})");
  CHECK(checked_arguments(R"({"a":1})", against) == R"({"a":1,"b\"":[1]})");
  CHECK(checked_arguments(R"({"a":null,"c":{"x":[1, 2]}})", against) == R"({"c":{"x":[1, 2]},"a":5,"b\"":[1]})");
  CHECK(checked_arguments(R"({"a":0,"b\u0022":[]})", against) == R"({"a":0,"b\u0022":[]})");
  CHECK(checked_arguments("{}", schema({with_default(field("r", Type::integer, true), 1)})) == R"({"r":1})");
  CHECK(checked_arguments("{}", schema({with_default(field("n", Type::integer), nullptr)})) == "{}");
}

TEST_CASE("an unknown argument is refused with the nearest declared one") {
  const auto against = schema({field("directory", Type::string), field("pattern", Type::string)});
  const auto error = arguments_refused(R"({"directroy":"/"})", against);
  CHECK(error.code == Code::argument_unknown);
  CHECK_THAT(error.message, Catch::Contains("'directroy'") && Catch::Contains("did you mean 'directory'") && Catch::Contains("pattern"));
}

TEST_CASE("a misspelled required argument is reported as unknown, not as missing") {
  CHECK(arguments_refused(R"({"nmae":"x"})", schema({field("name", Type::string, true)})).code == Code::argument_unknown);
}

TEST_CASE("additional arguments pass when the definition says so") {
  auto against = schema({with_default(field("a", Type::integer), 1)});
  against.additional = true;
  CHECK(checked_arguments(R"({"more":[1]})", against) == R"({"more":[1],"a":1})");
}

TEST_CASE("an enum takes its values only, 1 being 1.0 and true not being 1") {
  auto choice = field("c", Type::any);
  choice.allowed = {"red", 1};
  const auto against = schema({choice});
  CHECK(checked_arguments(R"({"c":"red"})", against) == R"({"c":"red"})");
  CHECK(checked_arguments(R"({"c":"\u0072ed"})", against) == R"({"c":"\u0072ed"})");
  CHECK(checked_arguments(R"({"c":1.0})", against) == R"({"c":1.0})");
  CHECK(checked_arguments(R"({"c":null})", against) == R"({"c":null})");
  CHECK(arguments_refused(R"({"c":true})", against).code == Code::argument_enum);
  CHECK_THAT(arguments_refused(R"({"c":"blue"})", against).message, Catch::Contains("\"red\", 1") && Catch::Contains("\"blue\""));
}

TEST_CASE("arguments are an object") {
  CHECK(arguments_refused("[1]", schema({})).code == Code::argument_type);
  CHECK(arguments_refused("null", schema({})).code == Code::argument_type);
}

TEST_CASE("a long value is cut in a message, between characters") {
  const auto text = "{\"n\":\"" + std::string(53, 'a') + "\xe2\x82\xac\xe2\x82\xac" + std::string(1000, 'b') + "\"}";
  const auto error = arguments_refused(text.c_str(), schema({field("n", Type::integer)}));
  CHECK(error.message.size() < 200);
  CHECK_NOTHROW(to_json(error).dump());
}

TEST_CASE("a response is an object with its required keys, and may have more") {
  const auto against = schema({field("a", Type::integer, true), field("b", Type::string)});
  CHECK(check_response(JsonText{R"({"a":1,"more":true})"}, against, "w"));
  CHECK(check_response(JsonText{R"({"a":1,"b":null})"}, against, "w"));
  CHECK(response_refused("{}", against) == Code::response_missing);
  CHECK(response_refused(R"({"a":null})", against) == Code::response_missing);
  CHECK(response_refused(R"({"a":"x"})", against) == Code::response_type);
  CHECK(response_refused(R"({"a":1,"b":2})", against) == Code::response_type);
  CHECK(response_refused("[]", against) == Code::tool_output_invalid);
  CHECK(response_refused("\"text\"", schema({})) == Code::tool_output_invalid);
}

TEST_CASE("a response's enum is checked and its default does not stand in") {
  auto choice = with_default(field("c", Type::string, true), "x");
  choice.allowed = {"x", "y"};
  CHECK(response_refused(R"({"c":"z"})", schema({choice})) == Code::response_enum);
  CHECK(response_refused("{}", schema({choice})) == Code::response_missing);
}

}  // namespace catena::lang::test
