#pragma once
// A configuration file as flat rows: section.key, its values as text, and where they stand.
#include <string>
#include <vector>

#include "base/result.hpp"

namespace catena::config {

struct Row {
  std::string name;                 // section.key
  std::vector<std::string> values;  // one, or those of a list
  Place where;
};

[[nodiscard]] Result<std::vector<Row>> read_yaml_file(const std::string& path);

}  // namespace catena::config
