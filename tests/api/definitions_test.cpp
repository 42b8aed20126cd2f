// Stored definitions: what each route reads, refuses and stores.
#include "tests/api/kept_scene.hpp"

namespace catena::api::test {
namespace {

const std::string kStoredEcho = R"({"description": "again", "system_event_endpoint": "builtin:echo",
  "arguments": [{"name": "x", "type_name": "integer", "required": true, "description": "a number", "enum": [1, 2]}]})";

std::string as_definition(const std::string& definition) { return R"({"definition": )" + definition + "}"; }
std::string as_text(const std::string& text) { return dump_lossy(Json{{"text", text}}); }

}  // namespace

TEST_CASE("a definition is stored in versions, and told with what it takes") {
  KeptScene scene;
  const auto put = scene.ask("PUT", "/v1/definitions/team%2Fecho", as_definition(kStoredEcho));
  INFO(put.body);
  REQUIRE(put.status == 200);
  CHECK(fits(parsed(put), "DefinitionPut"));
  CHECK(header_of(put, "ETag") == "\"v1\"");
  CHECK(scene.audited.act == "put_definition");
  CHECK(scene.audited.subject == "team/echo");
  const auto again = scene.ask("PUT", "/v1/definitions/team%2Fecho", as_definition(kStoredEcho));
  CHECK(parsed(again)["version"] == "v1");
  const auto second = scene.ask("PUT", "/v1/definitions/team%2Fecho", as_text("system_event_endpoint: builtin:echo\nadditional_arguments: true\n"));
  INFO(second.body);
  CHECK(parsed(second)["version"] == "v2");

  const auto first = parsed(scene.ask("GET", "/v1/definitions/team%2Fecho?version=v1"));
  CHECK(fits(first, "StoredDefinition"));
  CHECK(first["text"] == kStoredEcho);
  CHECK(first["dialect"] == "tool");
  CHECK(first["description"] == "again");
  CHECK(first["stored_by"] == "ada");
  CHECK(first["valid"] == true);
  CHECK(first["arguments"] == Json::parse(R"([{"name": "x", "type_name": "integer", "required": true, "description": "a number", "enum": [1, 2]}])"));
  const auto latest = scene.ask("GET", "/v1/definitions/team%2Fecho");
  CHECK(header_of(latest, "ETag") == "\"v2\"");
  CHECK(parsed(latest)["versions"].size() == 2);
  CHECK(parsed(latest)["versions"][0]["version"] == "v2");
  CHECK(scene.ask("GET", "/v1/definitions/team%2Fecho/text?version=v1").body == kStoredEcho);
  CHECK(scene.ask("GET", "/v1/definitions/team%2Fecho?version=v3").status == 404);
  CHECK(scene.ask("GET", "/v1/definitions/none").status == 404);
  CHECK(parsed(scene.ask("GET", "/v1/definitions/none?version=v1"))["code"] == "definition_not_found");
}

TEST_CASE("all that is wrong with a definition is told where it stands, and nothing is stored") {
  KeptScene scene;
  const auto in_json = scene.ask("PUT", "/v1/definitions/w",
                                 "{\n \"definition\": {\"instructions\": [\n  {\"execution_id\": \"a\", \"tool_definition_path\": \"/ecko.tool\"},\n"
                                 "  {\"execution_id\": \"a\", \"tool_definition_path\": \"/echo.tool\"}]}}");
  CHECK(in_json.status == 422);
  const auto json = parsed(in_json);
  CHECK(fits(json, "Problem"));
  REQUIRE(json["errors"].size() == 2);
  std::set<std::string> pointers;
  for (const auto& error : json["errors"]) pointers.insert(error["pointer"].get<std::string>());
  CHECK(pointers.contains("/definition/instructions/0/tool_definition_path"));
  const auto in_text =
      parsed(scene.ask("PUT", "/v1/definitions/w", as_text("instructions:\n  - execution_id: a\n    tool_definition_path: /ecko.tool\n")));
  CHECK(in_text["errors"][0]["pointer"] == "/text");
  CHECK(in_text["errors"][0]["line"] == 3);
  CHECK_FALSE(in_text["errors"][0].contains("file"));
  for (const auto* const body : {"{}", R"({"definition": {}, "text": "x"})", R"({"text": 5})", R"({"definition": {}, "name": "x"})"}) {
    CAPTURE(body);
    CHECK(scene.ask("PUT", "/v1/definitions/w", body).status == 422);
  }
  const auto runs =
      scene.ask("PUT", "/v1/definitions/w", as_definition(R"({"additional_arguments": true, "system_event_endpoint": "exec:/bin/sh"})"));
  CHECK(runs.status == 422);
  CHECK(parsed(runs)["errors"][0]["code"] == "program_not_found");
  CHECK(scene.ask("PUT", "/v1/definitions/a%23b", as_definition(kStoredEcho)).status == 422);
  CHECK(scene.ask("GET", "/v1/definitions/w").status == 404);
}

TEST_CASE("a version that somebody else has changed is not overwritten") {
  KeptScene scene;
  const auto put = [&](const std::string& text, const Headers& headers) {
    return scene.ask("PUT", "/v1/definitions/e", as_definition(text), headers).status;
  };
  CHECK(put(kStoredEcho, {{"if-match", "\"v1\""}}) == 412);
  CHECK(put(kStoredEcho, {{"if-match", "*"}}) == 412);
  CHECK(put(kStoredEcho, {{"if-none-match", "*"}}) == 200);
  CHECK(put(kStoredEcho + " ", {{"if-none-match", "*"}}) == 412);
  CHECK(put(R"({"system_event_endpoint": "builtin:echo"})", {{"if-match", "\"v1\""}}) == 200);
  const auto late = scene.ask("PUT", "/v1/definitions/e", as_definition(kStoredEcho), {{"if-match", "\"v1\""}});
  CHECK(late.status == 412);
  CHECK(parsed(late)["code"] == "version_conflict");
  for (const auto* const wrong : {"v2", "\"v2\", \"v3\"", "W/\"v2\"", "\""}) {
    CAPTURE(wrong);
    CHECK(put(kStoredEcho, {{"if-match", wrong}}) == 400);
  }
  CHECK(put(kStoredEcho, {{"if-none-match", "\"v1\""}}) == 400);
  CHECK(scene.ask("DELETE", "/v1/definitions/e", {}, {{"if-match", "\"v1\""}}).status == 412);
  CHECK(scene.ask("DELETE", "/v1/definitions/e?reason=old", {}, {{"if-match", "\"v2\""}}).status == 200);
  CHECK(scene.audited.reason == "old");
  CHECK(scene.ask("DELETE", "/v1/definitions/e").status == 404);
  CHECK(scene.ask("GET", "/v1/definitions/e").status == 404);
  CHECK(scene.ask("GET", "/v1/definitions/e?version=v1").status == 200);
}

TEST_CASE("a change of a definition that is only validated changes nothing") {
  KeptScene scene;
  const auto put = scene.ask("PUT", "/v1/definitions/e?validate_only=true", as_definition(kStoredEcho));
  CHECK(fits(parsed(put), "Preview"));
  CHECK(parsed(put)["would"] == "put_definition");
  CHECK(scene.ask("GET", "/v1/definitions/e").status == 404);
  CHECK(scene.ask("PUT", "/v1/definitions/e?validate_only=true", as_definition(kStoredEcho), {{"if-match", "\"v1\""}}).status == 412);
  CHECK(scene.ask("DELETE", "/v1/definitions/e?validate_only=true").status == 404);
  REQUIRE(scene.ask("PUT", "/v1/definitions/e", as_definition(kStoredEcho)).status == 200);
  CHECK(fits(parsed(scene.ask("DELETE", "/v1/definitions/e?validate_only=true")), "Preview"));
  CHECK(scene.ask("GET", "/v1/definitions/e").status == 200);
}

TEST_CASE("definitions are listed by name, page by page, as filters say") {
  KeptScene scene;
  for (const auto* const name : {"a", "b%2Fc", "b%2Fd", "z"})
    REQUIRE(scene.ask("PUT", "/v1/definitions/" + std::string{name}, as_definition(kStoredEcho)).status == 200);
  REQUIRE(scene
              .ask("PUT", "/v1/definitions/m",
                   as_definition(R"({"instructions": [{"execution_id": "s", "tool_definition_path": "/z.tool", "arguments": {"x": 1}}]})"))
              .status == 200);
  const auto names = [&](const std::string& query) {
    std::vector<std::string> found;
    for (std::string cursor, more = "?"; !more.empty();) {
      const auto page = parsed(scene.ask("GET", "/v1/definitions?" + query + (cursor.empty() ? "" : "&cursor=" + cursor)));
      CHECK(fits(page, "DefinitionPage"));
      for (const auto& row : page["definitions"]) found.push_back(row["name"]);
      more = cursor = page.value("cursor", "");
    }
    return found;
  };
  const auto all = names("limit=1000");
  CHECK(all.size() == 5);
  for (const auto* const limit : {"limit=1", "limit=2", "limit=3"}) CHECK(names(limit) == all);
  CHECK(names("name=b/*") == std::vector<std::string>{"b/c", "b/d"});
  CHECK(names("name=b/*&limit=1") == std::vector<std::string>{"b/c", "b/d"});
  CHECK(names("dialect=tool&limit=2") == all);
  CHECK(names("dialect=plan").empty());
  CHECK(scene.ask("GET", "/v1/definitions?cursor=00").status == 400);
}

TEST_CASE("a stored definition is submitted by its name, and called by its path; one whose tool is gone says so") {
  KeptScene scene;
  REQUIRE(scene.ask("PUT", "/v1/definitions/team%2Fecho", as_definition(kStoredEcho)).status == 200);
  CHECK(scene.ask("POST", "/v1/validate", R"({"name": "team/echo"})").status == 200);
  CHECK(scene.ask("POST", "/v1/validate", R"({"name": "team/ecko"})").status == 422);
  const auto calls = R"({"instructions": [{"execution_id": "s", "tool_definition_path": "/team/echo.tool", "arguments": {"x": 1}}]})";
  CHECK(scene.ask("POST", "/v1/validate", as_definition(calls)).status == 200);
  REQUIRE(scene.ask("PUT", "/v1/definitions/calls", as_definition(calls)).status == 200);
  REQUIRE(scene.ask("DELETE", "/v1/definitions/team%2Fecho").status == 200);
  const auto told = parsed(scene.ask("GET", "/v1/definitions/calls"));
  CHECK(fits(told, "StoredDefinition"));
  CHECK(told["valid"] == false);
  CHECK(told["problems"][0]["code"] == "definition_not_found");
}

TEST_CASE("a definition that is being written is offered what is stored, and not what was removed") {
  KeptScene scene;
  REQUIRE(scene.ask("PUT", "/v1/definitions/team%2Fecho", as_definition(kStoredEcho)).status == 200);
  REQUIRE(scene.ask("PUT", "/v1/definitions/gone", as_definition(kStoredEcho)).status == 200);
  REQUIRE(scene.ask("DELETE", "/v1/definitions/gone").status == 200);
  const std::string text = "instructions:\n  - execution_id: s\n    tool_definition_path: /\n";
  const Json body{{"text", text}, {"at", {{"line", 3}, {"column", 28}}}};
  const auto told = parsed(scene.ask("POST", "/v1/definitions:check", body.dump()));
  CHECK(fits(told, "CheckedDefinition"));
  REQUIRE(told["completions"].size() == 1);
  CHECK(told["completions"][0] == Json::parse(R"({"label": "/team/echo", "kind": "tool", "insert": "/team/echo"})"));
}

}  // namespace catena::api::test
