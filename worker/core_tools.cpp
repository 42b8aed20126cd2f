#include "worker/core_tools.hpp"

#include <algorithm>
#include <array>

namespace catena::worker {

const CoreTool* find_core_tool(std::string_view path) {
  if (path.starts_with('/')) path.remove_prefix(1);
  // as ROOT/tools/core/x.tool, ROOT/tools/x.tool and ROOT/x.tool: the first of these prefixes that is there is taken off
  for (const std::string_view prefix : {"tools/core/", "tools/"}) {
    if (!path.starts_with(prefix)) continue;
    path.remove_prefix(prefix.size());
    break;
  }
  const auto tools = core_tools();
  const auto found = std::ranges::find(tools, path, [](const CoreTool& tool) { return tool.path.substr(kCoreRoot.size() + 1); });
  return found == tools.end() ? nullptr : &*found;
}

std::string core_key(const CoreTool& tool) { return std::string{kCoreKeyPrefix} + std::string{tool.path}; }

}  // namespace catena::worker
