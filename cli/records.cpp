#include "cli/records.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/error.hpp"
#include "cli/show/text.hpp"

namespace catena::cli {
namespace {

bool is_block(const Json& value) { return value.is_structured() && !value.empty(); }

/// Lines of a block, the first without its indentation: the caller has written what stands before it.
void write_yaml(const Json& value, const std::string& indent, std::string& text) {
  if (!is_block(value)) {
    text += dump_lossy(value) + "\n";
    return;
  }
  bool first = true;
  for (const auto& [key, member] : value.items()) {
    if (!first) text += indent;
    first = false;
    if (value.is_array()) {
      text += "- ";
      write_yaml(member, indent + "  ", text);
    } else {
      text += dump_lossy(Json(key)) + ":";
      text += is_block(member) ? "\n" + indent + "  " : " ";
      write_yaml(member, indent + "  ", text);
    }
  }
}

}  // namespace

CLI::Option* add_record_output(CLI::App& app, std::string& output) {
  return app.add_option("-o,--output", output, "how to print: text, json or jsonl (an object a line), yaml, or name (default text)")
      ->check(CLI::IsMember({"text", "json", "jsonl", "yaml", "name"}))
      ->option_text("FORMAT");
}

void RecordPrinter::add(const Json& record, std::vector<std::string> cells) {
  if (output_ == "text") {
    rows_.push_back(std::move(cells));
  } else if (output_ == "yaml") {
    console_.out().write(yaml_element(record));
  } else if (output_ == "name") {
    const auto& name = record.at(name_);
    console_.out().line(name.is_string() ? name.get_ref<const std::string&>() : name.dump());
  } else {
    console_.out().line(dump_lossy(record));
  }
}

void RecordPrinter::finish() {
  console_.out().write(table(header_, rows_, console_.columns()));
  rows_.clear();
}

std::string yaml_element(const Json& value) {
  std::string text = "- ";
  write_yaml(value, "  ", text);
  return text;
}

}  // namespace catena::cli
