#include "lang/program/graph.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <sstream>
#include <tuple>

#include "tests/lang/golden_files.hpp"
#include "tests/lang/memory_finder.hpp"
#include "tests/lang/valid_package.hpp"

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

using EdgeSet = std::set<std::tuple<std::string, std::string, std::string>>;  // from, to, what is written at it

/// What Mermaid draws: names of its boxes in their order, and its arrows between them.
struct Drawn {
  std::vector<std::string> boxes;
  EdgeSet arrows;
};
Drawn drawn_of(const std::string& picture) {
  Drawn drawn;
  std::istringstream lines{picture};
  std::string line;
  while (std::getline(lines, line)) {
    std::istringstream words{line};
    std::string from, arrow, to;
    words >> from >> arrow >> to;
    if (from == "flowchart" || from == "subgraph" || from == "end" || arrow == "-.->") continue;
    if (arrow.starts_with("-->")) {
      const auto label = arrow.size() > 3 ? arrow.substr(4, arrow.size() - 5) : std::string{};
      drawn.arrows.emplace(from, to, label);
    } else {
      drawn.boxes.push_back(from.substr(0, from.find_first_of("[{")));
    }
  }
  return drawn;
}

/// The same of a graph, with the names that Mermaid has for its boxes.
Drawn drawn_of(const Graph& graph, const std::vector<std::string>& boxes) {
  Drawn drawn;
  std::map<std::string, std::string> box_of;
  for (std::size_t at = 0; at < graph.nodes.size() && at < boxes.size(); ++at) box_of[graph.nodes[at].id] = boxes[at];
  for (const auto& node : graph.nodes) drawn.boxes.push_back(box_of[node.id]);
  for (const auto& edge : graph.edges) {
    const auto* label = edge.kind == EdgeKind::success ? "ok" : edge.kind == EdgeKind::failure ? "failed" : "";
    drawn.arrows.emplace(box_of[edge.from], box_of[edge.to], label);
  }
  return drawn;
}

void check_same(const Package& package) {
  const auto picture = drawn_of(to_mermaid(package.main(), package.programs));
  const auto graph = graph_of(package.main(), package.programs);
  const auto same = drawn_of(graph, picture.boxes);
  CHECK(graph.nodes.size() == picture.boxes.size());
  CHECK(same.boxes == picture.boxes);
  CHECK(same.arrows == picture.arrows);
  std::set<std::string> ids;
  for (const auto& node : graph.nodes) {
    CHECK(ids.insert(node.id).second);
    CHECK((node.parent.empty() || ids.contains(node.parent)));
  }
}

}  // namespace

TEST_CASE("a graph has the nodes and edges of the picture, for all golden definitions") {
  std::size_t edges = 0;
  for (const auto& golden : read_cases("valid")) {
    INFO(golden.name);
    auto finder = standard_tools();
    finder.add("/case.tool", golden.document);
    const auto package = load_package("/case.tool", finder, kCatalog);
    if (!package) continue;  // the golden test tells
    check_same(*package);
    edges += graph_of(package->main(), package->programs).edges.size();
  }
  CHECK(edges > 20);
}

TEST_CASE("a graph of a sequence: loops and branches are nodes whose blocks are theirs, and edges say when they are taken") {
  const auto package = valid_document("/main.yaml", R"(implementation:
  type: composite
  composite:
    steps:
      - loop:
          over: [1, 2]
          as: row
          steps:
            - {tool: any, name: in}
            - loop: {over: [3], as: column, max_concurrency: 2, steps: [{tool: any}]}
      - parallel:
          - {tool: any, name: left}
          - {tool: any, name: right}
        wait_for: all
      - {tool: any, name: last, on_failure: {action: continue}}
)");
  check_same(package);
  const auto graph = graph_of(package.main(), package.programs);
  std::map<NodeKind, int> kinds;
  int nested = 0;
  for (const auto& node : graph.nodes) {
    ++kinds[node.kind];
    nested += node.parent.empty() ? 0 : 1;
  }
  CHECK(kinds[NodeKind::loop] == 2);
  CHECK(kinds[NodeKind::parallel] == 1);
  CHECK(nested == 5);
  CHECK(std::ranges::any_of(graph.edges, [](const GraphEdge& edge) { return edge.kind == EdgeKind::success; }));
}

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
