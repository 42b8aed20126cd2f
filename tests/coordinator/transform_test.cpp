// transform_arguments and transform_responses of plain steps and of items: when they are evaluated, and what becomes of their failures.
#include <catch2/catch.hpp>

#include "storage/chain_store.hpp"
#include "tests/coordinator/fixture.hpp"
#include "tests/coordinator/hand_made.hpp"

namespace catena::coordinator::test {
namespace {

using engine::ChainStatus;
using namespace std::chrono_literals;

const std::string kTwice = R"("retry": {"max_attempts": 2, "initial_interval": "5s", "jitter": 0})";

/// A tool that declares what it takes and what it gives.
const std::map<std::string, std::string> kStrict{{"/strict.tool", R"({
  "arguments": [{"name": "n", "type_name": "integer", "required": true}],
  "responses": [{"name": "m", "type_name": "integer", "required": true}],
  "system_event_endpoint": "builtin:echo"})"}};

}  // namespace

TEST_CASE("transformed arguments are what the tool gets, and what is checked") {
  Fixture f;
  const auto package = prepared(pin(composite({step("a", R"("arguments": {"x": 2, "text": "s"})")})), 0, [](HandMade& made) {
    made.variable("base", "REF:arguments.base").set("sum", "x + base").set("text", "upper(text)");
  });
  CHECK(f.complete(package, "c", R"({"base": 40})").status == ChainStatus::succeeded);
  CHECK(arguments_of(f, "c/a") == Json{{"x", 2}, {"text", "S"}, {"sum", 42}});
  const auto strict =
      prepared(pin(composite({step("a", R"("arguments": {"n": 1})", "/strict.tool")}), kStrict), 0, [](HandMade& made) { made.set("n", "'one'"); });
  const auto ended = f.complete(strict, "d");
  REQUIRE(ended.error);
  CHECK(ended.error->code == Code::argument_type);
  CHECK(f.script.count("d/a") == 0);
}

TEST_CASE("arguments are transformed once: every attempt sees the same time, also after a crash") {
  Fixture f;
  const auto package = prepared(pin(composite({step("a", kTwice)})), 0, [](HandMade& made) { made.set("now", "datetime_now('unix')"); });
  f.hand_made = {package};
  f.script.on("c/a", 1, failure(Code::tool_temporary, true));
  f.submit(package);
  f.run();
  const auto first = arguments_of(f, "c/a");
  REQUIRE(first["now"].is_number());
  f.crash();
  f.resume();
  f.await();
  f.advance(20s);
  CHECK(f.script.last("c/a").attempt == 2);
  CHECK(arguments_of(f, "c/a") == first);
}

TEST_CASE("a response is shaped before it is checked, and references see what it became") {
  Fixture f;
  f.script.on("c/a", answer(R"({"raw": 20})"));
  auto package = pin(composite({step("a", R"("arguments": {"n": 1})", "/strict.tool"), step("b", R"("arguments": {"got": "REF:a.m"})")}), kStrict);
  package = shaped(package, 0, [](HandMade& made) { made.variable("base", "REF:arguments.base").set("m", "raw + base"); });
  CHECK(f.complete(package, "c", R"({"base": 1})").status == ChainStatus::succeeded);
  CHECK(Json::parse(f.state().steps[0].response.text) == Json{{"raw", 20}, {"m", 21}});
  CHECK(arguments_of(f, "c/b") == Json{{"got", 21}});
}

TEST_CASE("a response may be shaped with those of other steps") {
  Fixture f;
  f.script.on("c/a", answer(R"({"n": 5})"));
  auto package = pin(composite({step("a"), step("b", R"("dependencies": ["a"])")}));
  package = shaped(package, 1, [](HandMade& made) { made.set("both", "REF:a.n + length(REF:response.list)"); });
  f.script.on("c/b", answer(R"({"list": [1, 2]})"));
  CHECK(f.complete(package).status == ChainStatus::succeeded);
  CHECK(Json::parse(f.state().steps[1].response.text)["both"] == 7);
}

TEST_CASE("a transform that fails fails the step, and no attempt is made again for it") {
  Fixture f;
  const auto package = shaped(pin(composite({step("a", kTwice)})), 0, [](HandMade& made) { made.set("m", "missing + 1"); });
  const auto ended = f.complete(package);
  REQUIRE(ended.error);
  CHECK(ended.error->code == Code::variable_unknown);
  CHECK_FALSE(ended.error->retryable);
  CHECK(f.script.count("c/a") == 1);
  const auto before = prepared(pin(composite({step("a", kTwice)})), 0, [](HandMade& made) { made.set("m", "missing + 1"); });
  CHECK(f.complete(before, "d").status == ChainStatus::failed);
  CHECK(f.script.count("d/a") == 0);
}

TEST_CASE("a response that lacks what is declared once it is shaped fails the step") {
  Fixture f;
  const auto package =
      shaped(pin(composite({step("a", R"("arguments": {"n": 1})", "/strict.tool")}), kStrict), 0, [](HandMade& made) { made.set("m", "'text'"); });
  const auto ended = f.complete(package);
  REQUIRE(ended.error);
  CHECK(ended.error->code == Code::response_type);
}

TEST_CASE("the response of a composite is shaped like a tool's") {
  Fixture f;
  const std::map<std::string, std::string> inner{
      {"/inner.tool", composite({step("one", R"("arguments": {"x": 4})")}, R"("response_reference_map": {"x": "REF:one.x"})")}};
  const auto package = shaped(pin(composite({step("sub", {}, "/inner.tool")}), inner), 0, [](HandMade& made) { made.set("twice", "x * 2"); });
  CHECK(f.complete(package).status == ChainStatus::succeeded);
  CHECK(Json::parse(f.state().steps[0].response.text) == Json{{"x", 4}, {"twice", 8}});
  const auto failing = shaped(package, 0, [](HandMade& made) { made.set("twice", "nothing"); });
  const auto ended = f.complete(failing, "d");
  REQUIRE(ended.error);
  CHECK(ended.error->code == Code::variable_unknown);
}

TEST_CASE("the response of a composite writes to the state like a tool's") {
  Fixture f;
  const std::map<std::string, std::string> inner{
      {"/inner.tool", composite({step("one", R"("arguments": {"x": 4})")}, R"("response_reference_map": {"x": "REF:one.x"})")}};
  const auto package = changed(pin(composite({step("sub", {}, "/inner.tool")}), inner), [](lang::Program& program) {
    program.steps[0].writes.push_back({"kept", lang::Expr{reference(program, "REF:response.x"), {}}});
  });
  CHECK(f.complete(package).status == ChainStatus::succeeded);
  CHECK(f.state().variables.at("kept").text == "4");
}

TEST_CASE("transforms that see the item are evaluated once an item, when the fan-out begins") {
  Fixture f;
  f.script.on("c/a/1", 1, failure(Code::tool_temporary, true));
  const auto package = prepared(pin(composite({step("a", each("[10, 20]") + R"(, "arguments": {"base": 1}, )" + kTwice)})), 0, [](HandMade& made) {
    made.constant("k", 3).set("sum", "i + base * k", true).set("now", "datetime_now('unix')", true).set("same", "base * k");
  });
  f.hand_made = {package};
  f.submit(package);
  f.run();
  const auto first = arguments_of(f, "c/a/1");
  f.crash();
  f.resume();
  f.await();
  f.advance(20s);
  CHECK(f.script.last("c/a/1").attempt == 2);
  CHECK(arguments_of(f, "c/a/1") == first);
  CHECK(first["sum"] == 23);
  CHECK(first == Json{{"base", 1}, {"i", 20}, {"sum", 23}, {"same", 3}, {"now", first["now"]}});
  CHECK(f.finish().status == ChainStatus::succeeded);
}

TEST_CASE("what an item's transforms set stands over the shared arguments and the item itself, each key once") {
  Fixture f;
  const auto package = prepared(pin(composite({step("a", each(R"(["x"])") + R"(, "arguments": {"base": 1, "other": 2})")})), 0,
                                [](HandMade& made) { made.set("i", "upper(i)", true).set("base", "i", true); });
  f.complete(package);
  CHECK(f.script.last("c/a/0").arguments.find("\"i\"") == f.script.last("c/a/0").arguments.rfind("\"i\""));
  CHECK(arguments_of(f, "c/a/0") == Json{{"i", "X"}, {"base", "X"}, {"other", 2}});
}

TEST_CASE("an item's error tells of a text that is no ASCII, and stands in the list") {
  Fixture f;
  std::string odd = "x";  // a message ends inside of its characters
  for (int n = 0; n < 40; ++n) odd += "é";
  const auto package =
      prepared(pin(composite({step("a", each(Json::array({odd, "2"}).dump(), R"("tolerated_failures": 1, "on_item_failure": "error")"))},
                             R"("response_reference_map": {"all": "REF:a.response"})")),
               0, [](HandMade& made) { made.set("n", "to_number(i)", true); });
  const auto ended = f.complete(package);
  REQUIRE(ended.status == ChainStatus::succeeded);
  const auto item = Json::parse(ended.response.text)["all"][0];
  CHECK(item["code"] == "expression_value");
  CHECK(item["message"].get<std::string>().find("xéé") != std::string::npos);
}

TEST_CASE("an item whose transforms fail fails without an attempt, and counts like any other") {
  Fixture f;
  const auto make = [](const std::string& more) {
    return prepared(
        pin(composite({step("a", each(R"([1, "two", 3])", more) + ", " + kTwice)}, R"("response_reference_map": {"all": "REF:a.response"})")), 0,
        [](HandMade& made) { made.set("n", "i + 1", true); });
  };
  const auto ended = f.complete(make(R"("tolerated_failures": 1, "on_item_failure": "error")"));
  REQUIRE(ended.status == ChainStatus::succeeded);
  const auto all = Json::parse(ended.response.text)["all"];
  CHECK(all[0] == Json{{"i", 1}, {"n", 2}});
  CHECK(all[1]["code"] == "expression_value");
  CHECK(all[2] == Json{{"i", 3}, {"n", 4}});
  CHECK(f.script.count("c/a/1") == 0);
  f.run();
  CHECK(f.tickets_free() == 8);
  const auto failed = f.complete(make({}), "d");
  REQUIRE(failed.error);
  CHECK(failed.error->code == Code::items_failed);
}

TEST_CASE("what transforms make of an item may be large: it is kept as a blob") {
  Fixture f;
  const auto package = prepared(pin(composite({step("a", each("[1, 2, 3]") + R"(, "arguments": {"text": "REF:arguments.text"})")})), 0,
                                [](HandMade& made) { made.set("copy", "text + text", true); });
  const std::string text(limits::kInlineValueBytesMax, 'x');
  f.complete(package, "c", Json{{"text", text}}.dump());
  CHECK(arguments_of(f, "c/a/2")["copy"] == text + text);
  const auto record = storage::load_inputs(f.kv, ChainId{"c"}, {0, 1}, 0);
  REQUIRE(record.value());
  CHECK((*record)->size() < 1000);
}

TEST_CASE("a fan-out without transforms keeps plain items") {
  Fixture f;
  f.complete(pin(composite({step("a", each("[1, {\"b\": 2}]"))})));
  CHECK(storage::load_inputs(f.kv, ChainId{"c"}, {0, 1}, 0).value() == R"([1,{"b":2}])");
}

TEST_CASE("a worker learns how long the step has been running, over all attempts, and which values are files") {
  const std::map<std::string, std::string> files{{"/files.tool", R"({
    "arguments": [{"name": "in", "type_name": "string"}, {"name": "n", "type_name": "integer"}],
    "responses": [{"name": "out", "type_name": "string"}],
    "system_event_endpoint": "builtin:echo"})"}};
  Fixture f;
  f.advance(1234ms);
  f.script.on("c/a", 1, failure(Code::tool_temporary, true));
  const auto package = changed(pin(composite({step("a", kTwice, "/files.tool")}), files), [](lang::Program& program) {
    program.steps[0].arguments.fields[0].type = lang::Type::file;
    program.steps[0].responses.fields[0].type = lang::Type::file;
  });
  CHECK(f.complete(package).status == ChainStatus::succeeded);
  REQUIRE(f.script.count("c/a") == 2);
  for (const auto& execution : f.script.executions) {
    CHECK(execution.file_arguments == std::vector<std::string>{"in"});
    CHECK(execution.file_responses == std::vector<std::string>{"out"});
  }
  CHECK(f.script.executions[0].age_ms == 0);
  CHECK(f.script.executions[1].age_ms == 5'000);
}

}  // namespace catena::coordinator::test
