#include "worker/tool_environment.hpp"

#include <array>
#include <cstdlib>

namespace catena::worker {
namespace {

constexpr std::array kInherited{"PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "USER"};

}  // namespace

std::vector<std::string> inherited_environment() {
  std::vector<std::string> variables;
  for (const auto* variable : kInherited) {
    if (const auto* value = std::getenv(variable)) variables.push_back(std::string{variable} + "=" + value);
  }
  return variables;
}

}  // namespace catena::worker
