// The format of tests of definitions: what is wrong in a file is told all at once, with its places.
#include "cli/definition_test/test_file.hpp"

#include "tests/cli/scene.hpp"

namespace catena::cli {
namespace {

/// line:column code of every error.
std::vector<std::string> errors_of(const std::string& text) {
  const system_test::Folder folder;
  const auto tests = read_definition_tests(folder.write("x.test.yaml", text).string());
  std::vector<std::string> errors;
  if (tests) return errors;
  for (const auto& error : tests.error())
    errors.push_back(std::to_string(error.where.line) + ":" + std::to_string(error.where.column) + " " + std::string{name(error.code)});
  return errors;
}

}  // namespace

TEST_CASE("all mistakes of a file of tests are told at once, with line and column") {
  CHECK(errors_of(R"(definition: x.tool
testts: 1
tests:
  - name: a
    stubs:
      - {toool: fetch, response: {}}
      - {tool: fetch}
      - {tool: fetch, response: {}, error: tool_failed}
      - {tool: fetch, error: tool_fialed}
      - {tool: fetch, after: soon, response: {}}
      - {tool: fetch, response: {}, answers: []}
    expect: {status: done, steps: {a: ran}, elapsed: {most: 3s}, reponse: 1}
    signals: [{data: 3}, {name: go, until: 3s, after: now}]
  - expect: {}
  - 3
)") == std::vector<std::string>{"2:1 field_unknown", "6:9 field_missing", "6:10 field_unknown", "7:9 field_missing", "8:9 fields_exclusive",
                                "9:30 field_value", "10:30 field_value", "11:33 fields_exclusive", "12:22 field_value", "12:35 field_value",
                                "12:55 field_unknown", "12:66 field_unknown", "13:15 field_missing", "13:22 field_type", "13:37 field_unknown",
                                "13:55 field_value", "14:5 field_missing", "15:5 field_type"});
}

TEST_CASE("a file without tests, or of something else, is wrong") {
  CHECK(errors_of("tests: []\n") == std::vector<std::string>{"1:8 field_value"});
  CHECK(errors_of("stubs: []\n") == std::vector<std::string>{"1:1 field_missing"});
  CHECK(errors_of("- 1\n") == std::vector<std::string>{"1:1 field_type"});
  CHECK(errors_of("tests: [\n") == std::vector<std::string>{"2:1 yaml_syntax"});
}

TEST_CASE("a test is about the definition that it names, its file names, or that is called as the file is") {
  const system_test::Folder folder;
  const auto read = [&](const std::string& text) {
    const auto tests = read_definition_tests(folder.write("x.test.yaml", text).string());
    REQUIRE(tests);
    return tests->front().definition;
  };
  CHECK(read("definition: deep/../y.tool\ntests: [{name: a}]\n") == (folder / "y.tool").string());
  CHECK(read("definition: y.tool\ntests: [{name: a, definition: /z.tool}]\n") == "/z.tool");
  folder.write("x.yaml", "");
  CHECK(read("tests: [{name: a}]\n") == (folder / "x.yaml").string());
  folder.write("x.tool", "");
  CHECK(read("tests: [{name: a}]\n") == (folder / "x.tool").string());
  CHECK(errors_of("tests: [{name: a}]\n") == std::vector<std::string>{"1:9 field_missing"});
}

TEST_CASE("test runs what it finds below folders, sorted, and says how it went by its exit code") {
  const cli_test::Scene scene;
  std::filesystem::create_directories(scene.folder() / "t/deep");
  scene.define("t/g.tool", cli_test::greeting());
  scene.write("t/g.test.yaml", "tests:\n  - {name: greets, arguments: {name: Ada}, expect: {response: {text: Ada, times: 1}}}\n");
  scene.write(
      "t/deep/wrong.test.json",
      R"({"definition": "../g.tool", "tests": [{"name": "greets wrongly", "arguments": {"name": "Ada"}, "expect": {"at": {"text": "Bob"}}}]})");
  const auto good = scene.run({"test", scene.path("t/g.test.yaml")});
  CHECK(good.code == 0);
  CHECK(good.out == "ok   " + scene.path("t/g.test.yaml") + ":2: greets (1 execution, 0ms)\n1 test passed\n");
  const auto both = scene.run({"test", scene.path("t")});
  CHECK(both.code == 1);
  CHECK(both.out.starts_with("FAIL " + scene.path("t/deep/wrong.test.json") + ":1: greets wrongly\n       response.text\n"));
  CHECK(both.prints("1 of 2 tests failed"));
  CHECK(scene.run({"test", scene.path("t"), "--only", "greets"}).code == 1);
  CHECK(scene.run({"test", scene.path("t"), "--only", "nothing"}).code == 2);
  CHECK(scene.run({"test", scene.path("t/none")}).says("there is no file or folder"));
  std::filesystem::create_directory(scene.folder() / "empty");
  CHECK(scene.run({"test", scene.path("empty")}).code == 2);
  scene.write("t/g.test.yaml", "tests: 3\n");
  const auto broken = scene.run({"test", scene.path("t")});
  CHECK(broken.code == 2);
  CHECK(broken.says("g.test.yaml:1:8: error[field_type]"));
  CHECK(broken.out.empty());
  CHECK_FALSE(scene.has_data());
}

}  // namespace catena::cli
