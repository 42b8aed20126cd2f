#include "lang/program/graph.hpp"

#include <catch2/catch.hpp>

#include "tests/lang/memory_finder.hpp"

namespace catena::lang::test {
namespace {

using Catch::Matchers::Contains;

Program program() {
  auto finder = standard_tools();
  finder.add("/p.tool", R"({"name": "a \"graph\"", "instructions": [
    {"execution_id": "one", "tool_definition_path": "/tools/any.tool", "name": "say \"hi\" <b> & go"},
    {"execution_id": "each", "tool_definition_path": "/tools/twice.tool",
     "parallel_execution": {"iterate_over": "REF:one.list", "child_argument_name": "text"}},
    {"execution_id": "maybe", "tool_definition_path": "/tools/any.tool", "dependencies": ["one"],
     "conditions": [{"param": "REF:each.status", "operator": "equals", "value": "failed"}]}]})");
  const auto package = load_package("/p.tool", finder, kCatalog);
  REQUIRE(package);
  return package->main();
}

}  // namespace

TEST_CASE("a program in Mermaid: boxes, a stack for a fan-out, a hexagon for a condition, arrows for what waits") {
  CHECK(to_mermaid(program()) ==
        "flowchart TD\n"
        "  s0[\"one<br/>say #34;hi#34; #60;b#62; #38; go<br/>any\"]\n"
        "  s1[[\"each<br/>composite twice<br/>for each text\"]]\n"
        "  s2{{\"maybe<br/>any<br/>on condition\"}}\n"
        "  s0 --> s1\n"
        "  s0 --> s2\n"
        "  s1 --> s2\n");
}

TEST_CASE("a program in Graphviz: the same, escaped for quotes") {
  CHECK(to_dot(program()) ==
        "digraph \"a \\\"graph\\\"\" {\n"
        "  node [shape=box];\n"
        "  s0 [label=\"one\\nsay \\\"hi\\\" <b> & go\\nany\"];\n"
        "  s1 [label=\"each\\ncomposite twice\\nfor each text\", peripheries=2];\n"
        "  s2 [label=\"maybe\\nany\\non condition\", style=dashed];\n"
        "  s0 -> s1;\n"
        "  s0 -> s2;\n"
        "  s1 -> s2;\n"
        "}\n");
}

TEST_CASE("jumps are drawn with what they follow on") {
  Program sequence;
  sequence.steps.resize(2);
  sequence.steps[0].id = "first";
  sequence.steps[0].gate = OnEntry{};
  sequence.steps[0].ok = Go{1};
  sequence.steps[1].id = "second";
  sequence.steps[1].gate = OnEntry{};
  sequence.steps[1].failed = Go{0};
  CHECK_THAT(to_mermaid(sequence), Contains("s0 -->|ok| s1") && Contains("s1 -->|failed| s0"));
  CHECK_THAT(to_dot(sequence), Contains("s0 -> s1 [label=\"ok\"]") && Contains("s1 -> s0 [label=\"failed\"]"));
}

TEST_CASE("transforms are told, and what they refer to is waited for") {
  auto finder = standard_tools();
  finder.add("/p.tool", R"({"arguments": [], "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool"},
    {"execution_id": "b", "tool_definition_path": "/tools/any.tool", "transform_arguments": {"transforms": {"x": "REF:a.n + 1"}}},
    {"execution_id": "c", "tool_definition_path": "/tools/any.tool", "transform_responses": {"transforms": {"x": "REF:b.n + 1"}}}]})");
  const auto package = load_package("/p.tool", finder, kCatalog);
  REQUIRE(package);
  CHECK(to_mermaid(package->main()) ==
        "flowchart TD\n"
        "  s0[\"a<br/>any\"]\n"
        "  s1[\"b<br/>any<br/>transforms arguments\"]\n"
        "  s2[\"c<br/>any<br/>transforms responses\"]\n"
        "  s0 --> s1\n"
        "  s1 --> s2\n");
}

TEST_CASE("the steps of a loop and of branches are drawn within the picture") {
  auto finder = standard_tools();
  finder.add("/p.yaml", R"(
name: rounds
parameters: [{name: names, type: list}]
implementation:
  type: composite
  composite:
    steps:
      - name: visit
        loop:
          over: "{{ names }}"
          as: one
          steps:
            - {name: look, tool: any, inputs: {x: "{{ one }}"}}
            - {name: tell, tool: any}
      - {name: end it, tool: any}
)");
  const auto package = load_package("/p.yaml", finder, kCatalog);
  REQUIRE(package);
  CHECK(to_mermaid(package->main(), package->programs) ==
        "flowchart TD\n"
        "  s0[[\"visit<br/>rounds, one after the other\"]]\n"
        "  subgraph s0_steps[\"visit: for each one\"]\n"
        "    s0_0[\"look<br/>any\"]\n"
        "    s0_1[\"tell<br/>any\"]\n"
        "    s0_0 -->|ok| s0_1\n"
        "  end\n"
        "  s0 -.-> s0_steps\n"
        "  s1[\"end_it<br/>end it<br/>any\"]\n"
        "  s0 -->|ok| s1\n");
  CHECK(to_dot(package->main(), package->programs) ==
        "digraph \"rounds\" {\n"
        "  node [shape=box];\n"
        "  s0 [label=\"visit\\nrounds, one after the other\", peripheries=2];\n"
        "  subgraph cluster_s0_steps {\n"
        "    label=\"visit: for each one\";\n"
        "    s0_0 [label=\"look\\nany\"];\n"
        "    s0_1 [label=\"tell\\nany\"];\n"
        "    s0_0 -> s0_1 [label=\"ok\"];\n"
        "  }\n"
        "  s0 -> s0_0 [style=dotted];\n"
        "  s1 [label=\"end_it\\nend it\\nany\"];\n"
        "  s0 -> s1 [label=\"ok\"];\n"
        "}\n");
}

TEST_CASE("an empty program is an empty picture") {
  CHECK(to_mermaid(Program{}) == "flowchart TD\n");
  CHECK_THAT(to_dot(Program{}), Contains("digraph"));
}

}  // namespace catena::lang::test
