// catena eval: expressions and conditions, one at a time or a line each.
#include "tests/cli/scene.hpp"

namespace cli_test {
namespace {

const std::string kConditions =
    R"({"context": {"arguments": {"depth": "basic"}, "fetch": {"code": 500}, "parse": {"status": "failed", "error": {"code": "tool_failed", "message": "no"}}},
        "conditions": [{"param": "REF:fetch.code", "operator": "greater_than", "value": 499}, {"param": "REF:parse.status", "operator": "equals", "value": "failed"}]})";

}  // namespace

TEST_CASE("eval prints the value of an expression") {
  const Scene scene;
  const auto done = scene.run({"eval", "sum(prices) | round(1)", "--context", R"({"prices": [1.5, 2.25]})"});
  CHECK(done.code == 0);
  CHECK(done.out == "3.8\n");
  const auto wrong = scene.run({"eval", "sum(prices"});
  CHECK(wrong.code == 2);
  CHECK(wrong.out.empty());
}

TEST_CASE("eval --conditions takes its document as a word, from a file or from standard input") {
  const Scene scene;
  CHECK(scene.run({"eval", "--conditions", kConditions}).out == "true\n");
  CHECK(scene.run({"eval", "--conditions", "@" + scene.write("c.json", kConditions)}).out == "true\n");
  CHECK(scene.shell(R"("$@" < ")" + scene.path("c.json") + '"', {"eval", "--conditions", "-"}).out == "true\n");
  CHECK(scene.shell(R"("$@" < ")" + scene.path("c.json") + '"', {"eval", "--conditions"}).out == "true\n");
  CHECK_FALSE(scene.has_data());
}

TEST_CASE("eval --conditions warns on stderr of operators on unfit types, and tells all errors with their places") {
  const Scene scene;
  const auto warned = scene.run({"eval", "--conditions", R"({"conditions": [{"param": 1, "operator": "less_than", "value": "2"}]})"});
  CHECK(warned.code == 0);
  CHECK(warned.out == "false\n");
  CHECK(warned.says("warning: "));
  CHECK(warned.says("less_than"));
  const auto wrong = scene.run({"eval", "--conditions", R"({"conditions": [{"param": "REF:a", "operator": "is"}]})"});
  CHECK(wrong.code == 2);
  CHECK(wrong.out.empty());
  CHECK(wrong.says("conditions:1:27"));
  CHECK(wrong.says("conditions:1:48"));
}

TEST_CASE("eval --batch answers a line with a line, and a wrong one with its error") {
  const Scene scene;
  const auto lines = scene.write("lines", R"({"expr": "x + 1", "context": {"x": 2}}
{"expr": "1 +"}

nonsense
{"context": {}}
{"expr": "[1, 'a', null]"}
)");
  const auto done = scene.shell(R"("$@" < ")" + lines + '"', {"eval", "--batch"});
  CHECK(done.code == 0);
  std::istringstream out{done.out};
  std::vector<json> answers;
  for (std::string line; std::getline(out, line);) answers.push_back(json::parse(line));
  REQUIRE(answers.size() == 5);
  CHECK(answers[0] == json{{"value", 3}});
  CHECK(answers[1]["error"].size() == 2);
  CHECK_FALSE(answers[1]["error"]["message"].get<std::string>().empty());
  CHECK(answers[2]["error"]["code"] == "json_syntax");
  CHECK(answers[3]["error"]["code"] == "usage");
  CHECK(answers[4] == json{{"value", {1, "a", nullptr}}});
}

TEST_CASE("eval --conditions --batch answers in the same way") {
  const Scene scene;
  const auto lines = scene.write("lines", json::parse(kConditions).dump() + R"(
{"conditions": []}
{"conditions": [{"param": "REF:nobody.x", "operator": "exists"}]}
{"conditions": [{"param": 1, "operator": "is", "value": 1}]}
{"expr": "1"}
{
)");
  const auto done = scene.shell(R"("$@" < ")" + lines + '"', {"eval", "--conditions", "--batch"});
  CHECK(done.code == 0);
  CHECK(done.error.empty());
  std::istringstream out{done.out};
  std::vector<json> answers;
  for (std::string line; std::getline(out, line);) answers.push_back(json::parse(line));
  REQUIRE(answers.size() == 6);
  CHECK(answers[0] == json{{"value", true}});
  CHECK(answers[1] == json{{"value", true}});
  CHECK(answers[2] == json{{"value", false}});
  CHECK(answers[3]["error"]["code"] == "operator_unknown");
  CHECK(answers[4]["error"]["code"] == "field_missing");
  CHECK(answers[5]["error"]["code"] == "json_syntax");
}

}  // namespace cli_test
