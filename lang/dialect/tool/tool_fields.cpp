#include "lang/dialect/tool/tool_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/characters.hpp"
#include "lang/document/json_schema.hpp"
#include "lang/program/endpoint.hpp"
#include "lang/program/reference.hpp"
#include "lang/program/value_check.hpp"

namespace catena::lang {
namespace {

constexpr std::array<std::string_view, 6> kRetryFields{"max_attempts", "initial_interval", "backoff", "max_interval", "jitter", "non_retryable"};

constexpr ObjectReader::Choice<Type> kFieldTypes[] = {
    {"string", Type::string}, {"number", Type::number}, {"integer", Type::integer}, {"boolean", Type::boolean},
    {"object", Type::object}, {"list", Type::list},     {"file", Type::file},       {"any", Type::any},
};
constexpr ObjectReader::Choice<EffectClass> kEffects[] = {
    {"pure", EffectClass::pure}, {"idempotent", EffectClass::idempotent}, {"at_most_once", EffectClass::at_most_once}};

/// What other languages call our types: too far for an edit distance.
struct Alias {
  std::string_view theirs, ours;
};
constexpr std::array kAliases{Alias{"array", "list"},   Alias{"int", "integer"}, Alias{"float", "number"}, Alias{"double", "number"},
                              Alias{"bool", "boolean"}, Alias{"dict", "object"}, Alias{"map", "object"},   Alias{"str", "string"},
                              Alias{"text", "string"},  Alias{"tuple", "list"},  Alias{"set", "list"}};

std::optional<Type> read_type(ObjectReader& reader, const Spelling& spelling) {
  const bool is_short = !spelling.short_type.empty() && reader.has(spelling.short_type);
  if (is_short && reader.has(spelling.type)) {
    reader.wrong(Code::fields_exclusive, spelling.short_type, fmt::format("and '{}' say the same; keep one", spelling.type),
                 reader.any(spelling.short_type)->where);
  }
  const auto key = is_short ? spelling.short_type : spelling.type;
  // as a field that is not known
  const bool reported = !is_short && !reader.has(key) && (reader.has(kAgentSpelling.short_type) || reader.has(kToolSpelling.type));
  if (!reported) reader.require(key, "one of string, number, integer, boolean, object, list, file, any");
  if (const auto* node = reader.any(key); node != nullptr && node->kind == JsonKind::string) {
    const auto alias = std::ranges::find(kAliases, node->scalar.get_ref<const std::string&>(), &Alias::theirs);
    if (alias != kAliases.end()) {
      reader.wrong(Code::field_value, key, fmt::format("must be '{}', which is what '{}' is called here", alias->ours, alias->theirs), node->where);
      return std::nullopt;
    }
  }
  return reader.choice<Type>(key, kFieldTypes);
}

void read_enum(ObjectReader& reader, Field& field) {
  const auto* list = reader.of_kind("enum", JsonKind::list);
  if (list == nullptr) return;
  if (list->items.empty()) reader.wrong(Code::field_value, "enum", "is empty: nothing would be allowed; leave it out to allow anything", list->where);
  for (const auto& item : list->items) {
    auto value = item.to_json();
    if (!has_type(value, field.type)) {
      reader.wrong(Code::field_type, "enum", fmt::format("has {}, which is not of the type '{}'", abbreviated(value), word(field.type)), item.where);
    }
    field.allowed.push_back(std::move(value));
  }
}

void read_field_default(ObjectReader& reader, std::string_view key, Field& field) {
  const auto* node = reader.any(key);
  if (node == nullptr || node->kind == JsonKind::null) return;
  auto value = node->to_json();
  if (!has_type(value, field.type)) {
    reader.wrong(Code::field_type, key, fmt::format("is {}, which is not of the type '{}'", abbreviated(value), word(field.type)), node->where);
  } else if (!is_allowed(value, field)) {
    reader.wrong(Code::field_value, key, fmt::format("is {}, which is not in 'enum'", abbreviated(value)), node->where);
  }
  field.default_value = std::move(value);
}

/// The name, or nothing when the field cannot be spoken of.
std::optional<std::string> read_name(ObjectReader& reader, const std::set<std::string>& taken) {
  reader.require("name", "what references call it");
  auto field_name = reader.string("name");
  if (!field_name) return std::nullopt;
  const auto& where = reader.any("name")->where;
  if (!is_segment(*field_name)) {
    reader.wrong(Code::id_invalid, "name", "must not be empty or have dots, brackets or white space in it: no reference could reach it", where);
    return std::nullopt;
  }
  if (taken.contains(*field_name)) {
    reader.wrong(Code::id_duplicate, "name", fmt::format("'{}' is declared twice", *field_name), where);
    return std::nullopt;
  }
  return field_name;
}

std::optional<Field> read_field(const Node& node, std::string_view list, const Spelling& spelling, const std::set<std::string>& taken,
                                Report& report) {
  const auto kind = list == spelling.arguments ? spelling.argument : std::string_view{"response"};
  const auto* named = node.find("name");
  const bool has_name = named != nullptr && named->kind == JsonKind::string;
  ObjectReader reader{
      node, has_name ? fmt::format("{} '{}'", kind, named->scalar.get_ref<const std::string&>()) : fmt::format("an entry of '{}'", list), report};
  std::vector<std::string_view> known{"name", spelling.type, "description", "required", spelling.default_value, "enum"};
  if (!spelling.short_type.empty()) known.push_back(spelling.short_type);
  reader.only(known, [&](std::string_view key) { return said_otherwise(spelling, key); });
  Field field;
  auto field_name = read_name(reader, taken);
  field.description = reader.string("description").value_or("");
  field.required = reader.boolean("required").value_or(false);
  const auto type = read_type(reader, spelling);
  field.type = type.value_or(Type::any);
  read_enum(reader, field);
  read_field_default(reader, spelling.default_value, field);
  if (!field_name) return std::nullopt;
  field.name = std::move(*field_name);
  return field;
}

std::vector<std::string> read_codes(ObjectReader& reader, Report& report) {
  std::vector<std::string> known;
  for (const auto& row : all_codes()) known.emplace_back(row.name);
  auto codes = reader.strings("non_retryable");
  for (const auto& code : codes) {
    if (std::ranges::find(known, code) != known.end()) continue;
    reader.wrong(Code::field_value, "non_retryable", fmt::format("has '{}', which is not an error code{}", code, report.suggestion(code, known)),
                 reader.any("non_retryable")->where);
  }
  return codes;
}

std::optional<RetryPolicy> read_retry(ObjectReader& owner, Report& report) {
  const auto* node = owner.of_kind("retry", JsonKind::object);
  if (node == nullptr) return std::nullopt;
  ObjectReader reader{*node, owner.what() + ": retry", report};
  reader.only(kRetryFields);
  RetryPolicy policy;
  policy.max_attempts = reader.count("max_attempts", 0).value_or(policy.max_attempts);
  policy.initial_interval = reader.duration("initial_interval", Millis{0}).value_or(policy.initial_interval);
  policy.backoff = reader.number("backoff", 1, kBackoffMax).value_or(policy.backoff);
  policy.jitter = reader.number("jitter", 0, 1).value_or(policy.jitter);
  policy.non_retryable = read_codes(reader, report);
  const auto most = reader.duration("max_interval", Millis{1});
  // A first interval beyond the default maximum is meant as it is written.
  policy.max_interval = most.value_or(std::max(policy.max_interval, policy.initial_interval));
  if (policy.max_interval < policy.initial_interval) {
    reader.wrong(Code::field_value, "max_interval", fmt::format("is shorter than 'initial_interval' ({})", to_string(policy.initial_interval)),
                 reader.any("max_interval")->where);
  }
  return policy;
}

// ---- approve -------------------------------------------------------------------------------------------------------------

constexpr std::array<std::string_view, 5> kApproveFields{"who", "schema", "timeout", "allow_edit", "on_timeout"};
constexpr ObjectReader::Choice<OnApprovalTimeout> kOnApprovalTimeouts[] = {
    {"fail", OnApprovalTimeout::fail}, {"approve", OnApprovalTimeout::approve}, {"reject", OnApprovalTimeout::reject}};
constexpr std::size_t kWhoBytesMax = 200;

/// `approve`: true, or an object that says more.
std::optional<ApprovalRule> read_approve(ObjectReader& owner, Report& report) {
  const auto* node = owner.any("approve");
  if (node == nullptr) return std::nullopt;
  if (node->kind == JsonKind::boolean) return node->scalar.get<bool>() ? std::optional{ApprovalRule{}} : std::nullopt;
  if (node->kind != JsonKind::object) {
    owner.wrong(Code::field_type, "approve", fmt::format("must be true or an object, not {}", with_article(node->kind)), node->where);
    return std::nullopt;
  }
  ObjectReader reader{*node, owner.what() + ": approve", report};
  reader.only(kApproveFields);
  ApprovalRule rule;
  rule.who = reader.non_empty_string("who").value_or("");
  if (rule.who.size() > kWhoBytesMax)
    reader.wrong(Code::field_value, "who", fmt::format("has more than {} bytes", kWhoBytesMax), reader.any("who")->where);
  rule.schema = read_json_schema(reader, "schema");
  rule.timeout = reader.duration("timeout", Millis{1}).value_or(Millis{0});
  const auto edit = reader.boolean("allow_edit");
  rule.allow_edit = edit.value_or(reader.has("schema"));
  if (reader.has("schema") && edit == false)
    reader.wrong(Code::fields_exclusive, "schema", "says what an answer may set, and 'allow_edit' that it may set nothing; keep one",
                 reader.any("schema")->where);
  rule.on_timeout = reader.choice<OnApprovalTimeout>("on_timeout", kOnApprovalTimeouts).value_or(OnApprovalTimeout::fail);
  if (reader.has("on_timeout") && !reader.has("timeout"))
    reader.wrong(Code::field_value, "on_timeout", "is for a 'timeout', which is missing", reader.any("on_timeout")->where);
  return rule;
}

// ---- env and cwd ---------------------------------------------------------------------------------------------------------

constexpr std::string_view kReservedVariables = "CATENA_";

/// A value where nothing of a chain can be seen.
std::optional<Expr> read_constant(ObjectReader& reader, const Member& member) {
  const auto& node = member.value;
  const auto* text = node.kind == JsonKind::string ? &node.scalar.get_ref<const std::string&>() : nullptr;
  if (text != nullptr && text->starts_with("REF:")) {
    reader.wrong(Code::field_value, "env",
                 fmt::format("'{}' cannot refer to a value of a chain here; an instruction of a tool definition can", member.key), node.where);
    return std::nullopt;
  }
  if (node.kind == JsonKind::object || node.kind == JsonKind::list || node.kind == JsonKind::null) {
    reader.wrong(Code::field_type, "env", fmt::format("'{}' must be a text, a number or a boolean, not {}", member.key, with_article(node.kind)),
                 node.where);
    return std::nullopt;
  }
  return Expr{Literal{node.scalar}, node.where};
}

std::optional<EnvVariable> read_variable(ObjectReader& reader, const Member& member, const ReadValue& read_value) {
  if (!is_identifier(member.key) || member.key.starts_with(kReservedVariables)) {
    reader.wrong(Code::field_value, "env",
                 fmt::format("'{}' is no name of a variable: letters, digits and '_', not a digit first, and not {}…, which is catena's own",
                             member.key, kReservedVariables),
                 member.where);
    return std::nullopt;
  }
  EnvVariable variable{member.key, {}, {}};
  const auto* text = member.value.kind == JsonKind::string ? &member.value.scalar.get_ref<const std::string&>() : nullptr;
  if (text != nullptr && text->starts_with(kSecretPrefix)) {
    variable.secret = text->substr(kSecretPrefix.size());
    if (is_step_id(variable.secret)) return variable;
    reader.wrong(Code::field_value, "env", fmt::format("'{}': the name of a secret is made of letters, digits, '_' and '-'", member.key),
                 member.value.where);
    return std::nullopt;
  }
  auto value = read_value ? std::optional{read_value(member.value)} : read_constant(reader, member);
  if (!value) return std::nullopt;
  variable.value = std::move(*value);
  return variable;
}

Surroundings read_surroundings(ObjectReader& reader, const ReadValue& read_value) {
  Surroundings surroundings;
  if (const auto* variables = reader.of_kind("env", JsonKind::object); variables != nullptr) {
    for (const auto& member : variables->members) {
      if (auto variable = read_variable(reader, member, read_value)) surroundings.environment.push_back(std::move(*variable));
    }
  }
  const auto directory = reader.non_empty_string("cwd");
  if (!directory) return surroundings;
  surroundings.directory = *directory;
  if (directory->front() != '/' && *directory != kWorkDirectory && *directory != kSubmissionDirectory) {
    reader.wrong(Code::field_value, "cwd",
                 fmt::format("must be '{}' (a fresh folder for each attempt), '{}' (where the chain was submitted) or an absolute path",
                             kWorkDirectory, kSubmissionDirectory),
                 reader.any("cwd")->where);
  }
  return surroundings;
}

/// A remote: capability may be a process of its worker.
bool may_be_process(const Definition& target) {
  if (!target.primitive) return false;
  if (target.endpoint) return runs_program(*target.endpoint) || target.endpoint->kind == "remote";
  const auto& text = target.endpoint_text.value_or("");
  return std::ranges::none_of(std::array{"builtin:", "http:", "https:", "signal:"}, [&](const char* form) { return text.starts_with(form); });
}

}  // namespace

Schema read_schema(ObjectReader& definition, std::string_view key, const Spelling& spelling, Report& report) {
  Schema schema;
  const auto* list = definition.of_kind(key, JsonKind::list);
  if (list == nullptr) return schema;
  if (list->items.size() > kFieldsMax) {
    definition.wrong(Code::field_value, key, fmt::format("declares {} fields; at most {} are allowed", list->items.size(), kFieldsMax), list->where);
    return schema;
  }
  std::set<std::string> taken;
  for (const auto& item : list->items) {
    if (item.kind != JsonKind::object) {
      definition.wrong(Code::field_type, key, fmt::format("must be a list of objects; this element is {}", with_article(item.kind)), item.where);
      continue;
    }
    if (auto field = read_field(item, key, spelling, taken, report)) {
      taken.insert(field->name);
      schema.fields.push_back(std::move(*field));
    }
  }
  return schema;
}

Definition read_head(const Node& document, ObjectReader& reader) {
  Definition definition;
  definition.document = &document;
  definition.name = reader.non_empty_string("name").value_or("");
  definition.description = reader.string("description").value_or("");
  const auto* version = reader.any("version");
  if (version != nullptr && version->kind != JsonKind::string && version->kind != JsonKind::number) {
    reader.wrong(Code::field_type, "version", fmt::format("must be a string or a number, not {}", with_article(version->kind)), version->where);
  }
  return definition;
}

Program with_head(Program program, const Definition& definition) {
  program.name = definition.name;
  program.description = definition.description;
  program.arguments = definition.arguments;
  program.responses = definition.responses;
  return program;
}

std::shared_ptr<const JsonSchema> read_json_schema(ObjectReader& owner, std::string_view key) {
  const auto* node = owner.of_kind(key, JsonKind::object);
  if (node == nullptr) return nullptr;
  auto schema = JsonSchema::compile(node->to_json());
  if (schema) return std::move(*schema);
  owner.wrong(Code::field_value, key, fmt::format("is no JSON Schema: {}", schema.error().message), node->where);
  return nullptr;
}

CallSettings read_call_settings(ObjectReader& reader, Report& report, const ReadValue& read_value) {
  CallSettings settings;
  settings.retry = read_retry(reader, report);
  settings.timeout = reader.duration("timeout", Millis{1});
  settings.heartbeat_timeout = reader.duration("heartbeat_timeout", Millis{1});
  settings.deadline = reader.duration("deadline", Millis{1});
  settings.effect = reader.choice<EffectClass>("effect", kEffects);
  settings.needs = reader.strings("needs");
  settings.surroundings = read_surroundings(reader, read_value);
  settings.approve = read_approve(reader, report);
  return settings;
}

void check_surroundings(ObjectReader& reader, const Definition& target) {
  if (may_be_process(target)) return;
  for (const auto* key : {"env", "cwd", "heartbeat_timeout"}) {
    if (!reader.has(key)) continue;
    reader.wrong(Code::field_value, key, "is for tools that are processes (exec:, serve:, and remote: that leads to one)", reader.any(key)->where);
  }
}

}  // namespace catena::lang
