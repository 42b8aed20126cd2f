#pragma once
// Records of one kind, printed as whoever asked wants them: a table, JSON or YAML, or only their names.
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "cli/console.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace catena::cli {

/// -o text|json|jsonl|yaml|name.
CLI::Option* add_record_output(CLI::App& app, std::string& output);

class RecordPrinter {
 public:
  /// `name` is the member of a record that tells it from the others.
  RecordPrinter(std::string output, std::string name, std::vector<std::string> header, Console& console)
      : output_{std::move(output)}, name_{std::move(name)}, header_{std::move(header)}, console_{console} {}

  void add(const Json& record, std::vector<std::string> cells);
  /// What waits until all are there: a table knows its widths then.
  void finish();

 private:
  std::string output_;
  std::string name_;
  std::vector<std::string> header_;
  Console& console_;
  std::vector<std::vector<std::string>> rows_;
};

/// An element of a list in YAML, of objects and lists with an indentation of two spaces; texts are quoted as in JSON.
[[nodiscard]] std::string yaml_element(const Json& value);

}  // namespace catena::cli
