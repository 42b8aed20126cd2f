#include <catch2/catch.hpp>

#include "lang/document/json_schema.hpp"

namespace catena::lang::test {
namespace {

using Catch::Matchers::Contains;

std::shared_ptr<const JsonSchema> compiled(const char* schema) {
  auto made = JsonSchema::compile(Json::parse(schema));
  if (!made) FAIL(made.error().message);
  return *made;
}

std::string why_not(const char* schema) {
  const auto made = JsonSchema::compile(Json::parse(schema));
  if (made) FAIL("it is a schema");
  CHECK(made.error().code == Code::field_value);
  return made.error().message;
}

std::string misfit(const char* schema, const Json& value) {
  const auto fits = compiled(schema)->check(value, "who");
  if (fits) return {};
  CHECK(fits.error().code == Code::argument_schema);
  return fits.error().message;
}

}  // namespace

TEST_CASE("every part of a value that does not fit is told, each with its place", "[json_schema]") {
  const auto* schema =
      R"({"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "array", "items": {"minLength": 2}}}, "required": ["c"]})";
  const auto message = misfit(schema, Json::parse(R"({"a": "x", "b": ["long", "s"]})"));
  CHECK_THAT(message, Contains("'a': ") && Contains("'b.1': ") && Contains("'c'"));
  CHECK(misfit(schema, Json::parse(R"({"a": 1, "b": ["long"], "c": null})")).empty());
}

TEST_CASE("a long list of misfits is cut", "[json_schema]") {
  auto value = Json::object();
  for (int i = 0; i < 50; ++i) value["k" + std::to_string(i)] = "text";
  CHECK_THAT(misfit(R"({"additionalProperties": {"type": "integer"}})", value), Contains("and 30 more"));
}

TEST_CASE("whole numbers are integers, in values and in what schemas compare with", "[json_schema]") {
  CHECK(misfit(R"({"properties": {"a": {"type": "integer"}}})", Json::parse(R"({"a": 2.0})")).empty());
  CHECK(misfit(R"({"properties": {"a": {"const": 2}}})", Json::parse(R"({"a": 2.0})")).empty());
  CHECK(misfit(R"({"properties": {"a": {"enum": [2.0]}}})", Json::parse(R"({"a": 2})")).empty());
  CHECK_FALSE(misfit(R"({"properties": {"a": {"type": "integer"}}})", Json::parse(R"({"a": 2.5})")).empty());
}

TEST_CASE("the combining keywords are understood", "[json_schema]") {
  const auto* any = R"({"properties": {"a": {"anyOf": [{"type": "string"}, {"minimum": 5, "type": "number"}]}}})";
  CHECK(misfit(any, Json::parse(R"({"a": 7})")).empty());
  CHECK_FALSE(misfit(any, Json::parse(R"({"a": 3})")).empty());
  const auto* choice =
      R"({"if": {"properties": {"kind": {"const": "x"}}, "required": ["kind"]}, "then": {"required": ["x"]}, "else": {"required": ["y"]}})";
  CHECK(misfit(choice, Json::parse(R"({"kind": "x", "x": 1})")).empty());
  CHECK_FALSE(misfit(choice, Json::parse(R"({"kind": "x", "y": 1})")).empty());
  CHECK_FALSE(misfit(R"({"properties": {"a": {"not": {"type": "string"}}}})", Json::parse(R"({"a": "s"})")).empty());
  CHECK_FALSE(misfit(R"({"properties": {"a": {"oneOf": [{"minimum": 1}, {"maximum": 5}]}}})", Json::parse(R"({"a": 3})")).empty());
  CHECK_FALSE(misfit(R"({"dependencies": {"a": ["b"]}})", Json::parse(R"({"a": 3})")).empty());
  CHECK_FALSE(misfit(R"({"propertyNames": {"pattern": "^[a-z]+$"}})", Json::parse(R"({"A": 3})")).empty());
  CHECK_FALSE(misfit(R"({"properties": {"a": false}})", Json::parse(R"({"a": 3})")).empty());
}

TEST_CASE("a property may be called like a keyword", "[json_schema]") {
  const auto* schema = R"({"properties": {"pattern": {"type": "string"}, "patternProperties": {"type": "integer"}, "$ref": {"type": "string"}}})";
  CHECK(misfit(schema, Json::parse(R"({"pattern": "(", "patternProperties": 1})")).empty());
  CHECK_FALSE(misfit(schema, Json::parse(R"({"patternProperties": "x"})")).empty());
}

TEST_CASE("patterns take time linear in the text, and no stack", "[json_schema]") {
  const auto* schema = R"({"properties": {"a": {"pattern": "^(a+)+$"}}})";
  CHECK(misfit(schema, Json{{"a", std::string(1'000'000, 'a')}}).empty());
  CHECK_FALSE(misfit(schema, Json{{"a", std::string(1'000'000, 'a') + "b"}}).empty());
  CHECK(misfit(schema, Json{{"a", 5}}).empty());
  CHECK_THAT(why_not(R"~({"properties": {"a": {"pattern": "(?=x)"}}})~"), Contains("/properties/a") && Contains("regular expression"));
}

TEST_CASE("format describes and is not checked, whatever the value is", "[json_schema]") {
  CHECK(misfit(R"({"properties": {"a": {"format": "date"}}})", Json::parse(R"({"a": 5})")).empty());
}

TEST_CASE("references lead to schemas of the same document, and other documents are never asked for", "[json_schema]") {
  CHECK_FALSE(misfit(R"({"$defs": {"p": {"type": "integer"}}, "properties": {"a": {"$ref": "#/$defs/p"}}})", Json::parse(R"({"a": "x"})")).empty());
  CHECK_FALSE(misfit(R"({"$id": "http://x.example/s", "properties": {"a": {"type": "integer"}, "b": {"$ref": "#/properties/a"}}})",
                     Json::parse(R"({"b": "x"})"))
                  .empty());
  for (const auto* ref : {"http://127.0.0.1:1/x.json", "file:///etc/passwd", "other.json#/a", "#name"}) {
    CHECK_THAT(why_not(Json{{"properties", {{"a", {{"$ref", ref}}}}}}.dump().c_str()), Contains("$ref"));
  }
  CHECK_THAT(why_not(R"({"properties": {"a": {"$ref": "#/properties"}}})"), Contains("no schema"));
}

TEST_CASE("a schema that would ask itself for ever is refused, one that goes into the value is not", "[json_schema]") {
  CHECK_THAT(why_not(R"({"$ref": "#"})"), Contains("asks itself"));
  CHECK_THAT(why_not(R"({"definitions": {"a": {"anyOf": [{"$ref": "#/definitions/b"}]}, "b": {"not": {"$ref": "#/definitions/a"}}}})"),
             Contains("asks itself"));
  CHECK_THAT(why_not(R"({"dependencies": {"a": {"$ref": "#"}}})"), Contains("asks itself"));
  CHECK(misfit(R"({"properties": {"next": {"$ref": "#"}}})", Json::parse(R"({"next": {"next": {}}})")).empty());
}

TEST_CASE("what is wrong with a schema is told at once, and keywords that would be passed over are refused", "[json_schema]") {
  const auto message =
      why_not(R"({"properties": {"a": {"type": "text"}, "b": 5, "c": {"allOf": {}}, "d": {"prefixItems": []}}, "unevaluatedProperties": false})");
  CHECK_THAT(message, Contains("/properties/a") && Contains("/properties/b") && Contains("/properties/c") && Contains("prefixItems") &&
                          Contains("unevaluatedProperties"));
  CHECK_THAT(why_not(R"({"required": "a"})"), !Contains("json exception"));
  CHECK_FALSE(why_not(R"({"properties": []})").empty());
  CHECK_FALSE(why_not(R"({"multipleOf": 0})").empty());
}

}  // namespace catena::lang::test
