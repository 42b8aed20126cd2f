#include "lang/document/json_schema_prepare.hpp"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "base/cut_text.hpp"
#include "base/suggest.hpp"

namespace catena::lang::json_schema {
namespace {

enum class Holds { schema, schemas, schema_or_schemas, map, value, refused };

struct Keyword {
  std::string_view name;
  Holds holds;
  bool in_place = false;  // what it holds is asked of the same value, not of a part of it
};
constexpr std::array kKeywords{
    Keyword{"additionalItems", Holds::schema},
    Keyword{"additionalProperties", Holds::schema},
    Keyword{"contains", Holds::schema},
    Keyword{"propertyNames", Holds::schema},
    Keyword{"not", Holds::schema, true},
    Keyword{"if", Holds::schema, true},
    Keyword{"then", Holds::schema, true},
    Keyword{"else", Holds::schema, true},
    Keyword{"allOf", Holds::schemas, true},
    Keyword{"anyOf", Holds::schemas, true},
    Keyword{"oneOf", Holds::schemas, true},
    Keyword{"items", Holds::schema_or_schemas},
    Keyword{"properties", Holds::map},
    Keyword{"definitions", Holds::map},
    Keyword{"$defs", Holds::map},
    Keyword{"dependencies", Holds::map, true},
    Keyword{"type", Holds::value},
    Keyword{"enum", Holds::value},
    Keyword{"const", Holds::value},
    Keyword{"required", Holds::value},
    Keyword{"minimum", Holds::value},
    Keyword{"maximum", Holds::value},
    Keyword{"exclusiveMinimum", Holds::value},
    Keyword{"exclusiveMaximum", Holds::value},
    Keyword{"multipleOf", Holds::value},
    Keyword{"minLength", Holds::value},
    Keyword{"maxLength", Holds::value},
    Keyword{"minItems", Holds::value},
    Keyword{"maxItems", Holds::value},
    Keyword{"uniqueItems", Holds::value},
    Keyword{"minProperties", Holds::value},
    Keyword{"maxProperties", Holds::value},
    // Keywords of later drafts, and one whose patterns the library matches in exponential time: passing them over would let values through.
    Keyword{"patternProperties", Holds::refused},
    Keyword{"prefixItems", Holds::refused},
    Keyword{"dependentRequired", Holds::refused},
    Keyword{"dependentSchemas", Holds::refused},
    Keyword{"unevaluatedProperties", Holds::refused},
    Keyword{"unevaluatedItems", Holds::refused},
    Keyword{"minContains", Holds::refused},
    Keyword{"maxContains", Holds::refused},
    Keyword{"$dynamicRef", Holds::refused},
    Keyword{"$recursiveRef", Holds::refused},
};
constexpr std::array<std::string_view, 7> kTypes{"array", "boolean", "integer", "null", "number", "object", "string"};

/// A key as a part of a JSON pointer.
std::string escaped(std::string_view key) {
  std::string out;
  for (const char c : key) {
    if (c == '~' || c == '/') {
      out += c == '~' ? "~0" : "~1";
    } else {
      out += c;
    }
  }
  return out;
}

/// What the value of a keyword must be, if it is not: the library takes "3" for 3, and divides by what it is given.
std::string_view why_not(std::string_view key, const Json& value) {
  if (key == "uniqueItems") return value.is_boolean() ? "" : "true or false";
  if (key == "enum") return value.is_array() && !value.empty() ? "" : "a list of values, which is not empty";
  if (key == "required") {
    const bool names = value.is_array() && std::ranges::all_of(value, [](const Json& name) { return name.is_string(); });
    return names ? "" : "a list of names";
  }
  if (key == "multipleOf") return value.is_number() && value.get<double>() > 0 ? "" : "a number greater than 0";
  if (key.ends_with("imum")) return value.is_number() ? "" : "a number";  // minimum, exclusiveMaximum, …
  if (!key.starts_with("min") && !key.starts_with("max")) return "";
  const auto whole = with_integers(value);
  return whole.is_number_integer() && whole >= 0 ? "" : "a whole number that is not negative";
}

class Preparer {
 public:
  Prepared run(const Json& schema) {
    Prepared prepared;
    prepared.schema = copy(schema, "");
    for (const auto& [at, target] : refs_) {
      if (!seen_.contains(target)) wrong(at, fmt::format("'$ref' leads to '#{}', where no schema is", target));
    }
    find_circles();
    prepared.problems = std::move(problems_);
    return prepared;
  }

 private:
  void wrong(const std::string& at, std::string_view why) { problems_.push_back(fmt::format("{}: {}", at.empty() ? "the schema" : at, why)); }

  Json copy(const Json& schema, const std::string& at) {
    seen_.insert(at);
    if (schema.is_boolean()) return schema;
    if (!schema.is_object()) {
      wrong(at, fmt::format("must be a schema: an object, or true or false, not {}", cut_text(schema.dump(), 40)));
      return Json::object();
    }
    if (const auto ref = schema.find("$ref"); ref != schema.end()) return reference(*ref, at);
    auto out = Json::object();
    for (const auto& [key, value] : schema.items()) keyword(key, value, at, out);
    return out;
  }

  /// Beside a reference everything else is passed over, as draft 7 has it.
  Json reference(const Json& ref, const std::string& at) {
    if (!ref.is_string() || !ref.get_ref<const std::string&>().starts_with('#')) {
      wrong(at, fmt::format("'$ref' is {}; it must lead to a place in the same schema (\"#/definitions/x\"): other documents are not fetched",
                            ref.dump()));
      return Json::object();
    }
    const auto target = ref.get_ref<const std::string&>().substr(1);
    refs_.emplace_back(at, target);
    in_place_[at].push_back(target);
    return Json{{"$ref", ref}};
  }

  void keyword(const std::string& key, const Json& value, const std::string& at, Json& out) {
    if (key == "pattern") return pattern(value, at, out);
    const auto* row = std::ranges::find(kKeywords, std::string_view{key}, &Keyword::name);
    if (row == kKeywords.end()) return;  // describes: title, default, format, x-…
    const auto below = at + '/' + escaped(key);
    switch (row->holds) {
      case Holds::refused: return wrong(at, fmt::format("'{}' is not understood here, and values it refuses would pass", key));
      case Holds::value:
        if (key == "type") check_type(value, at);
        if (const auto wanted = why_not(key, value); !wanted.empty()) return wrong(at, fmt::format("'{}' must be {}", key, wanted));
        out[key] = with_integers(value);
        return;
      case Holds::map: return map(key, value, below, at, *row, out);
      case Holds::schemas: return list(key, value, below, at, *row, out);
      case Holds::schema_or_schemas:
        if (value.is_array()) return list(key, value, below, at, *row, out);
        break;
      case Holds::schema: break;
    }
    if (row->in_place) in_place_[at].push_back(below);
    out[key] = copy(value, below);
  }

  void list(const std::string& key, const Json& value, const std::string& below, const std::string& at, const Keyword& row, Json& out) {
    if (!value.is_array() || value.empty()) return wrong(at, fmt::format("'{}' must be a list of schemas", key));
    auto items = Json::array();
    for (std::size_t index = 0; index < value.size(); ++index) {
      const auto place = fmt::format("{}/{}", below, index);
      if (row.in_place) in_place_[at].push_back(place);
      items.push_back(copy(value[index], place));
    }
    out[key] = std::move(items);
  }

  void map(const std::string& key, const Json& value, const std::string& below, const std::string& at, const Keyword& row, Json& out) {
    if (!value.is_object()) return wrong(at, fmt::format("'{}' must be an object of schemas", key));
    auto members = Json::object();
    for (const auto& [name, schema] : value.items()) {
      const auto place = below + '/' + escaped(name);
      if (key == "dependencies" && schema.is_array()) {
        members[name] = schema;
        continue;
      }
      if (row.in_place) in_place_[at].push_back(place);
      members[name] = copy(schema, place);
    }
    out[key] = std::move(members);
  }

  void pattern(const Json& value, const std::string& at, Json& out) {
    if (!value.is_string()) return wrong(at, "'pattern' must be a string");
    const re2::RE2 compiled{value.get_ref<const std::string&>(), re2::RE2::Quiet};
    if (!compiled.ok()) return wrong(at, fmt::format("the pattern {} is no regular expression: {}", value.dump(), compiled.error()));
    out[std::string{kPattern}] = value;
  }

  void check_type(const Json& value, const std::string& at) {
    const auto one = [&](const Json& type) {
      if (!type.is_string())
        return wrong(at, fmt::format("'type' must be a name of a type or a list of such names, not {}", cut_text(type.dump(), 40)));
      const auto& text = type.get_ref<const std::string&>();
      if (std::ranges::find(kTypes, std::string_view{text}) != kTypes.end()) return;
      const std::vector<std::string> known{kTypes.begin(), kTypes.end()};
      wrong(at, fmt::format("there is no type '{}'{}; types are: {}", text, did_you_mean(text, known), fmt::join(known, ", ")));
    };
    if (!value.is_array()) return one(value);
    for (const auto& type : value) one(type);
  }

  /// A schema that asks itself of the same value would never come to an end.
  void find_circles() {
    std::map<std::string, int> state;  // 1: open, 2: done
    for (const auto& start : seen_) {
      std::vector<std::pair<std::string, std::size_t>> open;
      if (state[start] == 0) open.emplace_back(start, 0);
      while (!open.empty()) {
        auto& [at, next] = open.back();
        state[at] = 1;
        const auto& edges = in_place_[at];
        if (next == edges.size()) {
          state[at] = 2;
          open.pop_back();
          continue;
        }
        const auto target = edges[next++];
        if (state[target] == 1) return wrong(target, "asks itself of the same value, by its references");
        if (state[target] == 0) open.emplace_back(target, 0);
      }
    }
  }

  std::vector<std::string> problems_;
  std::set<std::string> seen_;                                // places of schemas
  std::vector<std::pair<std::string, std::string>> refs_;     // from, to
  std::map<std::string, std::vector<std::string>> in_place_;  // whom a schema asks of the same value
};

}  // namespace

Prepared prepare(const Json& schema) { return Preparer{}.run(schema); }

Json with_integers(Json value) {
  if (value.is_structured()) {
    for (auto& part : value) part = with_integers(std::move(part));
    return value;
  }
  constexpr double kExact = 9007199254740992.0;  // beyond it a double is no exact count
  if (!value.is_number_float()) return value;
  const auto number = value.get<double>();
  if (std::trunc(number) != number || std::abs(number) > kExact) return value;
  return static_cast<std::int64_t>(number);
}

}  // namespace catena::lang::json_schema
