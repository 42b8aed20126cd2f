// Plans that are retried and resumed. What a plan means is in tests/golden/cases/plan*.txt.
#include <catch2/catch.hpp>

#include "tests/coordinator/fixture.hpp"

namespace catena::coordinator::test {
namespace {

using engine::ChainStatus;

Pinned pin_plan(const std::string& plan, const std::map<std::string, std::string>& tools = {}, const std::string& binder = {}) {
  Definitions definitions;
  definitions.add("/main.json", plan);
  for (const auto& [path, text] : tools) definitions.add(path, text);
  auto catalog = kCatalog;
  catalog.binder = binder;
  auto package = lang::load_package("/main.json", definitions, catalog);
  if (!package) throw std::runtime_error{render(package.error().front())};
  return std::make_shared<const lang::Package>(std::move(*package));
}

const std::string kNeedsX = R"({"arguments": [{"name": "x", "type_name": "any", "required": true}], "system_event_endpoint": "builtin:echo"})";
const std::string kTakesAll = R"({"additional_arguments": true, "system_event_endpoint": "builtin:echo"})";

TEST_CASE("retry of a failed plan runs only what failed or was skipped") {
  Fixture f;
  f.script.on("c/a.2", failure(Code::tool_failed));
  const auto package = pin_plan(R"({"steps": [
    {"id": "a", "tools": ["any", "any", "any"], "parameters": [{"v": 1}, {}, {"v": "$tools[0].v"}]},
    {"id": "b", "tools": ["any"], "parameters": {"v": "RESULT_FROM_a.v"}},
    {"id": "other", "tools": ["any"]}, {"id": "behind", "tools": ["any"], "dependencies": ["other"]}]})");
  auto ended = f.complete(package);
  CHECK(ended.status == ChainStatus::failed);
  CHECK(Json::parse(ended.response.text)["step_b_status"] == "skipped");
  f.forget();
  f.script.on("c/a.2", answer("{}"));
  f.control("c", engine::Retry{});
  f.await();
  ended = f.finish();
  REQUIRE(ended.status == ChainStatus::succeeded);
  const auto result = Json::parse(ended.response.text);
  CHECK(result["result_summary"] == "4 of 4 steps completed");
  CHECK(result["step_b_result"] == Json{{"v", 1}});
  CHECK(f.script.count("c/a.1") == 1);
  CHECK(f.script.count("c/a.2") == 2);
  CHECK(f.script.count("c/a.3") == 1);
  CHECK(f.script.count("c/b") == 1);
  CHECK(f.script.count("c/other") == 1);
  CHECK(f.script.count("c/behind") == 1);
  CHECK(f.actors_left() == 0);
}

TEST_CASE("a binder that failed is asked again by a retry, and its tool runs then") {
  Fixture f;
  f.script.on("c/1.bind", failure(Code::tool_failed));
  const auto package = pin_plan(R"({"steps": [{"id": "1", "tools": ["use"]}]})", {{"/use.tool", kNeedsX}, {"/fill.tool", kTakesAll}}, "fill");
  CHECK(f.complete(package).status == ChainStatus::failed);
  CHECK(f.script.count("c/1") == 0);
  f.forget();
  f.script.on("c/1.bind", answer(R"({"parameters": {"x": 5}})"));
  f.control("c", engine::Retry{});
  f.await();
  const auto ended = f.finish();
  REQUIRE(ended.status == ChainStatus::succeeded);
  CHECK(Json::parse(ended.response.text)["step_1_result"] == Json{{"x", 5}});
}

TEST_CASE("a plan goes on after a crash with the binder that it was pinned with") {
  Fixture f;
  f.script.on("c/1.1", held());
  f.submit(pin_plan(R"({"steps": [{"id": "1", "tools": ["any", "use"]}]})", {{"/use.tool", kNeedsX}, {"/fill.tool", kTakesAll}}, "fill"));
  f.run();
  f.crash();  // the coordinator's own catalog knows no binder
  f.script.on("c/1.1", answer("{}"));
  f.script.on("c/1.2.bind", answer(R"({"parameters": {"x": 7}})"));
  f.resume();
  f.await();
  const auto ended = f.finish();
  REQUIRE(ended.status == ChainStatus::succeeded);
  CHECK(Json::parse(ended.response.text)["step_1_result"] == Json{{"x", 7}});
  CHECK(f.script.count("c/1.2.bind") == 1);
}

}  // namespace
}  // namespace catena::coordinator::test
