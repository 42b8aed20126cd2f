#include "config/yaml_file.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <fstream>

#include "base/limits.hpp"
#include "base/yaml_flow.hpp"

namespace catena::config {
namespace {

Place place_of(const std::string& path, const YAML::Mark& mark) {
  return {path, static_cast<std::uint32_t>(mark.line + 1), static_cast<std::uint32_t>(mark.column + 1)};
}

Result<std::vector<std::string>> values_of(const std::string& path, const YAML::Node& node) {
  std::vector<std::string> values;
  if (node.IsScalar()) {
    values.push_back(node.Scalar());
  } else if (node.IsSequence()) {
    for (const auto& item : node) {
      if (!item.IsScalar()) return fail(Code::field_type, "a list in the configuration holds plain values only", place_of(path, item.Mark()));
      values.push_back(item.Scalar());
    }
  } else {
    return fail(Code::field_type, "an option is a plain value, a list of them or a table of them", place_of(path, node.Mark()));
  }
  return values;
}

Result<Row::Table> table_of(const std::string& path, const YAML::Node& node) {
  Row::Table table;
  for (const auto& entry : node) {
    if (!entry.second.IsScalar())
      return fail(Code::field_type, "a table in the configuration holds plain values only", place_of(path, entry.second.Mark()));
    table.emplace_back(entry.first.Scalar(), entry.second.Scalar());
  }
  return table;
}

Result<std::vector<Row>> rows_of(const std::string& path, const YAML::Node& root) {
  std::vector<Row> rows;
  if (root.IsNull()) return rows;
  if (!root.IsMap()) return fail(Code::field_type, "a configuration file holds sections, each with its options", place_of(path, root.Mark()));
  for (const auto& section : root) {
    if (!section.second.IsMap()) {
      return fail(Code::field_type, fmt::format("section '{}' must hold options", section.first.Scalar()), place_of(path, section.first.Mark()));
    }
    for (const auto& option : section.second) {
      Row row{section.first.Scalar(), option.first.Scalar(), {}, {}, place_of(path, option.first.Mark())};
      if (option.second.IsMap()) {
        auto table = table_of(path, option.second);
        if (!table) return fail(table.error());
        row.table = std::move(*table);
      } else {
        auto values = values_of(path, option.second);
        if (!values) return fail(values.error());
        row.values = std::move(*values);
      }
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

}  // namespace

Result<std::vector<Row>> read_yaml_file(const std::string& path) {
  std::ifstream file{path, std::ios::binary};
  std::string text(limits::kDocumentBytesMax + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (file.bad() || !file.is_open()) return fail(Code::file_unreadable, fmt::format("the configuration file '{}' cannot be read", path));
  if (text.size() > limits::kDocumentBytesMax) {
    return fail(Code::document_too_large, fmt::format("the configuration file has more than {} bytes", limits::kDocumentBytesMax), Place{path, 0, 0});
  }
  // a section, its options, their tables: three levels are all there are
  if (find_deep_flow(text, kYamlFlowDepthMax)) {
    return fail(Code::nesting_too_deep, "a configuration file holds sections, each with its options, and nothing so deep", Place{path, 0, 0});
  }
  try {
    return rows_of(path, YAML::Load(text));
  } catch (const YAML::Exception& error) {
    return fail(Code::yaml_syntax, error.msg, place_of(path, error.mark));
  }
}

}  // namespace catena::config
