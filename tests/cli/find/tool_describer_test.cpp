#include "cli/find/tool_describer.hpp"

#include "cli/find/definition_roots.hpp"
#include "cli/find/tool_files.hpp"
#include "tests/cli/tree.hpp"

namespace catena::cli::test {
namespace {

using Catch::Matchers::Contains;

/// A program that describes itself with the text of the file `said` beside it, and counts in `asked` how often it was asked.
constexpr const char* kDescriber =
    "#!/bin/sh\nhere=$(dirname \"$0\")\nread -r line\necho asked >>\"$here/asked\"\necho \"{\\\"jsonrpc\\\":\\\"2.0\\\",\\\"id\\\":0,$(cat "
    "\"$here/said\")}\"\n";

std::string saying(const std::string& type, const std::string& more = "") {
  return R"("result":{"tools":[{"name":"square","arguments":[{"name":"n","type_name":")" + type +
         R"(","required":true}],"responses":[{"name":"square","type_name":"integer"}])" + more + "}]}";
}

struct Described {
  Tree tree;
  std::string program;
  std::string caller;
  std::string definition;

  Described() : program{tree.program("root/py/tools", kDescriber)} {
    say(saying("integer"));
    caller = tree.file("defs/main.tool",
                       R"({"instructions": [{"execution_id": "a", "tool_definition_path": "/py/tools#square", "arguments": {"n": 2}}]})");
    definition = tree.file("root/py/square.tool", R"({"arguments": [{"name": "n", "type_name": "integer", "required": true}],
      "responses": [{"name": "square", "type_name": "integer"}], "system_event_endpoint": "serve:tools#square"})");
  }
  void say(const std::string& text) const { static_cast<void>(tree.file("root/py/said", text)); }
  [[nodiscard]] std::size_t times_asked() const {
    std::ifstream file{tree.at("root/py/asked")};
    std::size_t count = 0;
    for (std::string line; std::getline(file, line);) ++count;
    return count;
  }
  [[nodiscard]] DefinitionRoots open(std::shared_ptr<ToolDescriber> describer = {}) const {
    auto roots = DefinitionRoots::open({.tools = {tree.at("root")},
                                        .definition = caller,
                                        .environment = {},
                                        .search_path = {"/usr/bin", "/bin"},
                                        .describer = std::move(describer)});
    REQUIRE(roots);
    return std::move(*roots);
  }
  [[nodiscard]] tl::expected<lang::Package, lang::Diagnostics> load(const std::string& path) const {
    return lang::load_package(path, open(), lang::Catalog{});
  }
  [[nodiscard]] Error refused(const std::string& path) const {
    const auto package = load(path);
    if (package) FAIL(path << " is taken");
    return package.error().front();
  }
};

}  // namespace

TEST_CASE("a path with a hash is the definition of a tool that its program describes") {
  const Described stage;
  const auto package = stage.load(stage.caller);
  if (!package) FAIL(render(package.error().front()));
  const auto& step = package->main().steps.front();
  const auto& call = std::get<lang::ToolCall>(step.call);
  CHECK(call.name == "square");
  CHECK(call.endpoint.target == stage.program);
  CHECK(lang::served_tool(call.endpoint) == "square");
  CHECK(step.arguments.find("n") != nullptr);
  // the chain has pinned what was said: nothing is asked when it is read again
  const auto asked = stage.times_asked();
  stage.say(saying("string"));
  const auto again = lang::from_manifest(package->manifest, lang::Catalog{});
  REQUIRE(again);
  CHECK(again->main().steps.front().arguments.find("n")->type == lang::Type::integer);
  CHECK(stage.times_asked() == asked);
}

TEST_CASE("a tool of a program is run by its path, and a file whose name has a hash comes first") {
  const Described stage;
  const auto package = stage.load(stage.tree.at("root/py/tools#square"));
  if (!package) FAIL(render(package.error().front()));
  CHECK(package->main().name == "square");
  static_cast<void>(
      stage.tree.file("root/py/tools#square", R"({"name": "file", "additional_arguments": true, "system_event_endpoint": "serve:tools"})"));
  const auto file = stage.load(stage.tree.at("root/py/tools#square"));
  REQUIRE(file);
  CHECK(file->main().name == "file");
}

TEST_CASE("a step that does not fit what a program says is found when the chain is submitted") {
  const Described stage;
  stage.say(saying("string"));
  const auto error = stage.refused(stage.caller);
  CHECK(error.code == Code::argument_type);
  CHECK(error.where.file == stage.caller);
}

TEST_CASE("a program is asked again when one of its files has changed, and not otherwise") {
  const Described stage;
  static_cast<void>(stage.tree.file("root/py/lib.txt", "one"));
  stage.say(saying("integer", R"(,"files":["tools","lib.txt"])"));
  const auto describer = std::make_shared<ToolDescriber>();
  const auto ask = [&] { return stage.open(describer).definition("/py/tools#square", stage.caller); };
  REQUIRE(ask());
  REQUIRE(ask());
  CHECK(stage.times_asked() == 1);
  static_cast<void>(stage.tree.file("root/py/lib.txt", "two"));
  REQUIRE(ask());
  CHECK(stage.times_asked() == 2);
  stage.tree.program("root/py/tools", std::string{kDescriber} + "# changed\n");
  REQUIRE(ask());
  CHECK(stage.times_asked() == 3);
}

TEST_CASE("what a program does wrong when it is asked for its tools is told") {
  const Described stage;
  SECTION("there is no such tool") {
    const auto found = stage.open().definition("/py/tools#sqare", stage.caller);
    REQUIRE_FALSE(found);
    CHECK(found.error().code == Code::definition_not_found);
    CHECK_THAT(found.error().message, Contains("did you mean 'square'?"));
  }
  SECTION("it does not know the question") {
    stage.say(R"("error":{"code":-32601,"message":"no"})");
    const auto error = stage.refused(stage.caller);
    CHECK(error.code == Code::definition_not_found);
    CHECK_THAT(error.message, Contains("does not know the method `describe`"));
  }
  SECTION("it says nonsense") {
    stage.say("\"result\":[]");
    const auto error = stage.refused(stage.caller);
    CHECK(error.code == Code::file_unreadable);
    CHECK_THAT(error.message, Contains("what it wrote to stdout is no description"));
  }
  SECTION("it ends, and says why on stderr") {
    stage.tree.program("root/py/tools", "#!/bin/sh\necho 'no module named x' >&2\nexit 3\n");
    const auto error = stage.refused(stage.caller);
    CHECK(error.code == Code::file_unreadable);
    CHECK_THAT(error.message, Contains("ended with exit code 3"));
    REQUIRE_FALSE(error.notes.empty());
    CHECK_THAT(error.notes.front(), Contains("no module named x"));
  }
  SECTION("it says nothing") {
    stage.tree.program("root/py/tools", "#!/bin/sh\nexec sleep 1000\n");
    const auto describer = std::make_shared<ToolDescriber>(DescriberOptions{.env_pass = {}, .run_as = {}, .timeout = Millis{50}});
    const auto found = stage.open(describer).definition("/py/tools#square", stage.caller);
    REQUIRE_FALSE(found);
    CHECK_THAT(found.error().message, Contains("did not answer within 50ms"));
  }
  SECTION("nobody knows what would run it") {
    static_cast<void>(stage.tree.file("root/py/tools.txt", ""));
    const auto found = stage.open().definition("/py/tools.txt#square", stage.caller);
    REQUIRE_FALSE(found);
    CHECK_THAT(found.error().message, Contains("chmod +x"));
  }
  SECTION("its description has an endpoint of its own") {
    stage.say(saying("integer", R"(,"system_event_endpoint":"exec:/bin/rm")"));
    CHECK_THAT(stage.refused(stage.caller).message, Contains("has 'system_event_endpoint'"));
  }
}

TEST_CASE("no program outside of the roots is started to describe itself") {
  const Described stage;
  stage.tree.program("elsewhere/tools", kDescriber);
  static_cast<void>(stage.tree.file("elsewhere/said", saying("integer")));
  stage.tree.link("root/link", stage.tree.at("elsewhere/tools"));
  for (const auto* path : {"/link#square", "../elsewhere/tools#square"}) {
    const auto found = stage.open().definition(path, stage.caller);
    REQUIRE_FALSE(found);
    CHECK(found.error().code == Code::path_outside_root);
  }
  CHECK_FALSE(fs::exists(stage.tree.at("elsewhere/asked")));
}

TEST_CASE("a definition that says something else than its program is refused when it is submitted") {
  const Described stage;
  const auto pin = [&] {
    auto package = stage.load(stage.definition);
    if (!package) FAIL(render(package.error().front()));
    return pin_tool_files(*package, stage.open());
  };
  REQUIRE(pin());
  stage.say(saying("string"));
  const auto differs = pin();
  REQUIRE_FALSE(differs);
  CHECK(differs.error().code == Code::field_value);
  CHECK(differs.error().where.file == stage.definition);
  CHECK_THAT(differs.error().message, Contains(R"(the type of the argument 'n' is "integer" in the definition and "string" in the program)"));
  stage.say(saying("integer", R"(,"effect":"at_most_once")"));
  CHECK_THAT(pin().error().message, Contains("at_most_once"));
  stage.say(R"("result":{"tools":[]})");
  CHECK_THAT(pin().error().message, Contains("serves no tool 'square'"));
  // a child that does not describe itself may serve anything
  stage.say(R"("error":{"code":-32601,"message":"no"})");
  CHECK(pin());
}

}  // namespace catena::cli::test
