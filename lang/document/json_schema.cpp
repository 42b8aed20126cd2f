// The validation is valijson's. It may throw: every call into it stands in here.
#define VALIJSON_USE_EXCEPTIONS 1
#include "lang/document/json_schema.hpp"

#include <fmt/format.h>
#include <re2/re2.h>

#include <exception>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "base/suggest.hpp"
#include "lang/document/json_schema_prepare.hpp"

namespace catena::lang {
namespace {

using Adapter = valijson::adapters::NlohmannJsonAdapter;

/// `pattern`: the library's own takes std::regex, which needs a stack as deep as the text is long.
class Pattern final : public valijson::constraints::PolyConstraint {
 public:
  explicit Pattern(const std::string& pattern) : pattern_{std::make_shared<re2::RE2>(pattern, re2::RE2::Quiet)} {}

  bool validate(const valijson::adapters::Adapter& target, const std::vector<std::string>& context,
                valijson::ValidationResults* results) const override {
    if (!target.isString() || re2::RE2::PartialMatch(target.asString(), *pattern_)) return true;
    if (results != nullptr) results->pushError(context, fmt::format("must match the pattern '{}'", pattern_->pattern()));
    return false;
  }

 private:
  valijson::constraints::Constraint* cloneInto(void* at) const override { return new (at) Pattern{*this}; }
  size_t sizeOf() const override { return sizeof(Pattern); }

  std::shared_ptr<const re2::RE2> pattern_;
};

class PatternBuilder final : public valijson::ConstraintBuilder {
 public:
  valijson::constraints::Constraint* make(const valijson::adapters::Adapter& pattern) const override { return new Pattern{pattern.asString()}; }
};

/// {"<root>", "[a]", "[0]"} as a.0
std::string place_in_value(const std::vector<std::string>& context) {
  std::string place;
  for (std::size_t index = 1; index < context.size(); ++index) {
    auto part = std::string_view{context[index]};
    if (part.starts_with('[') && part.ends_with(']')) part = part.substr(1, part.size() - 2);
    place += (place.empty() ? "" : ".") + std::string{part};
  }
  return place;
}

/// The library reports a part that does not fit, and then that its whole does not fit because of it.
bool is_echo(std::string_view description) {
  return description.starts_with("Failed to validate against schema associated with property name") ||
         description.starts_with("Failed to validate item #") || description.starts_with("Failed to validate against additional properties");
}

/// As the library says it, without the full stop, and without the zeros that it writes behind every number.
std::string_view trimmed(std::string_view text) {
  if (text.ends_with('.')) return text.substr(0, text.size() - 1);
  const auto number = text.find_last_not_of("0123456789.");
  const bool decimals = text.find('.', number == std::string_view::npos ? 0 : number) != std::string_view::npos;
  while (decimals && text.ends_with('0')) text.remove_suffix(1);
  return decimals && text.ends_with('.') ? text.substr(0, text.size() - 1) : text;
}

}  // namespace

struct JsonSchema::Compiled {
  valijson::Schema schema;
  bool closed = false;             // nothing beside the properties
  std::vector<std::string> names;  // of the properties
  std::string source;
};

JsonSchema::JsonSchema(std::unique_ptr<const Compiled> compiled) : compiled_{std::move(compiled)} {}
JsonSchema::~JsonSchema() = default;

const std::string& JsonSchema::source() const { return compiled_->source; }

Result<std::shared_ptr<const JsonSchema>> JsonSchema::compile(const Json& schema) {
  const auto prepared = json_schema::prepare(schema);
  if (!prepared.problems.empty()) return fail(Code::field_value, fmt::format("{}", fmt::join(prepared.problems, "; ")));
  auto compiled = std::make_unique<Compiled>();
  compiled->source = schema.dump();
  try {
    valijson::SchemaParser parser;
    parser.addConstraintBuilder(std::string{json_schema::kPattern}, new PatternBuilder);  // which the parser deletes
    parser.populateSchema(Adapter{prepared.schema}, compiled->schema);
  } catch (const std::exception& error) {
    return fail(Code::field_value, std::string{trimmed(error.what())});
  }
  if (prepared.schema.is_object()) {
    const auto rest = prepared.schema.find("additionalProperties");
    compiled->closed = rest != prepared.schema.end() && rest->is_boolean() && !rest->get<bool>();
    const auto properties = prepared.schema.find("properties");
    if (properties != prepared.schema.end()) {
      for (const auto& property : properties->items()) compiled->names.push_back(property.key());
    }
  }
  return std::shared_ptr<const JsonSchema>{new JsonSchema{std::move(compiled)}};
}

Result<void> JsonSchema::check(const Json& value, std::string_view who) const {
  constexpr std::size_t kShown = 20;
  const auto whole = json_schema::with_integers(value);
  valijson::ValidationResults results;
  std::vector<std::string> found;
  try {
    valijson::Validator validator;
    if (validator.validate(compiled_->schema, Adapter{whole}, &results)) return {};
  } catch (const std::exception& error) {
    found.emplace_back(error.what());
  }
  if (compiled_->closed && whole.is_object()) {
    for (const auto& [name, given] : whole.items()) {
      const auto hint = did_you_mean(name, compiled_->names);
      if (!hint.empty() && std::ranges::find(compiled_->names, name) == compiled_->names.end())
        found.push_back(fmt::format("'{}' is not declared{}", name, hint));
    }
  }
  std::size_t more = 0;
  for (const auto& error : results) {
    if (is_echo(error.description)) continue;
    if (found.size() == kShown) {
      ++more;
      continue;
    }
    const auto place = place_in_value(error.context);
    found.push_back(fmt::format("{}{}", place.empty() ? "" : fmt::format("'{}': ", place), trimmed(error.description)));
  }
  if (found.empty()) found.emplace_back("the arguments are not allowed");
  if (more != 0) found.push_back(fmt::format("and {} more", more));
  return fail(Code::argument_schema, fmt::format("{}: the arguments do not fit the schema: {}", who, fmt::join(found, "; ")));
}

}  // namespace catena::lang
