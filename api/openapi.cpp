#include "api/openapi.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "api/routes.hpp"
#include "api/schemas.hpp"

namespace catena::api {
namespace {

Json reference_to(std::string_view schema) { return {{"$ref", fmt::format("#/components/schemas/{}", schema)}}; }

Json schema_of(const Parameter& parameter) {
  switch (parameter.kind) {
    case Kind::whole: return {{"type", "integer"}, {"minimum", parameter.least}, {"maximum", parameter.most}};
    case Kind::flag: return {{"type", "boolean"}};
    case Kind::text:
    case Kind::span:
    case Kind::moment: return {{"type", "string"}};
    case Kind::choices: break;
  }
  std::vector<std::string> words(parameter.values.begin(), parameter.values.end());
  return {{"type", "array"}, {"items", {{"type", "string"}, {"enum", std::move(words)}}}};
}

/// Names in braces, in the order of the path.
std::vector<std::string> names_in(std::string_view path) {
  std::vector<std::string> names;
  for (auto begin = path.find('{'); begin != std::string_view::npos; begin = path.find('{', begin + 1))
    names.emplace_back(path.substr(begin + 1, path.find('}', begin) - begin - 1));
  return names;
}

Json parameters_of(const Route& route) {
  Json parameters = Json::array();
  for (const auto& name : names_in(route.path))
    parameters.push_back({{"name", name}, {"in", "path"}, {"required", true}, {"schema", {{"type", "string"}}}});
  for (const auto& parameter : route.query) {
    Json one{{"name", parameter.name}, {"in", "query"}, {"description", parameter.meaning}, {"schema", schema_of(parameter)}};
    if (parameter.kind == Kind::choices) one["explode"] = false;
    parameters.push_back(std::move(one));
  }
  return parameters;
}

Json content_of(const Documented& answer) {
  const bool problem = answer.schema == "Problem";
  auto content = Json::object();
  if (answer.streams.empty() || !answer.schema.empty()) {
    const Json unnamed{{"type", answer.type == kJsonType ? "object" : "string"}};
    content[std::string{problem ? kProblemType : answer.type}] = {{"schema", answer.schema.empty() ? unnamed : reference_to(answer.schema)}};
  }
  // What a document of this version can say of a stream: the form of each of its lines, or of the data of its events.
  for (const auto type : answer.streams) content[std::string{type}] = {{"schema", {{"type", "string"}}}, {"x-line", reference_to(answer.line)}};
  return content;
}

/// Objects of which no members are named may have any: makers of types read it as having none otherwise.
void open_objects(Json& value) {
  if (value.is_object() && value.value("type", Json{}) == "object" && !value.contains("properties") && !value.contains("additionalProperties"))
    value["additionalProperties"] = true;
  if (!value.is_structured()) return;
  for (auto& inner : value) open_objects(inner);
}

/// What the server answers by itself, before or in place of a route.
struct Common {
  int status;
  std::string_view meaning;
  bool (*of)(const Route& route);
};
bool any_route(const Route&) { return true; }
bool asks_for_token(const Route& route) { return route.role != Role::anyone; }
bool reads_body(const Route& route) { return !route.body.empty(); }
constexpr std::array kCommon{
    Common{400, "the request is malformed, or has a parameter that its route does not know", any_route},
    Common{401, "the server asks for access tokens, and the request shows none that is valid", asks_for_token},
    Common{403, "the role of the token may not do this; or the request names another host, or comes from a page of another origin", any_route},
    Common{413, "the body is larger than the route takes", reads_body},
    Common{415, "the body is of another type than the route reads", reads_body},
};

Json responses_of(const Route& route) {
  Json responses = Json::object();
  for (const auto& common : kCommon) {
    if (common.of(route))
      responses[std::to_string(common.status)] = {{"description", common.meaning},
                                                  {"content", {{std::string{kProblemType}, {{"schema", reference_to("Problem")}}}}}};
  }
  for (const auto& answer : route.answers) {
    Json one{{"description", answer.meaning}, {"content", content_of(answer)}};
    if (answer.status == 202)
      one["headers"] = {{"Location", {{"schema", {{"type", "string"}}}}}, {"Retry-After", {{"schema", {{"type", "integer"}}}}}};
    responses[std::to_string(answer.status)] = std::move(one);
  }
  responses["default"] = {{"description", "a problem that any request can have"},
                          {"content", {{std::string{kProblemType}, {{"schema", reference_to("Problem")}}}}}};
  return responses;
}

Json operation_of(const Route& route) {
  Json operation{{"operationId", route.operation},     {"summary", route.summary},         {"tags", {route.group}},
                 {"parameters", parameters_of(route)}, {"responses", responses_of(route)}, {"x-role", name(route.role)}};
  if (route.role == Role::anyone) operation["security"] = Json::array();
  if (!route.about.empty()) operation["description"] = route.about;
  if (!route.body.empty())
    operation["requestBody"] = {{"required", !route.body_may_be_absent},
                                {"content", {{std::string{route.body_type}, {{"schema", reference_to(route.body)}}}}}};
  return operation;
}

std::string lower(std::string_view text) {
  std::string low{text};
  std::ranges::transform(low, low.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return low;
}

std::string kind_words(const Parameter& parameter) {
  switch (parameter.kind) {
    case Kind::text: return "text";
    case Kind::whole: return fmt::format("{} to {}", parameter.least, parameter.most);
    case Kind::flag: return "true, false";
    case Kind::span: return "duration";
    case Kind::moment: return "time";
    case Kind::choices: return fmt::format("{}", fmt::join(parameter.values, ", "));
  }
  return {};
}

std::string body_words(const Route& route) {
  if (route.body_type == kJsonType) return "The body is";
  return fmt::format("The body is of type `{}`:{}", route.body_type, route.body_type == kLinesType ? " each line is" : "");
}

void write_route(const Route& route, std::string& page) {
  page += fmt::format("\n### {} {}\n\n{}{}. Role: {}.\n", name(route.verb), route.path, static_cast<char>(route.summary.front() - 'a' + 'A'),
                      route.summary.substr(1), name(route.role));
  if (!route.about.empty()) page += fmt::format("\n{}\n", route.about);
  if (!route.query.empty()) page += "\n| parameter | values | meaning |\n|---|---|---|\n";
  for (const auto& parameter : route.query) page += fmt::format("| `{}` | {} | {} |\n", parameter.name, kind_words(parameter), parameter.meaning);
  if (!route.body.empty())
    page += fmt::format("\n{} a [{}](#{}), at most {} bytes{}.\n", body_words(route), route.body, lower(route.body), route.body_bytes_max,
                        route.body_may_be_absent ? "; it may be absent" : "");
  page += "\n| status | answer | |\n|---|---|---|\n";
  for (const auto& answer : route.answers) {
    auto schema = answer.schema.empty() ? std::string{} : fmt::format("[{}](#{})", answer.schema, lower(answer.schema));
    if (!answer.streams.empty())
      schema += fmt::format("{}`{}` of [{}](#{})", schema.empty() ? "" : ", or ", fmt::join(answer.streams, "`, `"), answer.line, lower(answer.line));
    page += fmt::format("| {} | {} | {} |\n", answer.status, schema, answer.meaning);
  }
}

}  // namespace

Json openapi() {
  Json document{{"openapi", "3.1.0"},
                {"info",
                 {{"title", "catena"},
                  {"version", "1"},
                  {"summary", "Chains of tools: submit them, wait for them, look at them, repair them."},
                  {"license", {{"name", "see the repository"}, {"identifier", "LicenseRef-catena"}}}}},
                {"servers", {{{"url", "/"}}}},
                {"paths", Json::object()}};
  for (const auto& group : groups()) {
    if (group.for_browsers) continue;
    document["tags"].push_back({{"name", group.name}, {"description", group.about}});
    for (const auto& route : routes()) {
      if (route.group == group.name) document["paths"][std::string{route.path}][lower(name(route.verb))] = operation_of(route);
    }
  }
  // Where the server asks for none, none is looked at.
  document["components"]["securitySchemes"]["token"] = {{"type", "http"}, {"scheme", "bearer"}};
  document["security"] = Json::array({Json::object({{"token", Json::array()}})});
  for (const auto& schema : schemas()) document["components"]["schemas"][std::string{schema.name}] = Json::parse(schema.text);
  open_objects(document);
  return document;
}

std::string reference_page() {
  std::string page =
      "# The HTTP interface, route by route\n\n"
      "Every route of `catena coordinator --http`, made from the table of routes (`catena openapi --markdown`). How to use them stands in "
      "[http](http.md). A running server "
      "has the same as an OpenAPI 3.1 document at `/openapi.json`; `catena openapi` prints it without a server.\n\n"
      "Beside the answers that a route names, any request can be answered with a [problem](#problem): 400 for a malformed request, 401 and 403 "
      "where the server asks for tokens and the one that is shown is none, or has too low a role, 403 for another host or origin, 404 and 405 for a "
      "path or method that is not there, 413 and 415 for a body that is too large or no JSON, 500 and 503 when the "
      "coordinator cannot do its work.\n";
  for (const auto& group : groups()) {
    page += fmt::format("\n## {}\n\n{}\n", group.name, group.about);
    for (const auto& route : routes()) {
      if (route.group == group.name) write_route(route, page);
    }
  }
  page += "\n## Schemas\n";
  for (const auto& schema : schemas()) page += fmt::format("\n### {}\n\n```json\n{}\n```\n", schema.name, Json::parse(schema.text).dump(2));
  return page;
}

}  // namespace catena::api
