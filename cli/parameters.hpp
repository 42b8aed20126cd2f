#pragma once
// The arguments of a chain as they stand on a command line.
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/chain_labels.hpp"
#include "base/index_set.hpp"
#include "base/result.hpp"
#include "lang/document/json_text.hpp"
#include "lang/program/program.hpp"

namespace catena::cli {

/// Where a JSON value on the command line comes from: the text itself, `@FILE`, or `-` for standard input.
[[nodiscard]] Result<std::string> read_value(const std::string& written);

/// Any JSON from such a place; the same errors as of an object.
[[nodiscard]] Result<lang::JsonText> read_json(const std::string& written, std::string_view option);
/// A JSON object from such a place. `option` is what the message calls it. Errors: usage, and what is wrong with the text.
[[nodiscard]] Result<lang::JsonText> read_object(const std::string& written, std::string_view option);

/// A step, or items of a fan-out: STEP, STEP/3, STEP/3,7-9. Error: usage.
struct NamedTasks {
  std::string step;
  IndexSet items = {};
};
[[nodiscard]] Result<NamedTasks> tasks_named(const std::string& written);

/// One `key=value`. By the declared type: text as it is for strings and files, JSON for the others; without declaration (or for `any`)
/// JSON if it is, else the text. Errors: usage, argument_type.
struct Parameter {
  std::string key;
  lang::JsonText value;
};
[[nodiscard]] Result<Parameter> parse_parameter(const std::string& written, const lang::Schema& arguments, std::string_view option = "-p");

/// The context of a submission, from every --context (a JSON object, @FILE, - or NAME=VALUE) and --context-file; names are set over an
/// object. Empty for none. Errors: usage, and what is wrong with the text.
[[nodiscard]] Result<std::string> chain_context(const std::vector<std::string>& written, const std::string& file);

/// The labels of a submission, from every --label KEY=VALUE. Errors: usage, field_value.
[[nodiscard]] Result<ChainLabels> chain_labels(const std::vector<std::string>& written);
/// Adds the namespace as the label that it is; nothing where the name is empty. Errors: field_value; usage, of labels that say another one.
[[nodiscard]] Result<void> add_namespace(std::map<std::string, std::string>& labels, const std::string& name);
/// Whether one of these labels, KEY=VALUE each, is that of the namespace.
[[nodiscard]] bool name_a_namespace(const std::vector<std::string>& labels);
/// Labels that chains are looked for by: KEY=VALUE, or KEY=PATTERN. The same errors.
[[nodiscard]] Result<std::map<std::string, std::string>> wanted_labels(const std::vector<std::string>& written);

/// The arguments a program starts with: `object` ("" for none) with the parameters set over it, checked against what the program declares,
/// its defaults filled in.
[[nodiscard]] Result<lang::JsonText> chain_arguments(const std::string& object, const std::vector<std::string>& parameters,
                                                     const lang::Program& program);

}  // namespace catena::cli
