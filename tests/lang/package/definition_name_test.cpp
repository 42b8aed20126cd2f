#include "lang/package/definition_name.hpp"

#include <catch2/catch.hpp>

#include <sstream>

namespace catena::lang {
namespace {

/// The name, "-" for none, or the name of the error.
std::string declared_or_error(const std::string& text) {
  std::istringstream in{text};
  const auto found = declared_name(in);
  return found ? found->value_or("-") : std::string{name(found.error().code)};
}

}  // namespace

TEST_CASE("a definition is called by its member name, in JSON and in YAML") {
  CHECK(declared_or_error(R"({"name": "sum"})") == "sum");
  CHECK(declared_or_error(R"({"steps": [{"name": "inner"}], "more": {"name": "deeper"}, "name": "sum"})") == "sum");
  CHECK(declared_or_error("\xEF\xBB\xBF \n{\"name\": \"s\\u00fcm\"}") == "süm");
  CHECK(declared_or_error("name: sum\nsteps: []\n") == "sum");
  CHECK(declared_or_error("# a comment\ndescription: >\n  name: no\nname: 'a sum'  # this one\r\n") == "a sum");
  CHECK(declared_or_error("\xEF\xBB\xBF"
                          "\"name\" : \"sum\"\n") == "sum");
  CHECK(declared_or_error("name:\n  sum\nother: 1\n") == "sum");
}

TEST_CASE("a document without a name of its own, or with one that is no text, has none") {
  CHECK(declared_or_error("") == "-");
  CHECK(declared_or_error("{}") == "-");
  CHECK(declared_or_error(R"([{"name": "sum"}])") == "-");
  CHECK(declared_or_error(R"({"name": 7})") == "-");
  CHECK(declared_or_error(R"({"name": {"name": "sum"}})") == "-");
  CHECK(declared_or_error("steps:\n  - name: inner\n") == "-");
  CHECK(declared_or_error("name: 7\n") == "-");
  CHECK(declared_or_error("names: x\nname-of: y\n") == "-");
}

TEST_CASE("nothing is read behind the name: what is broken there is not seen, what is broken before it is") {
  CHECK(declared_or_error(R"({"name": "sum", "steps": [}})") == "sum");
  CHECK(declared_or_error("name: sum\n\tbroken: [\n") == "yaml_syntax");
  CHECK(declared_or_error("name: sum\nbroken: [\n") == "sum");
  CHECK(declared_or_error(R"({"steps": [}, "name": "sum"})") == "json_syntax");
  CHECK(declared_or_error(R"({"steps": ["unfinished)") == "json_syntax");
}

TEST_CASE("a file's stem is what stands before its last ending") {
  CHECK(file_stem("/tools/sum.tool") == "sum");
  CHECK(file_stem("sum.v2.yaml") == "sum.v2");
  CHECK(file_stem("/tools/sum") == "sum");
  CHECK(file_stem("/tools/.tool") == ".tool");
}

TEST_CASE("a name that nobody has is told with the nearest that somebody has") {
  const std::vector<std::string> known{"echo_tool", "other"};
  CHECK(no_tool_named("ehco_tool", known).message == "there is no tool 'ehco_tool'; did you mean 'echo_tool'?");
  CHECK(no_tool_named("x", known).code == Code::definition_not_found);
}

}  // namespace catena::lang
