#include "lang/program/graph.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace catena::lang {
namespace {

struct Edge {
  StepIndex from = 0, to = 0;
  EdgeKind kind = EdgeKind::after;
};

std::string callee(const Step& step) {
  return std::visit([](const auto& call) { return call.name; }, step.call);
}

/// Of a step that runs a block.
std::string rounds(const Step& step) {
  if (step.each->carries) return "rounds, one after the other";
  return step.gather->state ? "branches at once" : "rounds at once";
}

/// What a box says, one line each; the pictures differ in how they break and escape lines.
std::vector<std::string> lines(const Step& step) {
  std::vector<std::string> text{step.id};
  if (step.name != step.id && !step.name.empty()) text.push_back(step.name);
  if (step.gather) {
    text.push_back(rounds(step));
  } else {
    const bool nested = std::holds_alternative<ProgramCall>(step.call);
    text.push_back((nested ? "composite " : signal_of(step) != nullptr ? "waits for signal " : "") + callee(step));
    if (step.each) text.push_back("for each " + step.each->as);
  }
  if (step.prepare) text.emplace_back("transforms arguments");
  if (step.shape) text.emplace_back("transforms responses");
  if (step.when) text.push_back("on condition");
  if (step.finally) text.emplace_back("at the end, however it ends");
  return text;
}

std::vector<Edge> edges(const Program& program) {
  std::vector<Edge> found;
  for (StepIndex index = 0; index < program.steps.size(); ++index) {
    const auto& step = program.steps[index];
    if (const auto* gate = std::get_if<AfterAll>(&step.gate)) {
      for (const auto dep : gate->deps) found.push_back({dep, index, EdgeKind::after});
    }
    if (const auto* go = std::get_if<Go>(&step.ok)) found.push_back({index, go->target, EdgeKind::success});
    if (const auto* go = std::get_if<Go>(&step.failed)) found.push_back({index, go->target, EdgeKind::failure});
  }
  return found;
}

/// What is written at an edge; empty: nothing.
std::string_view label_of(EdgeKind kind) {
  switch (kind) {
    case EdgeKind::after: return {};
    case EdgeKind::success: return "ok";
    case EdgeKind::failure: return "failed";
  }
  return {};
}

template <class Escape>
std::string joined(const Step& step, std::string_view line_break, Escape&& escape) {
  std::string label;
  for (const auto& line : lines(step)) {
    if (!label.empty()) label += line_break;
    label += escape(line);
  }
  return label;
}

/// Mermaid reads HTML entities; everything that its grammar or HTML could take for its own becomes one.
std::string mermaid_text(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (std::string_view{"\"<>&#`{}[]()|\\;"}.find(c) != std::string_view::npos) {
      escaped += fmt::format("#{};", static_cast<int>(c));
    } else {
      escaped += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return escaped;
}

std::string dot_text(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return escaped;
}

/// The block that a step runs, or nullptr.
const Program* block_of(const Step& step, const Programs& programs) {
  const auto* call = std::get_if<ProgramCall>(&step.call);
  const auto found = call == nullptr ? programs.end() : programs.find(call->definition);
  return found == programs.end() || !found->second->block ? nullptr : found->second.get();
}

/// What a picture of a block is called.
std::string title(const Step& step, const Program& block) {
  return block.block->branches ? fmt::format("{}: branches", step.id) : fmt::format("{}: for each {}", step.id, block.block->item);
}

void draw_mermaid(const Program& program, const Programs& programs, const std::string& prefix, const std::string& indent, std::string& text) {
  for (std::size_t index = 0; index < program.steps.size(); ++index) {
    const auto& step = program.steps[index];
    // A fan-out is drawn as a stack of boxes, a step with conditions as a hexagon.
    const auto [open, close] = step.each ? std::pair{"[[", "]]"} : step.when ? std::pair{"{{", "}}"} : std::pair{"[", "]"};
    text += fmt::format("{}{}{}{}\"{}\"{}\n", indent, prefix, index, open, joined(step, "<br/>", mermaid_text), close);
    const auto* block = block_of(step, programs);
    if (block == nullptr) continue;
    const auto own = fmt::format("{}{}_", prefix, index);
    text += fmt::format("{}subgraph {}steps[\"{}\"]\n", indent, own, mermaid_text(title(step, *block)));
    draw_mermaid(*block, programs, own, indent + "  ", text);
    text += fmt::format("{}end\n{}{}{} -.-> {}steps\n", indent, indent, prefix, index, own);
  }
  for (const auto& edge : edges(program)) {
    const auto words = label_of(edge.kind);
    const auto label = words.empty() ? std::string{} : fmt::format("|{}|", words);
    text += fmt::format("{0}{1}{2} -->{4} {1}{3}\n", indent, prefix, edge.from, edge.to, label);
  }
}

void draw_dot(const Program& program, const Programs& programs, const std::string& prefix, const std::string& indent, std::string& text) {
  for (std::size_t index = 0; index < program.steps.size(); ++index) {
    const auto& step = program.steps[index];
    const auto* look = step.each ? ", peripheries=2" : "";
    const auto* style = step.when ? ", style=dashed" : "";
    text += fmt::format("{}{}{} [label=\"{}\"{}{}];\n", indent, prefix, index, joined(step, "\\n", dot_text), look, style);
    const auto* block = block_of(step, programs);
    if (block == nullptr) continue;
    const auto own = fmt::format("{}{}_", prefix, index);
    text += fmt::format("{}subgraph cluster_{}steps {{\n{}  label=\"{}\";\n", indent, own, indent, dot_text(title(step, *block)));
    draw_dot(*block, programs, own, indent + "  ", text);
    text += fmt::format("{}}}\n", indent);
    if (!block->steps.empty()) text += fmt::format("{}{}{} -> {}0 [style=dotted];\n", indent, prefix, index, own);
  }
  for (const auto& edge : edges(program)) {
    const auto words = label_of(edge.kind);
    const auto label = words.empty() ? std::string{} : fmt::format(" [label=\"{}\"]", words);
    text += fmt::format("{0}{1}{2} -> {1}{3}{4};\n", indent, prefix, edge.from, edge.to, label);
  }
}

NodeKind node_kind_of(const Step& step) {
  if (step.gather) return step.gather->state && !step.each->carries ? NodeKind::parallel : NodeKind::loop;
  if (step.each) return NodeKind::fan_out;
  return std::holds_alternative<ProgramCall>(step.call) ? NodeKind::child : NodeKind::step;
}

void add_to_graph(const Program& program, const Programs& programs, const std::string& parent, Graph& graph) {
  const auto id_of = [&](StepIndex step) { return parent.empty() ? program.steps[step].id : fmt::format("{}/{}", parent, program.steps[step].id); };
  for (StepIndex index = 0; index < program.steps.size(); ++index) {
    const auto& step = program.steps[index];
    const auto* block = block_of(step, programs);
    graph.nodes.push_back({id_of(index), joined(step, "\n", [](std::string_view text) { return std::string{text}; }), node_kind_of(step),
                           step.gather ? std::string{} : callee(step), parent, step.when.has_value(), step.finally});
    if (block != nullptr) add_to_graph(*block, programs, id_of(index), graph);
  }
  for (const auto& edge : edges(program)) graph.edges.push_back({id_of(edge.from), id_of(edge.to), edge.kind});
}

}  // namespace

Graph graph_of(const Program& program, const Programs& programs) {
  Graph graph;
  add_to_graph(program, programs, {}, graph);
  return graph;
}

std::string to_mermaid(const Program& program, const Programs& programs) {
  std::string text = "flowchart TD\n";
  draw_mermaid(program, programs, "s", "  ", text);
  return text;
}

std::string to_dot(const Program& program, const Programs& programs) {
  std::string text = fmt::format("digraph \"{}\" {{\n  node [shape=box];\n", dot_text(program.name));
  draw_dot(program, programs, "s", "  ", text);
  return text + "}\n";
}

}  // namespace catena::lang
