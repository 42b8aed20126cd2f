#include "config/yaml_file.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

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
    if (!entry.second.IsScalar()) return fail(Code::field_type, "a table in the configuration holds plain values only", place_of(path, entry.second.Mark()));
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
  try {
    return rows_of(path, YAML::LoadFile(path));
  } catch (const YAML::BadFile&) {
    return fail(Code::file_unreadable, fmt::format("the configuration file '{}' cannot be read", path));
  } catch (const YAML::Exception& error) {
    return fail(Code::yaml_syntax, error.msg, place_of(path, error.mark));
  }
}

}  // namespace catena::config
