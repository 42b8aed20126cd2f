#pragma once
// A program as a picture: its steps, what waits for what, fan-outs and conditions. Text for Mermaid and Graphviz, and the same as data.
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lang/program/program.hpp"

namespace catena::lang {

/// By key, as a package has them. Blocks among them (rounds of loops, branches) are drawn within the picture of who runs them.
using Programs = std::map<std::string, std::shared_ptr<const Program>>;

/// What a box stands for: a call of a tool, of a composite (a chain of its own), either of them for many items, or what runs a block.
enum class NodeKind : std::uint8_t { step, child, fan_out, loop, parallel };
inline constexpr std::array kNodeKindNames{std::string_view{"step"}, std::string_view{"child"}, std::string_view{"fan_out"}, std::string_view{"loop"},
                                           std::string_view{"parallel"}};
[[nodiscard]] constexpr std::string_view name(NodeKind kind) { return kNodeKindNames[static_cast<std::size_t>(kind)]; }
[[nodiscard]] constexpr std::uint32_t count_of(NodeKind) { return static_cast<std::uint32_t>(kNodeKindNames.size()); }
/// `after`: the end waits for the begin. The others: where a sequence goes when its step succeeded or failed.
enum class EdgeKind : std::uint8_t { after, success, failure };
inline constexpr std::array kEdgeKindNames{std::string_view{"after"}, std::string_view{"success"}, std::string_view{"failure"}};
[[nodiscard]] constexpr std::string_view name(EdgeKind kind) { return kEdgeKindNames[static_cast<std::size_t>(kind)]; }
[[nodiscard]] constexpr std::uint32_t count_of(EdgeKind) { return static_cast<std::uint32_t>(kEdgeKindNames.size()); }

struct GraphNode {
  std::string id = {};     // of the step; within a block "<id of the step that runs it>/<id>"
  std::string label = {};  // a line of text, or several
  NodeKind kind = NodeKind::step;
  std::string calls = {};   // the tool or the definition; of a block nothing
  std::string parent = {};  // the node whose block it is in; empty: none
  bool conditional = false;
  bool finally = false;
};
struct GraphEdge {
  std::string from = {};
  std::string to = {};
  EdgeKind kind = EdgeKind::after;
};
struct Graph {
  std::vector<GraphNode> nodes = {};  // those of a block behind the step that runs it
  std::vector<GraphEdge> edges = {};
};
[[nodiscard]] Graph graph_of(const Program& program, const Programs& programs = {});

[[nodiscard]] std::string to_mermaid(const Program& program, const Programs& programs = {});
[[nodiscard]] std::string to_dot(const Program& program, const Programs& programs = {});

}  // namespace catena::lang
