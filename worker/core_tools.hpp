#pragma once
// The core tools: definitions that are part of the binary, under the built-in root /tools/core. Their texts stand in worker/core/*.tool.
#include <span>
#include <string>
#include <string_view>

namespace catena::worker {

struct CoreTool {
  std::string_view path;  // "/tools/core/math.tool"
  std::string_view text;
};

inline constexpr std::string_view kCoreRoot = "/tools/core";
/// Begins the key of a core tool in a package: "builtin:/tools/core/math.tool". No file on disk has such a path.
inline constexpr std::string_view kCoreKeyPrefix = "builtin:";

/// Ordered by path.
[[nodiscard]] std::span<const CoreTool> core_tools();

/// As written in a definition, by the rules of a root: "/tools/core/x.tool", "/tools/x.tool", "/x.tool", "x.tool". Null: it is none.
[[nodiscard]] const CoreTool* find_core_tool(std::string_view path);
[[nodiscard]] std::string core_key(const CoreTool& tool);

}  // namespace catena::worker
