#pragma once
// A configuration file as flat rows: section and key, values as text, and where they stand.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace catena::config {

struct Row {
  using Table = std::vector<std::pair<std::string, std::string>>;
  std::string section;
  std::string key;
  std::vector<std::string> values;  // one, or those of a list
  std::optional<Table> table;       // instead of values
  Place where;
};

[[nodiscard]] Result<std::vector<Row>> read_yaml_file(const std::string& path);

}  // namespace catena::config
