#pragma once
// Names that a source keeps to itself: those at the top of its anonymous namespaces. A unity build compiles the sources of a folder as one, so
// there they must differ: two of a kind do not compile, and two functions of one name become overloads that were never meant.
#include <string>
#include <string_view>
#include <vector>

namespace house {

/// Reads a source line by line. It knows our layout (.clang-format): what stands at the top begins in the first column.
class HiddenNames {
 public:
  /// The name that this line declares at the top of an anonymous namespace, behind the namespaces around it; empty when there is none.
  [[nodiscard]] std::string in(std::string_view line);

 private:
  std::vector<std::string> scopes_;  // namespaces that are open: a blank and the name; an anonymous one is empty
};

}  // namespace house
