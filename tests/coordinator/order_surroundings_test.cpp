// What the coordinator tells workers of the surroundings of a process.
#include <catch2/catch.hpp>

#include "tests/coordinator/fixture.hpp"

namespace catena::coordinator::test {
namespace {

using engine::ChainStatus;

std::string process_tool(const std::string& more = "") {
  return R"({"additional_arguments": true, )" + more + R"("system_event_endpoint": "exec:/usr/bin/jq"})";
}

/// Steps "first", and "second" with what is given; of the tools /plain.tool, and /tool.tool, which has surroundings of its own.
Pinned process_package(const std::string& of_second, const std::string& tool = "/tool.tool") {
  const auto definition = R"({"arguments": [{"name": "who", "type_name": "string"}], "instructions": [
    {"execution_id": "first", "tool_definition_path": "/plain.tool", "arguments": {"n": 7}},
    {"execution_id": "second", "tool_definition_path": ")" +
                          tool + R"(", )" + of_second + R"("dependencies": ["first"]}]})";
  return std::make_shared<const lang::Package>(*pin(
      definition,
      {{"/plain.tool", process_tool()}, {"/tool.tool", process_tool(R"("env": {"LEVEL": "info", "N": 3, "KEY": "SECRET:key"}, "cwd": "/srv", )")}}));
}

void submit_from(Fixture& f, const Pinned& what, const std::string& directory = "/home/ann") {
  actors::Submission submission;
  submission.chain = ChainId{"c"};
  submission.package = what;
  submission.definition = what->root;
  submission.arguments = engine::inline_payload(R"({"who": "ann"})");
  submission.context = engine::inline_payload("{}");
  submission.directory = directory;
  f.tell(std::move(submission));
  f.await();
}

}  // namespace

TEST_CASE("a process is told the variables of its tool, those of the step over them, and secrets by their names only") {
  Fixture f;
  submit_from(f, process_package(R"("env": {"LEVEL": "debug", "WHO": "REF:arguments.who", "COUNT": "REF:first.n", "ALL": ["REF:first.n"]}, )"));
  CHECK(f.finish().status == ChainStatus::succeeded);
  CHECK(f.script.last("c/first").environment.empty());
  const auto told = Json::parse(f.script.last("c/second").environment);
  CHECK(told == Json{{"LEVEL", "debug"}, {"N", "3"}, {"KEY", {{"secret", "key"}}}, {"WHO", "ann"}, {"COUNT", "7"}, {"ALL", "[7]"}});
}

TEST_CASE("a reference in a variable is a dependency of the step, and one to nothing fails it before it runs") {
  Fixture f;
  submit_from(f, process_package(R"("env": {"X": "REF:first.response.nothing"}, )"));
  const auto ended = f.finish();
  CHECK(ended.status == ChainStatus::failed);
  CHECK(f.script.count("c/second") == 0);
}

TEST_CASE("variables are evaluated once: an attempt after a restart of the coordinator gets the same") {
  Fixture f;
  f.script.on("c/second", held());
  submit_from(f, process_package(R"("env": {"WHO": "REF:arguments.who"}, )"));
  f.run();
  REQUIRE(f.script.count("c/second") == 1);
  const auto before = f.script.last("c/second").environment;
  f.crash();
  f.script.on("c/second", answer("{}"));
  f.resume("c");
  f.await();
  CHECK(f.finish().status == ChainStatus::succeeded);
  REQUIRE(f.script.count("c/second") == 2);
  CHECK(f.script.last("c/second").environment == before);
}

TEST_CASE("a value that is text like a secret's name is no secret: only a definition can name one") {
  Fixture f;
  const auto what = process_package(R"("env": {"WHO": "REF:arguments.who"}, )");
  actors::Submission submission;
  submission.chain = ChainId{"c"};
  submission.package = what;
  submission.definition = what->root;
  submission.arguments = engine::inline_payload(R"({"who": "SECRET:key"})");
  submission.context = engine::inline_payload("{}");
  f.tell(std::move(submission));
  f.await();
  CHECK(f.finish().status == ChainStatus::succeeded);
  CHECK(Json::parse(f.script.last("c/second").environment).at("WHO") == "SECRET:key");
}

TEST_CASE("a process starts in a fresh folder on a cluster, where it was submitted alone, and where its tool or step says otherwise") {
  SECTION("on a cluster") {
    Fixture f;
    submit_from(f, process_package(""));
    CHECK(f.finish().status == ChainStatus::succeeded);
    CHECK(f.script.last("c/first").work_directory);
    CHECK(f.script.last("c/second").directory == "/srv");
    CHECK_FALSE(f.script.last("c/second").work_directory);
  }
  SECTION("alone") {
    Fixture f{{.settings = {.tools_start_where_submitted = true}}};
    submit_from(f, process_package(R"("cwd": "work", )"));
    CHECK(f.finish().status == ChainStatus::succeeded);
    CHECK(f.script.last("c/first").directory == "/home/ann");
    CHECK_FALSE(f.script.last("c/first").work_directory);
    CHECK(f.script.last("c/second").work_directory);
  }
  SECTION("where it was submitted, on a cluster") {
    Fixture f;
    submit_from(f, process_package(R"("cwd": "submission", )"));
    CHECK(f.finish().status == ChainStatus::succeeded);
    CHECK(f.script.last("c/second").directory == "/home/ann");
  }
}

TEST_CASE("where a chain was submitted outlives restarts, and child chains have it too") {
  Fixture f{{.settings = {.tools_start_where_submitted = true}}};
  const auto inner = R"({"instructions": [{"execution_id": "in", "tool_definition_path": "/plain.tool"}]})";
  const auto outer = R"({"instructions": [{"execution_id": "out", "tool_definition_path": "/inner.tool"}]})";
  f.script.on("c/out/in", held());
  submit_from(f, std::make_shared<const lang::Package>(*pin(outer, {{"/plain.tool", process_tool()}, {"/inner.tool", inner}})));
  f.run();
  REQUIRE(f.script.count("c/out/in") == 1);
  CHECK(f.script.last("c/out/in").directory == "/home/ann");
  f.crash();
  f.script.on("c/out/in", answer("{}"));
  f.resume("c");
  f.await();
  CHECK(f.finish().status == ChainStatus::succeeded);
  CHECK(f.script.last("c/out/in").directory == "/home/ann");
}

}  // namespace catena::coordinator::test
