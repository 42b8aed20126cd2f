#pragma once
// Records, printed as whoever asked wants them: a table, JSON or YAML, or only their names. One table of forms, for all commands.
#include <cstdint>
#include <functional>
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

/// How a record is printed. For people: as a table, or as the text that the command has for them. JSON is an object a line, whether it is called
/// json or jsonl. `junit` is printed by `catena test` alone.
enum class Form : std::uint8_t { table, wide, json, yaml, name, junit };
[[nodiscard]] constexpr bool for_people(Form form) { return form == Form::table || form == Form::wide; }

/// -o table|wide|json|jsonl|yaml|name. `names` are what a name is: "the ids of chains"; "": these records have none.
CLI::Option* add_record_output(CLI::App& app, Form& form, std::string_view names);
/// -o text|json|jsonl|yaml|name of a command whose answer for people is no table. Words of other commands are refused with the reason.
CLI::Option* add_text_output(CLI::App& app, Form& form, std::string_view names);
/// -o text|json|jsonl|yaml|junit|name.
CLI::Option* add_test_output(CLI::App& app, Form& form, std::string_view names);
/// -o FILE. A word that is a form with other commands is refused: nobody means a file "json".
CLI::Option* add_file_output(CLI::App& app, std::string& file, const std::string& meaning);

/// Records of one kind.
class RecordPrinter {
 public:
  /// `name` is the member of a record that tells it from the others.
  RecordPrinter(Form form, std::string name, std::vector<Column> columns, Console& console)
      : form_{form}, name_{std::move(name)}, columns_{std::move(columns)}, console_{console} {}

  /// `record` makes what is printed but for people, `cells` a row for them. False: nobody takes any more.
  bool add(const std::function<Json()>& record, const std::function<Cells()>& cells);
  /// What waits until all are there: a table knows its widths then.
  void finish();
  [[nodiscard]] std::size_t count() const { return count_; }

 private:
  Form form_;
  std::string name_;
  std::vector<Column> columns_;
  Console& console_;
  std::vector<Cells> rows_;
  std::size_t count_ = 0;
};

/// One record that a command is about, which is there as JSON; `name` is what the form of that name prints.
void print_record(Form form, const std::string& json, const std::string& name, Console& console);
/// One of several records: an element of a list in YAML.
void print_element(Form form, const Json& record, const std::string& name, Console& console);

/// In YAML, with an indentation of two spaces; texts are quoted as in JSON. An element of a list begins with "- ".
[[nodiscard]] std::string yaml_document(const Json& value);
[[nodiscard]] std::string yaml_element(const Json& value);

}  // namespace catena::cli
