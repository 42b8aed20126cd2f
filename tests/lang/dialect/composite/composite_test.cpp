// How composites are lowered: routes, writes, retries, and the programs of their blocks.
#include <catch2/catch.hpp>

#include "tests/lang/valid_package.hpp"

namespace catena::lang::test {
namespace {

/// A composite of these steps (JSON, without the brackets) over the standard tools, which are called by the stems of their paths.
std::string json_composite(const std::string& steps, const std::string& more = {}) {
  return R"({"name": "case", )" + more + R"("implementation": {"type": "composite", "composite": {"steps": [)" + steps + "]}}}";
}

Package composite_package(const std::string& document) { return valid_document("/case.yaml", document); }

Program lowered(const std::string& steps, const std::string& more = {}) { return composite_package(json_composite(steps, more)).main(); }

std::string target_of(const Route& route) {
  if (const auto* go = std::get_if<Go>(&route)) return "go " + std::to_string(go->target);
  return std::holds_alternative<FinishOk>(route) ? "finish" : std::holds_alternative<FinishFailed>(route) ? "fail" : "else";
}

std::vector<std::string> routes(const Program& program) {
  std::vector<std::string> made;
  for (const auto& step : program.steps) made.push_back(step.id + ": " + target_of(step.ok) + " / " + target_of(step.failed));
  return made;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("a composite is a sequence that is entered at its first step and answers with what ran", "[composite]") {
  const auto program = lowered(R"({"tool": "any"})", R"("description": "d", "policy": {"requires": ["casefile_id"]}, )");
  CHECK(program.name == "case");
  CHECK(program.description == "d");
  CHECK(program.entry == StepIndex{0});
  CHECK(std::holds_alternative<SequenceResult>(program.outputs));
  CHECK(program.requires_context == Lines{"casefile_id"});
  CHECK(program.limits.visits_max == limits::kVisitsMax);
  CHECK(std::holds_alternative<OnEntry>(program.steps.front().gate));
  CHECK(std::get<ToolCall>(program.steps.front().call).name == "any");
  CHECK(program.answers_failure());
}

TEST_CASE("without parameters any argument passes, with them those alone", "[composite]") {
  CHECK(lowered(R"({"tool": "any"})").arguments.additional);
  const auto declared = lowered(R"({"tool": "any"})", R"("parameters": [{"name": "n", "type": "integer", "default": 3}], )").arguments;
  CHECK_FALSE(declared.additional);
  REQUIRE(declared.fields.size() == 1);
  CHECK(declared.fields.front().type == Type::integer);
  CHECK(declared.fields.front().default_value == Json(3));
}

TEST_CASE("what comes back is declared, so that whoever calls a composite can rely on it", "[composite]") {
  const auto responses = lowered(R"({"tool": "any"})").responses;
  CHECK(responses.additional);
  for (const auto* name : {"success", "chain_id", "chain_name", "steps_executed", "steps_succeeded", "steps_failed", "results", "execution_history",
                           "final_state", "completed_at"}) {
    INFO(name);
    CHECK(responses.find(name) != nullptr);
  }
}

TEST_CASE("success goes to next or to the step after, and the last step ends the chain", "[composite]") {
  const auto program = lowered(R"({"tool": "any", "name": "a"}, {"tool": "any", "name": "b", "on_success": {"next": "a"}},
    {"tool": "any", "name": "c", "on_success": {"next": "end"}}, {"tool": "any", "name": "d"})");
  CHECK(routes(program) == Lines{"a: go 1 / fail", "b: go 0 / fail", "c: finish / fail", "d: finish / fail"});
}

TEST_CASE("failure stops, or goes on to next or to the step after", "[composite]") {
  const auto program = lowered(R"({"tool": "any", "name": "a", "on_failure": {"action": "stop"}},
    {"tool": "any", "name": "b", "on_failure": {"action": "continue"}},
    {"tool": "any", "name": "c", "on_failure": {"next": "a"}},
    {"tool": "any", "name": "d", "on_failure": {"action": "continue", "next": "end"}},
    {"tool": "any", "name": "e", "on_failure": {"action": "retry"}},
    {"tool": "any", "name": "f", "on_failure": {"action": "retry", "continue_on_max_retries": true}},
    {"tool": "any", "name": "g", "on_failure": {"action": "retry", "continue_on_max_retries": true, "next": "b"}})");
  CHECK(routes(program) ==
        Lines{"a: go 1 / fail", "b: go 2 / go 2", "c: go 3 / go 0", "d: go 4 / finish", "e: go 5 / fail", "f: go 6 / go 6", "g: finish / go 1"});
}

TEST_CASE("a retry tries whatever failed three more times, and counts in the state", "[composite]") {
  const auto program = lowered(R"({"tool": "any"},
    {"tool": "any", "on_failure": {"action": "retry"}},
    {"tool": "any", "on_failure": {"action": "retry", "max_retries": 0}},
    {"tool": "any", "on_failure": {"action": "retry", "max_retries": 7, "backoff": 4}},
    {"tool": "any", "on_failure": {"action": "retry", "backoff": {"initial_interval": "2m", "backoff": 1, "jitter": 0}}})");
  CHECK(program.steps[0].retry == RetryPolicy{});
  CHECK(program.steps[0].retry_counter.empty());
  RetryPolicy policy;
  policy.max_attempts = 4;
  policy.any_failure = true;
  CHECK(program.steps[1].retry == policy);
  CHECK(program.steps[1].retry_counter == "step_1_retry_count");
  CHECK(program.steps[2].retry.max_attempts == 1);
  CHECK(program.steps[3].retry.max_attempts == 8);
  CHECK(program.steps[3].retry.backoff == 4.0);
  CHECK(program.steps[4].retry.initial_interval == Millis{120'000});
  CHECK(program.steps[4].retry.max_interval == Millis{120'000});
}

TEST_CASE("the settings of section 8 hold for a step, and the tool's own where it says nothing", "[composite]") {
  const auto program = lowered(R"({"tool": "careful"},
    {"tool": "careful", "timeout": "1s", "deadline": "2s", "effect": "pure", "needs": ["gpu"], "retry": {"max_attempts": 2}},
    {"tool": "careful", "on_failure": {"action": "retry"}})");
  CHECK(program.steps[0].timeout == Millis{30'000});
  CHECK(program.steps[0].retry.max_attempts == 5);
  CHECK(program.steps[0].effect == EffectClass::at_most_once);
  CHECK(program.steps[1].timeout == Millis{1'000});
  CHECK(program.steps[1].deadline == Millis{2'000});
  CHECK(program.steps[1].effect == EffectClass::pure);
  CHECK(program.steps[1].needs == Lines{"gpu", "network"});
  CHECK(program.steps[1].retry.max_attempts == 2);
  CHECK_FALSE(program.steps[1].retry.any_failure);
  CHECK(program.steps[1].retry_counter == "step_1_retry_count");
  CHECK(program.steps[2].retry.max_attempts == 4);
  CHECK(program.steps[2].retry.any_failure);
}

TEST_CASE("ids are made of names: unique, of letters that an id may have", "[composite]") {
  const auto program = lowered(R"({"tool": "any"}, {"tool": "any"}, {"tool": "any", "name": "any-2"}, {"tool": "any", "name": "Größe messen!"},
    {"tool": "any", "name": "a/b"}, {"parallel": [{"tool": "any"}]}, {"parallel": [{"tool": "any"}]})");
  Lines ids, names;
  for (const auto& step : program.steps) {
    ids.push_back(step.id);
    names.push_back(step.name);
  }
  CHECK(ids == Lines{"any", "any-2", "any-2-2", "Gr____e_messen_", "a_b", "parallel", "parallel-2"});
  CHECK(names == Lines{"any", "any", "any-2", "Größe messen!", "a/b", "parallel", "parallel"});
}

TEST_CASE("inputs without braces are literals, with them texts over the state", "[composite]") {
  const auto program = lowered(R"({"tool": "any", "inputs": {"a": [1, "x"], "b": "{{ y }}", "c": {"d": ["{{ z }}"]}}})");
  const auto& bind = std::get<ObjectExpr>(program.steps.front().bind.node).members;
  CHECK(std::get<Literal>(bind[0].second.node).value == Json::parse(R"([1, "x"])"));
  CHECK(std::holds_alternative<Templated>(bind[1].second.node));
  CHECK(std::holds_alternative<ObjectExpr>(bind[2].second.node));
}

TEST_CASE("map_outputs is written before transform, in the order of the document", "[composite]") {
  const auto program = lowered(R"({"tool": "any", "on_success": {"transform": {"z": "{{ a }}", "k": 1}, "map_outputs": {"x.0.y": "b", "w": "a"}}})");
  const auto& writes = program.steps.front().writes;
  REQUIRE(writes.size() == 4);
  CHECK(writes[0].name == "b");
  const auto& ref = std::get<Ref>(writes[0].value.node);
  CHECK(ref.root == Root::response);
  CHECK(ref.path == Lines{"x", "0", "y"});
  CHECK(writes[1].name == "a");
  CHECK(writes[2].name == "z");
  CHECK(std::holds_alternative<Templated>(writes[2].value.node));
  CHECK(std::holds_alternative<Literal>(writes[3].value.node));
}

TEST_CASE("a loop in order is a fan-out of rounds that carry the state, over a program of its own", "[composite]") {
  const auto package = composite_package(json_composite(R"({"name": "each", "loop": {"over": "{{ xs }}", "as": "x", "collect": "all", "steps": [
    {"tool": "any", "inputs": {"a": "{{ x }} {{ state.y }}"}, "when": "{{ w }}", "on_success": {"transform": {"all": "{{ v }}"}}},
    {"tool": "any"}]}})",
                                                        R"("parameters": [{"name": "xs", "type": "list"}], )"));
  const auto& step = package.main().steps.front();
  REQUIRE(step.each);
  CHECK(step.each->carries);
  CHECK(step.each->window == 1);
  CHECK(step.each->as == "item");
  CHECK(step.gather == Gather{true, {"all"}});
  CHECK(std::get<ProgramCall>(step.call).definition == "/case.yaml#each");
  const auto& state = std::get<ObjectExpr>(step.bind.node).members.front();
  CHECK(state.first == "state");
  CHECK(std::get<StateOf>(state.second.node).names == Lines{"v", "w", "y"});
  const auto& block = *package.programs.at("/case.yaml#each");
  CHECK(block.block == Block{"x", false});
  CHECK(std::holds_alternative<BlockResult>(block.outputs));
  CHECK(block.arguments.additional);
  CHECK(routes(block) == Lines{"any: go 1 / fail", "any-2: finish / fail"});
}

TEST_CASE("a concurrent loop carries nothing but what is collected", "[composite]") {
  const auto program = lowered(R"({"loop": {"over": [1], "max_concurrency": 4, "collect": "c", "steps": [{"tool": "any"}]}})");
  const auto& step = program.steps.front();
  CHECK_FALSE(step.each->carries);
  CHECK(step.each->window == 4);
  CHECK(step.gather == Gather{false, {"c"}});
}

TEST_CASE("a step of parallel is a branch: it ends its program, whatever comes of it", "[composite]") {
  const auto package = composite_package(json_composite(R"({"wait_for": "first_success", "parallel": [
    {"tool": "any", "name": "a"}, {"tool": "any", "name": "b", "on_failure": {"action": "continue"}}, {"tool": "any", "name": "c"}]})"));
  const auto& step = package.main().steps.front();
  CHECK(step.each->join == Join::first_success);
  CHECK(std::get<Literal>(step.each->over.node).value == Json::parse("[0, 1, 2]"));
  CHECK(step.gather == Gather{true, {}});
  const auto& block = *package.programs.at("/case.yaml#parallel");
  CHECK(block.block == Block{"", true});
  CHECK(routes(block) == Lines{"a: finish / fail", "b: finish / finish", "c: finish / fail"});
}

TEST_CASE("blocks in blocks have programs of their own, and hand on what those read", "[composite]") {
  const auto package = composite_package(json_composite(R"({"loop": {"over": [1], "as": "row", "steps": [
    {"loop": {"over": "{{ columns }}", "as": "column", "steps": [{"tool": "any", "inputs": {"x": "{{ row + column + base }}"}}]}}]}})"));
  REQUIRE(package.programs.contains("/case.yaml#loop/loop"));
  const auto names = [](const Program& program) {
    return std::get<StateOf>(std::get<ObjectExpr>(program.steps.front().bind.node).members.front().second.node).names;
  };
  CHECK(names(package.main()) == Lines{"base", "columns"});
  CHECK(names(*package.programs.at("/case.yaml#loop")) == Lines{"base", "row"});
}

TEST_CASE("a block that may read anything is handed the whole state", "[composite]") {
  for (const auto* text : {"{{ state }}", "{{ state['x'] }}", "{{ map(xs, text) }}"}) {
    INFO(text);
    const auto program = lowered(R"({"loop": {"over": [1], "steps": [{"tool": "any", "inputs": {"x": ")" + std::string{text} + R"("}}]}})");
    CHECK_FALSE(std::get<StateOf>(std::get<ObjectExpr>(program.steps.front().bind.node).members.front().second.node).names);
  }
}

TEST_CASE("max_steps bounds the chain and every round", "[composite]") {
  const auto package = composite_package(R"({"implementation": {"type": "composite", "composite": {"max_steps": 7, "steps": [
    {"loop": {"over": [1], "steps": [{"tool": "any"}]}}]}}})");
  CHECK(package.main().limits.visits_max == 7);
  CHECK(package.programs.at("/case.yaml#loop")->limits.visits_max == 7);
}

TEST_CASE("a composite calls composites, and itself, by name", "[composite]") {
  auto finder = standard_tools();
  finder.add("/case.yaml", json_composite(R"({"tool": "case", "when": "{{ again }}"}, {"tool": "twice", "inputs": {"text": "x"}})"));
  const auto package = load_package("/case.yaml", finder, kCatalog);
  if (!package) FAIL(rendered(package.error()));
  CHECK(std::get<ProgramCall>(package->main().steps[0].call).definition == "/case.yaml");
  CHECK(std::get<ProgramCall>(package->main().steps[1].call).definition == "/tools/twice.tool");
}

TEST_CASE("a tool that is nowhere is reported where it is named, once for each step", "[composite]") {
  auto finder = standard_tools();
  finder.add(
      "/case.yaml",
      "implementation:\n  type: composite\n  composite:\n    steps:\n      - tool: nowhere\n      - loop: {over: [1], steps: [{tool: gone}]}\n");
  const auto package = load_package("/case.yaml", finder, kCatalog);
  REQUIRE_FALSE(package);
  REQUIRE(package.error().size() == 2);
  CHECK(package.error()[0].code == Code::definition_not_found);
  CHECK(package.error()[0].where == Place{"/case.yaml", 5, 15});
  CHECK(package.error()[1].where.line == 6);
}

TEST_CASE("a package is the same when it is read back from what was pinned", "[composite]") {
  const auto package = composite_package(
      json_composite(R"({"tool": "any", "on_failure": {"action": "retry"}}, {"loop": {"over": "{{ xs }}", "steps": [{"tool": "careful"}]}})"));
  const auto again = from_manifest(package.manifest, kCatalog);
  if (!again) FAIL(render(again.error()));
  CHECK(again->hash == package.hash);
  CHECK(routes(again->main()) == routes(package.main()));
  CHECK(again->programs.contains("/case.yaml#loop"));
}

}  // namespace catena::lang::test
