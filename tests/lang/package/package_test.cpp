#include "lang/package/package.hpp"

#include <catch2/catch.hpp>

#include "base/hash.hpp"
#include "tests/lang/program_lines.hpp"
#include "tests/lang/valid_package.hpp"

namespace catena::lang::test {
namespace {

using Catch::Matchers::Contains;

constexpr const char* kCalls = R"({"instructions": [
  {"execution_id": "a", "tool_definition_path": "/tools/twice.tool", "arguments": {"text": "x"}},
  {"execution_id": "b", "tool_definition_path": "/tools/twice.tool", "arguments": {"text": "y"}},
  {"execution_id": "c", "tool_definition_path": "/tools/run.tool"},
  {"execution_id": "d", "tool_definition": {"instructions": [{"execution_id": "e", "tool_definition_path": "/main.tool",
    "conditions": [{"param": 1, "operator": "equals", "value": 1}]}]}}]})";

MemoryFinder with_main(const std::string& text) {
  auto finder = standard_tools();
  finder.add("/main.tool", text);
  return finder;
}

}  // namespace

TEST_CASE("a package has every composite it can reach, recursion and inline definitions included") {
  const auto package = valid_package(with_main(kCalls));
  CHECK(package.root == "/main.tool");
  std::vector<std::string> keys;
  for (const auto& [key, program] : package.programs) keys.push_back(key);
  CHECK(keys == std::vector<std::string>{"/main.tool", "/main.tool#d", "/tools/twice.tool"});
  CHECK(&package.main() == package.programs.at("/main.tool").get());
  const auto& inner = package.programs.at("/main.tool#d")->steps.front();
  CHECK(std::get<ProgramCall>(inner.call).definition == "/main.tool");
}

TEST_CASE("each definition is looked up once, however many steps call it") {
  const auto finder = with_main(kCalls);
  valid_package(finder);
  // main, twice, run, echo; and main again as seen from itself
  CHECK(finder.lookups == 5);
}

TEST_CASE("the manifest pins sources, lookups and programs, and its hash is its content's") {
  const auto package = valid_package(with_main(kCalls));
  const auto manifest = Json::parse(package.manifest);
  CHECK(manifest.size() == 5);
  CHECK(manifest["format"] == 1);
  CHECK(manifest["root"] == "/main.tool");
  CHECK(manifest["definitions"]["/main.tool"] == kCalls);
  CHECK(manifest["definitions"].size() == 4);
  CHECK(manifest["resolved"]["/main.tool\n/tools/twice.tool"] == "/tools/twice.tool");
  CHECK(manifest["resolved"]["/tools/twice.tool\n/tools/echo.tool"] == "/tools/echo.tool");
  CHECK(manifest["programs"] == Json{{"/tools/run.tool\nrun.sh", "/opt/bin/run.sh"}});
  CHECK(package.hash == sha256_hex(package.manifest));
}

TEST_CASE("the same sources give the same hash, and any change gives another") {
  const auto hash = valid_package(with_main(kCalls)).hash;
  CHECK(valid_package(with_main(kCalls)).hash == hash);
  CHECK(valid_package(with_main(std::string{kCalls} + "\n")).hash != hash);
  auto edited = with_main(kCalls);
  edited.add("/tools/any.tool", R"({"system_event_endpoint": "builtin:sleep"})");
  CHECK(valid_package(edited).hash == hash);  // nothing reaches it
  edited.add_program("run.sh", "/usr/bin/run.sh");
  CHECK(valid_package(edited).hash != hash);
}

TEST_CASE("a package comes back from its manifest alone, the same") {
  const auto package = valid_package(with_main(kCalls));
  const auto again = from_manifest(package.manifest, kCatalog);
  if (!again) FAIL(render(again.error()));
  CHECK(again->root == package.root);
  CHECK(again->manifest == package.manifest);
  CHECK(again->hash == package.hash);
  REQUIRE(again->programs.size() == package.programs.size());
  for (const auto& [key, program] : package.programs) CHECK(program_lines(*again->programs.at(key)) == program_lines(*program));
}

TEST_CASE("a primitive comes back from its manifest with its program's path") {
  const auto package = valid_package(standard_tools(), "/tools/run.tool");
  const auto again = from_manifest(package.manifest, kCatalog);
  REQUIRE(again);
  const auto& call = std::get<ToolCall>(again->main().steps.front().call);
  CHECK(call.endpoint == Endpoint{"exec", "/opt/bin/run.sh", {"--fast", "two words", "it's"}, "/tools/run.tool"});
}

TEST_CASE("the step of a primitive is called like its tool, and as before in packages from before that") {
  auto finder = standard_tools();
  finder.add("/shout.tool", R"({"system_event_endpoint": "builtin:echo"})");
  finder.add("/odd.tool", R"({"name": "a b", "system_event_endpoint": "builtin:echo"})");
  const auto package = load_package("/shout.tool", finder, kCatalog);
  REQUIRE(package);
  CHECK(package->main().steps.front().id == "shout");
  CHECK(from_manifest(package->manifest, kCatalog)->hash == package->hash);
  CHECK(load_package("/odd.tool", finder, kCatalog)->main().steps.front().id == "call");
  auto earlier = Json::parse(package->manifest);
  earlier.erase("steps_named_by_tool");
  const auto read = from_manifest(earlier.dump(), kCatalog);
  REQUIRE(read);
  CHECK(read->main().steps.front().id == "call");
}

TEST_CASE("a manifest that is damaged or of another format is refused") {
  const auto code = [](std::string_view manifest) {
    const auto package = from_manifest(manifest, kCatalog);
    REQUIRE_FALSE(package);
    return package.error().code;
  };
  CHECK(code("") == Code::storage_corrupt);
  CHECK(code("[]") == Code::storage_corrupt);
  CHECK(code("{\"format\": 1") == Code::storage_corrupt);
  CHECK(code("{\"format\": 2}") == Code::storage_format);
  CHECK(code("{\"format\": 1}") == Code::storage_corrupt);
  CHECK(code(R"({"format":1,"root":7,"definitions":{},"resolved":{},"programs":{}})") == Code::storage_corrupt);
  CHECK(code(R"({"format":1,"root":"/x","definitions":{},"resolved":{},"programs":{}})") == Code::storage_corrupt);
  auto manifest = Json::parse(valid_package(with_main(kCalls)).manifest);
  manifest["definitions"].erase("/tools/echo.tool");
  CHECK(code(manifest.dump()) == Code::storage_corrupt);
}

TEST_CASE("a builtin that is gone since the chain was pinned is reported, not run") {
  const auto package = valid_package(standard_tools(), "/tools/echo.tool");
  const auto again = from_manifest(package.manifest, Catalog{{"sleep"}});
  REQUIRE_FALSE(again);
  CHECK(again.error().code == Code::builtin_unknown);
}

TEST_CASE("errors of all files come at once, file by file in the order they were reached") {
  auto finder = with_main(R"({"instructions": [
    {"execution_id": "a", "tool_definition_path": "/bad.tool", "timeout": "x"},
    {"execution_id": "b", "tool_definition_path": "/none.tool", "arguments": {"x": "REF:zzzzzz.y"}},
    {"execution_id": "c", "tool_definition_path": "/worse.tool"}]})");
  finder.add("/bad.tool", R"({"system_event_endpoint": "builtin:nothing_like_it", "arguments": {}})");
  finder.add("/worse.tool", "{");
  const auto package = load_package("/main.tool", finder, kCatalog);
  REQUIRE_FALSE(package);
  std::vector<std::string> found;
  for (const auto& error : package.error()) found.push_back(fmt::format("{}:{} {}", error.where.file, error.where.line, name(error.code)));
  CHECK(found == std::vector<std::string>{"/main.tool:2 field_value", "/main.tool:3 definition_not_found", "/main.tool:3 reference_unknown",
                                          "/bad.tool:1 builtin_unknown", "/bad.tool:1 field_type", "/worse.tool:1 json_syntax"});
}

TEST_CASE("a root that does not exist is one error") {
  const auto package = load_package("/none.tool", standard_tools(), kCatalog);
  REQUIRE_FALSE(package);
  REQUIRE(package.error().size() == 1);
  CHECK(package.error().front().code == Code::definition_not_found);
}

TEST_CASE("two definitions may call each other") {
  auto finder = standard_tools();
  finder.add("/ping.tool", R"({"instructions": [{"execution_id": "p", "tool_definition_path": "/pong.tool", "arguments": {"n": 1}}],
    "arguments": [{"name": "n", "type_name": "integer"}]})");
  finder.add("/pong.tool", R"({"instructions": [{"execution_id": "q", "tool_definition_path": "/ping.tool", "arguments": {"n": 2},
    "conditions": [{"param": 1, "operator": "equals", "value": 1}]}],
    "arguments": [{"name": "n", "type_name": "integer"}]})");
  const auto package = valid_package(finder, "/ping.tool");
  CHECK(package.programs.size() == 2);
  CHECK(package.main().steps.front().arguments.find("n") != nullptr);
}

TEST_CASE("a path that is not UTF-8 cannot be pinned, and says so") {
  auto finder = standard_tools();
  finder.add_program("run.sh", "/opt/\xff/run.sh");
  const auto package = load_package("/tools/run.tool", finder, kCatalog);
  REQUIRE_FALSE(package);
  CHECK(package.error().front().code == Code::not_utf8);
}

TEST_CASE("warnings do not refuse a package") {
  const auto package = valid_package(with_main(R"({"instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/echo.tool", "arguments": {"text": "x"}},
    {"execution_id": "b", "tool_definition_path": "/tools/any.tool", "arguments": {"x": "REF:a.txet"}}]})"));
  REQUIRE(package.warnings.size() == 1);
  CHECK_THAT(package.warnings.front().message, Contains("did you mean 'text'"));
}

TEST_CASE("programs are pinned by their content: the package has another hash, and comes back with them") {
  auto package = valid_package(with_main(kCalls));
  const auto unpinned = package.hash;
  const std::string hash(64, 'a');
  REQUIRE(pin_programs(package, {{"/opt/bin/run.sh", hash}}));
  CHECK(package.hash != unpinned);
  CHECK(package.hash == sha256_hex(package.manifest));
  CHECK(package.pinned.at("/opt/bin/run.sh") == hash);
  const auto back = from_manifest(package.manifest, kCatalog);
  REQUIRE(back);
  CHECK(back->pinned == package.pinned);
  CHECK(back->manifest == package.manifest);
  CHECK(back->hash == package.hash);
}

TEST_CASE("a package that pins no program is what it was") {
  auto package = valid_package(with_main(kCalls));
  const auto manifest = package.manifest;
  REQUIRE(pin_programs(package, {}));
  CHECK(package.manifest == manifest);
  CHECK(from_manifest(manifest, kCatalog).value().pinned.empty());
}

TEST_CASE("only an absolute path and a hash can be pinned, and a damaged table is refused") {
  auto package = valid_package(with_main(kCalls));
  const auto before = package.manifest;
  CHECK(pin_programs(package, {{"run.sh", std::string(64, 'a')}}).error().code == Code::field_value);
  CHECK(pin_programs(package, {{"/opt/bin/run.sh", "../../etc/passwd"}}).error().code == Code::field_value);
  CHECK(package.manifest == before);
  for (const auto& table : {Json(1), Json{{"/a", 1}}, Json{{"/a", "short"}}, Json{{"a", std::string(64, 'a')}}}) {
    auto manifest = Json::parse(before);
    manifest["pinned"] = table;
    const auto read = from_manifest(manifest.dump(), kCatalog);
    REQUIRE_FALSE(read);
    CHECK(read.error().code == Code::storage_corrupt);
  }
}

}  // namespace catena::lang::test
