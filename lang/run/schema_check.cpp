#include "lang/run/schema_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/suggest.hpp"
#include "lang/document/json_equal.hpp"
#include "lang/document/json_schema.hpp"
#include "lang/program/value_check.hpp"
#include "lang/run/scope.hpp"

namespace catena::lang {
namespace {

/// How a check speaks of arguments or of responses.
struct Voice {
  std::string_view noun;
  Code not_object;
  Code missing;
  Code type;
  Code allowed;
  bool defaults_fill_in;
};
constexpr Voice kArgumentVoice{"argument", Code::argument_type, Code::argument_missing, Code::argument_type, Code::argument_enum, true};
constexpr Voice kResponseVoice{"response", Code::tool_output_invalid, Code::response_missing, Code::response_type, Code::response_enum, false};

/// A default of null changes nothing: what is not given reads as null anyway.
bool has_default(const Field& field) { return field.default_value && !field.default_value->is_null(); }

bool is_whole_number(std::string_view number) {
  if (number.find_first_of(".eE") == std::string_view::npos) return true;
  const auto value = JsonView{number}.parse();
  return value.is_number() && std::trunc(value.get<double>()) == value.get<double>();
}

bool view_has_type(JsonView value, Type type) {
  const auto kind = value.kind();
  switch (type) {
    case Type::any: return true;
    case Type::string:
    case Type::file: return kind == JsonKind::string;
    case Type::number: return kind == JsonKind::number;
    case Type::integer: return kind == JsonKind::number && is_whole_number(value.text());
    case Type::boolean: return kind == JsonKind::boolean;
    case Type::object: return kind == JsonKind::object;
    case Type::list: return kind == JsonKind::list;
  }
  return false;
}

/// A value as a message shows it.
std::string shown(JsonView value) {
  constexpr std::size_t kShown = 60;
  const auto kind = value.kind();
  if (kind == JsonKind::null) return "null";
  if (kind == JsonKind::list || kind == JsonKind::object)
    return fmt::format("{} of {}", kind == JsonKind::list ? "a list" : "an object", value.size());
  auto text = value.text();
  if (text.size() <= kShown) return fmt::format("the {} {}", name(kind), text);
  auto end = kShown;
  while ((static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;  // not inside a character
  return fmt::format("the {} {}…", name(kind), text.substr(0, end));
}

/// One pass over the members of an object, against what is declared. Parses nothing unless an enum asks for it.
class Checker {
 public:
  Checker(const Schema& schema, const Voice& voice, std::string_view who, bool unknown_passes)
      : schema_{schema}, voice_{voice}, who_{who}, unknown_passes_{unknown_passes}, given_(schema.fields.size()) {}

  Result<void> check(JsonView object) {
    if (object.kind() != JsonKind::object) {
      return fail(voice_.not_object, fmt::format("{}: the {}s must be an object, not {}", who_, voice_.noun, shown(object)));
    }
    object.for_each_member([this](std::string_view key, JsonView value) { return member(key, value); });
    if (problem_) return fail(std::move(*problem_));
    return all_required();
  }

  /// Whether a field has a value other than null.
  [[nodiscard]] bool given(std::size_t field) const { return given_[field]; }

 private:
  /// Names all that is missing: one at a time would be one attempt at a time.
  Result<void> all_required() const {
    std::vector<std::string> missing;
    for (std::size_t i = 0; i < given_.size(); ++i) {
      const auto& field = schema_.fields[i];
      const bool stands_in = voice_.defaults_fill_in && has_default(field);
      if (field.required && !given_[i] && !stands_in) missing.push_back(fmt::format("'{}' ({})", field.name, word(field.type)));
    }
    if (missing.empty()) return {};
    const bool one = missing.size() == 1;
    return fail(voice_.missing,
                fmt::format("{}: the required {}{} {} {} missing", who_, voice_.noun, one ? "" : "s", fmt::join(missing, ", "), one ? "is" : "are"));
  }

  bool member(std::string_view key, JsonView value) {
    const auto* field = schema_.find(key);
    if (field == nullptr) return unknown_passes_ || unknown(key);
    if (value.is_null()) return true;  // the same as not given
    given_[static_cast<std::size_t>(field - schema_.fields.data())] = true;
    if (!view_has_type(value, field->type)) {
      return stop(voice_.type, fmt::format("{}: the {} '{}' must be of type {}, not {}", who_, voice_.noun, key, word(field->type), shown(value)));
    }
    if (field->type == Type::file) {
      const auto path = normal_file_path(value.string());
      if (!path) return stop(path.error().code, fmt::format("{}: the {} '{}': {}", who_, voice_.noun, key, path.error().message));
    }
    return field->allowed.empty() || allowed(*field, value);
  }

  bool allowed(const Field& field, JsonView value) {
    const auto json = value.parse();
    if (std::ranges::any_of(field.allowed, [&](const Json& choice) { return json_equal(choice, json); })) return true;
    std::vector<std::string> choices;
    for (const auto& choice : field.allowed) choices.push_back(to_text(choice).text);
    return stop(voice_.allowed,
                fmt::format("{}: the {} '{}' must be one of {}, not {}", who_, voice_.noun, field.name, fmt::join(choices, ", "), shown(value)));
  }

  bool unknown(std::string_view key) {
    std::vector<std::string> known;
    for (const auto& field : schema_.fields) known.push_back(field.name);
    const auto hint = did_you_mean(key, known);
    const auto declared = known.empty() ? std::string{"none"} : fmt::format("{}", fmt::join(known, ", "));
    return stop(Code::argument_unknown, fmt::format("{}: the {} '{}' is not declared{}; declared: {}", who_, voice_.noun, key, hint, declared));
  }

  bool stop(Code code, std::string message) {
    problem_ = make_error(code, std::move(message));
    return false;
  }

  const Schema& schema_;
  const Voice& voice_;
  std::string_view who_;
  bool unknown_passes_;
  std::vector<bool> given_;
  std::optional<Error> problem_;
};

/// Gives the fields in `missing` their defaults: a null that stands for one makes way.
JsonText with_defaults(const JsonText& arguments, const std::vector<const Field*>& missing) {
  std::string out = "{";
  const auto append = [&](std::string_view key, std::string_view value) {
    if (out.size() > 1) out += ',';
    out += to_text(Json(key)).text;
    out += ':';
    out += value;
  };
  JsonView{arguments}.for_each_member([&](std::string_view key, JsonView value) {
    if (std::ranges::find(missing, key, &Field::name) == missing.end()) append(key, value.text());
    return true;
  });
  for (const auto* field : missing) append(field->name, to_text(*field->default_value).text);
  return JsonText{out + '}'};
}

/// A null where a type is declared is no value: it is the same as not given.
Json as_given(const JsonText& arguments, const Schema& schema) {
  auto value = JsonView{arguments}.parse();
  for (const auto& field : schema.fields) {
    const auto member = value.find(field.name);
    if (field.type != Type::any && member != value.end() && member->is_null()) value.erase(member);
  }
  return value;
}

Result<JsonText> check_by_json_schema(JsonText arguments, const Schema& schema, std::string_view who) {
  const JsonView given{arguments};
  if (given.kind() != JsonKind::object)
    return fail(Code::argument_type, fmt::format("{}: the arguments must be an object, not {}", who, shown(given)));
  std::vector<const Field*> missing;
  for (const auto& field : schema.fields) {
    const auto value = has_default(field) ? given.find(field.name) : std::nullopt;
    if (has_default(field) && (!value || value->is_null())) missing.push_back(&field);
  }
  if (!missing.empty()) arguments = with_defaults(arguments, missing);
  if (auto fits = schema.json_schema->check(as_given(arguments, schema), who); !fits) return fail(std::move(fits.error()));
  return arguments;
}

}  // namespace

Result<JsonText> check_arguments(JsonText arguments, const Schema& schema, std::string_view who) {
  if (schema.json_schema != nullptr) return check_by_json_schema(std::move(arguments), schema, who);
  Checker checker{schema, kArgumentVoice, who, schema.additional};
  if (auto checked = checker.check(JsonView{arguments}); !checked) return fail(std::move(checked.error()));
  std::vector<const Field*> missing;
  for (std::size_t i = 0; i < schema.fields.size(); ++i) {
    if (!checker.given(i) && has_default(schema.fields[i])) missing.push_back(&schema.fields[i]);
  }
  if (missing.empty()) return arguments;
  return with_defaults(arguments, missing);
}

Result<void> check_response(const JsonText& response, const Schema& schema, std::string_view who) {
  return Checker{schema, kResponseVoice, who, true}.check(JsonView{response});
}

}  // namespace catena::lang
