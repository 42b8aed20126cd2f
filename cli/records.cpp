#include "cli/records.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>

#include "base/error.hpp"

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

/// What a command prints for people.
enum class Printed : std::uint8_t { table, text, verdicts };

struct FormName {
  std::string_view word;
  Form form;
  bool told = true;  // the others are other words for the same
};
constexpr std::array kForms{FormName{"text", Form::table},  FormName{"table", Form::table}, FormName{"wide", Form::wide},
                            FormName{"json", Form::json},   FormName{"jsonl", Form::json},  FormName{"yaml", Form::yaml},
                            FormName{"junit", Form::junit}, FormName{"name", Form::name},   FormName{"ids", Form::name, false}};

/// Why a form is nothing for a command; "" where it is something.
std::string_view why_not(Form form, Printed printed, bool with_names) {
  if (form == Form::wide && printed != Printed::table) return "'wide' adds columns to a table, and this command prints none";
  if (form == Form::junit && printed != Printed::verdicts) return "'junit' is what `catena test` prints for build servers";
  if (form == Form::name && !with_names) return "what this command prints has no names";
  return {};
}

/// Both words for people are taken everywhere; the other one is not told.
bool is_told(const FormName& row, Printed printed, bool with_names) {
  if (!row.told || !why_not(row.form, printed, with_names).empty()) return false;
  return row.form != Form::table || (row.word == "table") == (printed == Printed::table);
}

std::string form_words(Printed printed, bool with_names) {
  std::vector<std::string_view> words;
  for (const auto& row : kForms) {
    if (is_told(row, printed, with_names)) words.push_back(row.word);
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

Form form_named(const std::string& word, Printed printed, bool with_names) {
  const auto* const row = std::ranges::find(kForms, word, &FormName::word);
  const auto reason = row == kForms.end() ? fmt::format("'{}' is no form", word) : std::string{why_not(row->form, printed, with_names)};
  if (!reason.empty()) throw CLI::ValidationError("--output", fmt::format("{}; there are {}", reason, form_words(printed, with_names)));
  return row->form;
}

CLI::Option* add_form(CLI::App& app, Form& form, std::string_view names, Printed printed) {
  const bool with_names = !names.empty();
  const auto meaning = fmt::format("how to print: {}{} (default {})",
                                   printed == Printed::table      ? "table, wide (more columns, nothing cut), json or jsonl (an object a line), yaml"
                                   : printed == Printed::verdicts ? "text, json or jsonl (an object a line), yaml, junit (for build servers)"
                                                                  : "text, json or jsonl (an object a line), yaml",
                                   with_names ? fmt::format(", or name ({})", names) : std::string{}, printed == Printed::table ? "table" : "text");
  const auto read = [&form, printed, with_names](const std::string& word) { form = form_named(word, printed, with_names); };
  return app.add_option_function<std::string>("-o,--output", read, meaning)->option_text("FORMAT");
}

}  // namespace

CLI::Option* add_record_output(CLI::App& app, Form& form, std::string_view names) { return add_form(app, form, names, Printed::table); }
CLI::Option* add_text_output(CLI::App& app, Form& form, std::string_view names) { return add_form(app, form, names, Printed::text); }
CLI::Option* add_test_output(CLI::App& app, Form& form, std::string_view names) { return add_form(app, form, names, Printed::verdicts); }

CLI::Option* add_file_output(CLI::App& app, std::string& file, const std::string& meaning) {
  const auto read = [&file](const std::string& word) {
    if (std::ranges::find(kForms, word, &FormName::word) != kForms.end())
      throw CLI::ValidationError("--output", fmt::format("here it names a file; write ./{0} for one that is called '{0}'", word));
    file = word;
  };
  return app.add_option_function<std::string>("-o,--output", read, meaning)->option_text("FILE");
}

bool RecordPrinter::add(const std::function<Json()>& record, const std::function<Cells()>& cells) {
  ++count_;
  auto& out = console_.out();
  switch (form_) {
    case Form::table:
    case Form::wide: rows_.push_back(cells()); break;
    case Form::json: out.line(dump_lossy(record())); break;
    case Form::yaml: out.write(yaml_element(record())); break;
    case Form::name: {
      const auto made = record();
      const auto& name = made.at(name_);
      out.line(printable(name.is_string() ? name.get_ref<const std::string&>() : name.dump()));
      break;
    }
    case Form::junit: break;  // refused with records
  }
  return !out.closed();
}

void RecordPrinter::finish() {
  auto room = console_.room();
  room.wide = form_ == Form::wide;
  console_.out().write(table(columns_, rows_, room));
  rows_.clear();
}

void print_record(Form form, const std::string& json, const std::string& name, Console& console) {
  if (form == Form::name) return console.out().line(printable(name));
  if (form == Form::yaml) return console.out().write(yaml_document(Json::parse(json, nullptr, false)));
  console.out().line(json);
}

void print_element(Form form, const Json& record, const std::string& name, Console& console) {
  if (form == Form::yaml) return console.out().write(yaml_element(record));
  print_record(form, dump_lossy(record), name, console);
}

std::string yaml_document(const Json& value) {
  std::string text;
  write_yaml(value, "", text);
  return text;
}

std::string yaml_element(const Json& value) {
  std::string text = "- ";
  write_yaml(value, "  ", text);
  return text;
}

}  // namespace catena::cli
