#include "cli/parameters.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "base/fd.hpp"
#include "lang/program/value_check.hpp"
#include "lang/run/schema_check.hpp"
#include "lang/run/scope.hpp"
#include "worker/utf8.hpp"

namespace catena::cli {
namespace {

Result<std::string> read_to_end(int descriptor, std::string_view what) {
  constexpr std::size_t kChunk = 256UL << 10U;
  std::string text;
  std::size_t size = 0;
  while (true) {
    if (text.size() < size + kChunk) text.resize(std::max(2 * text.size(), size + kChunk));
    const auto got = ::read(descriptor, text.data() + size, kChunk);
    if (got == 0) break;
    if (got > 0) size += static_cast<std::size_t>(got);
    if (got < 0 && errno != EINTR) {
      return fail(Code::file_unreadable, fmt::format("cannot read {}: {}", what, std::error_code{errno, std::generic_category()}.message()));
    }
  }
  text.resize(size);
  return text;
}

std::string quoted(std::string_view text) {
  std::string out;
  worker::append_quoted(out, text);
  return out;
}

/// Members of the object that no parameter replaces, then the parameters: no tree of what may be many megabytes.
lang::JsonText with_parameters(const lang::JsonText& object, const std::vector<Parameter>& parameters) {
  std::string text = "{";
  const auto add = [&](std::string_view key, std::string_view value) {
    if (text.size() > 1) text += ',';
    worker::append_quoted(text, key);
    text += ':';
    text += value;
  };
  lang::JsonView{object}.for_each_member([&](std::string_view key, lang::JsonView value) {
    if (std::ranges::find(parameters, key, &Parameter::key) == parameters.end()) add(key, value.text());
    return true;
  });
  for (const auto& parameter : parameters) add(parameter.key, parameter.value.text);
  return {text + '}'};
}

}  // namespace

Result<std::string> read_value(const std::string& written) {
  if (written == "-") return read_to_end(STDIN_FILENO, "standard input");
  if (!written.starts_with('@')) return written;
  const auto file = written.substr(1);
  const Fd descriptor{::open(file.c_str(), O_RDONLY | O_CLOEXEC)};
  if (descriptor.get() < 0) {
    return fail(Code::file_unreadable, fmt::format("cannot read '{}': {}", file, std::error_code{errno, std::generic_category()}.message()));
  }
  return read_to_end(descriptor.get(), "'" + file + "'");
}

Result<lang::JsonText> read_json(const std::string& written, std::string_view option) {
  const auto text = read_value(written);
  if (!text) return fail(text.error());
  auto value = lang::parse_json_text(*text);
  if (!value) {
    value.error().message = fmt::format("{} is not JSON: {}", option, value.error().message);
    if (value.error().where.file.empty() && value.error().where.line != 0) value.error().where.file = written == "-" ? "<stdin>" : written;
  }
  return value;
}

Result<NamedTasks> tasks_named(const std::string& written) {
  const auto slash = written.find('/');
  NamedTasks named{written.substr(0, slash)};
  if (slash == std::string::npos) return named;
  auto items = index_set_from_text(written.substr(slash + 1));
  if (!items) return fail(Code::usage, fmt::format("'{}' is not of the form STEP, STEP/3 or STEP/3,7-9", written));
  named.items = std::move(*items);
  return named;
}

Result<lang::JsonText> read_object(const std::string& written, std::string_view option) {
  auto value = read_json(written, option);
  if (!value) return value;
  const auto kind = lang::JsonView{*value}.kind();
  if (kind != lang::JsonKind::object) {
    return fail(Code::usage, fmt::format("{} must be a JSON object such as {{\"name\": 1}}; this is a {}", option, lang::name(kind)));
  }
  return value;
}

Result<Parameter> parse_parameter(const std::string& written, const lang::Schema& arguments, std::string_view option) {
  const auto equals = written.find('=');
  if (equals == 0 || equals == std::string::npos) {
    return fail(Code::usage, fmt::format("'{} {}' is not of the form NAME=VALUE", option, written));
  }
  Parameter parameter{written.substr(0, equals), {}};
  const auto text = std::string_view{written}.substr(equals + 1);
  if (!worker::is_utf8(written)) return fail(Code::not_utf8, fmt::format("'{} {}=…' is not UTF-8", option, worker::to_utf8(parameter.key)));
  const auto* field = arguments.find(parameter.key);
  const auto type = field == nullptr ? lang::Type::any : field->type;
  if (type == lang::Type::string || type == lang::Type::file) {
    parameter.value.text = quoted(text);
    return parameter;
  }
  if (auto value = lang::parse_json_text(text)) {
    parameter.value = std::move(*value);
  } else if (type == lang::Type::any) {
    parameter.value.text = quoted(text);
  } else {
    return fail(Code::argument_type, fmt::format("argument '{}' is declared {}: '{}' is not JSON for one ({})", parameter.key, lang::word(type), text,
                                                 value.error().message));
  }
  return parameter;
}

namespace {

/// Each key once. `option` is what the messages call it.
Result<std::vector<Parameter>> parse_parameters(const std::vector<std::string>& written, const lang::Schema& arguments, std::string_view option) {
  std::vector<Parameter> parsed;
  for (const auto& one : written) {
    auto parameter = parse_parameter(one, arguments, option);
    if (!parameter) return fail(parameter.error());
    if (std::ranges::find(parsed, parameter->key, &Parameter::key) != parsed.end()) {
      return fail(Code::usage, fmt::format("'{} {}=…' is given twice", option, parameter->key));
    }
    parsed.push_back(std::move(*parameter));
  }
  return parsed;
}

}  // namespace

Result<std::string> chain_context(const std::vector<std::string>& written, const std::string& file) {
  std::vector<std::string> objects;
  std::vector<std::string> names;
  for (const auto& one : written) {
    const bool is_object = one == "-" || one.starts_with('@') || one.find_first_not_of(" \t\n") == one.find('{');
    (is_object ? objects : names).push_back(one);
  }
  if (!file.empty()) objects.push_back("@" + file);
  if (objects.size() > 1) return fail(Code::usage, "--context and --context-file give one object; NAME=VALUE adds to it");
  if (objects.empty() && names.empty()) return std::string{};
  lang::JsonText context{"{}"};
  if (!objects.empty()) {
    auto given = read_object(objects.front(), "--context");
    if (!given) return fail(given.error());
    context = std::move(*given);
  }
  const auto parsed = parse_parameters(names, {}, "--context");
  if (!parsed) return fail(parsed.error());
  return parsed->empty() ? std::move(context.text) : with_parameters(context, *parsed).text;
}

Result<std::map<std::string, std::string>> wanted_labels(const std::vector<std::string>& written) {
  std::map<std::string, std::string> labels;
  for (const auto& one : written) {
    const auto equals = one.find('=');
    if (equals == std::string::npos || equals + 1 == one.size()) {
      return fail(Code::usage, fmt::format("'--label {}' is not of the form KEY=VALUE; KEY=* stands for any value where chains are looked for", one));
    }
    auto key = one.substr(0, equals);
    if (auto right = check_label_key(key); !right) return fail(std::move(right).error());
    if (!labels.emplace(key, one.substr(equals + 1)).second)
      return fail(Code::usage, fmt::format("'--label {}=…' is given twice, and a chain has one value for a key", key));
  }
  return labels;
}

bool name_a_namespace(const std::vector<std::string>& labels) {
  const auto key = std::string{kNamespaceLabel} + "=";
  return std::ranges::any_of(labels, [&](const std::string& label) { return label.starts_with(key); });
}

Result<void> add_namespace(std::map<std::string, std::string>& labels, const std::string& name) {
  if (name.empty()) return {};
  if (auto right = check_namespace(name); !right) return right;
  const auto [label, added] = labels.emplace(kNamespaceLabel, name);
  if (added || label->second == name) return {};
  return fail(Code::usage, fmt::format("'--namespace {}' and '--label namespace={}' name two namespaces; give one of them", name, label->second));
}

Result<ChainLabels> chain_labels(const std::vector<std::string>& written) {
  auto labels = wanted_labels(written);
  if (!labels) return labels;
  if (auto right = check_chain_labels(*labels); !right) return fail(std::move(right).error());
  return labels;
}

Result<lang::JsonText> chain_arguments(const std::string& object, const std::vector<std::string>& parameters, const lang::Program& program) {
  lang::JsonText arguments{"{}"};
  if (!object.empty()) {
    auto given = read_object(object, "--args");
    if (!given) return given;
    arguments = std::move(*given);
  }
  const auto parsed = parse_parameters(parameters, program.arguments, "-p");
  if (!parsed) return fail(parsed.error());
  if (!parsed->empty()) arguments = with_parameters(arguments, *parsed);
  return lang::check_arguments(std::move(arguments), program.arguments, fmt::format("definition '{}'", program.name));
}

}  // namespace catena::cli
