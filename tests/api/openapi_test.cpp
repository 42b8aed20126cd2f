// The document and the page that are made from the table.
#include "api/openapi.hpp"

#include <fstream>
#include <iterator>

#include "tests/api/support.hpp"

namespace catena::api::test {
namespace {

void check_references(const Json& value, const Json& document) {
  if (value.is_object() && value.contains("$ref")) {
    const auto pointer = value["$ref"].get<std::string>().substr(1);
    INFO(pointer);
    CHECK(document.contains(Json::json_pointer{pointer}));
  }
  if (!value.is_structured()) return;
  for (const auto& inner : value) check_references(inner, document);
}

bool knows_schema(std::string_view name) {
  return std::ranges::any_of(schemas(), [&](const NamedSchema& schema) { return schema.name == name; });
}

}  // namespace

TEST_CASE("each route for programs is told in the document, and what the document refers to is in it") {
  const auto document = openapi();
  CHECK(document["openapi"] == "3.1.0");
  check_references(document, document);
  std::set<std::string_view> operations;
  for (const auto& route : routes()) {
    INFO(name(route.verb) << " " << route.path);
    CHECK(operations.insert(route.operation).second);
    const bool told = !std::ranges::find(groups(), route.group, &Group::name)->for_browsers;
    CHECK(document.at("paths").contains(std::string{route.path}) == told);
    if (!told) continue;
    const auto verb = route.verb == Verb::remove ? "delete" : route.verb == Verb::get ? "get" : route.verb == Verb::post ? "post" : "put";
    const auto& operation = document.at("paths").at(std::string{route.path}).at(verb);
    CHECK(operation["operationId"] == route.operation);
    for (const auto& answer : route.answers) {
      CHECK(operation["responses"].contains(std::to_string(answer.status)));
      CHECK((answer.schema.empty() || knows_schema(answer.schema)));
      CHECK((answer.schema == "Problem") == (answer.status >= 400));
    }
    CHECK((route.body.empty() || knows_schema(route.body)));
    // whoever replaces something can say what
    CHECK((route.verb != Verb::put || operation["responses"].contains("412")));
    CHECK((route.role != Role::viewer || route.verb == Verb::get || only_computes(route) || route.operation == "postCalls"));
  }
}

TEST_CASE("no two routes of one verb fit the same path") {
  std::set<std::string> shapes;
  for (const auto& route : routes()) {
    std::string shape{name(route.verb)};
    bool inside = false;
    for (const char c : route.path) {
      if (c == '{') inside = true;
      if (!inside) shape += c;
      if (c == '}') inside = false, shape += '*';
    }
    CHECK(shapes.insert(shape).second);
  }
}

TEST_CASE("docs/api.md is what the table says") {
  std::ifstream file{CATENA_SOURCE_DIR "/docs/api.md"};
  const std::string text{std::istreambuf_iterator<char>{file}, {}};
  // `catena openapi --markdown > docs/api.md` makes it anew
  CHECK(text == reference_page());
}

}  // namespace catena::api::test
