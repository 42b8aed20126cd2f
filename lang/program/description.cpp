#include "lang/program/description.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "lang/program/reference.hpp"
#include "lang/program/value_check.hpp"

namespace catena::lang {
namespace {

constexpr std::size_t kServedToolsMax = 1000;
constexpr std::size_t kDifferencesShown = 5;
/// What the chain has pinned stands behind the name in an order.
constexpr char kBehindName = ' ';

/// The word for catena at the end of a command; empty: there is none.
std::string_view tool_word(const Endpoint& endpoint) {
  if (endpoint.kind != "serve" || endpoint.args.empty() || !endpoint.args.back().starts_with('#')) return {};
  const auto word = std::string_view{endpoint.args.back()}.substr(1);
  return is_step_id(word.substr(0, word.find(kBehindName))) ? word : std::string_view{};
}

struct Aspect {
  std::string_view key;   // of a field
  std::string_view name;  // in a message
};
constexpr std::array kAspects{Aspect{"type_name", "type"}, Aspect{"required", "'required'"}, Aspect{"default_value", "default"},
                              Aspect{"enum", "'enum'"}};

/// A member, with what its absence means.
Json aspect_of(const Json& field, std::string_view key) {
  const auto found = field.find(key);
  if (key == "required") return found != field.end() && *found == true;
  return found == field.end() ? Json() : *found;
}

const Json* field_named(const Json& fields, const Json& name) {
  for (const auto& field : fields) {
    if (field.value("name", Json()) == name) return &field;
  }
  return nullptr;
}

Json list_of(const Json& description, const char* key) {
  const auto found = description.find(key);
  return found == description.end() || !found->is_array() ? Json::array() : *found;
}

std::string shown_value(const Json& value) { return value.is_null() ? "none" : abbreviated(value); }

void compare(const Json& pinned, const Json& said, std::string_view kind, std::vector<std::string>& differences) {
  for (const auto& field : pinned) {
    const auto name = field.value("name", "");
    const auto* now = field_named(said, name);
    if (now == nullptr) {
      differences.push_back(fmt::format("the program does not have the {} '{}'", kind, name));
      continue;
    }
    for (const auto& aspect : kAspects) {
      const auto here = aspect_of(field, aspect.key);
      const auto there = aspect_of(*now, aspect.key);
      if (here != there)
        differences.push_back(fmt::format("the {} of the {} '{}' is {} in the definition and {} in the program", aspect.name, kind, name,
                                          shown_value(here), shown_value(there)));
    }
  }
  for (const auto& field : said) {
    const auto name = field.value("name", "");
    if (field_named(pinned, name) == nullptr)
      differences.push_back(fmt::format("the program has the {} '{}', which the definition does not have", kind, name));
  }
}

tl::unexpected<Error> no_description(std::string message) { return fail(Code::tool_output_invalid, std::move(message)); }

/// Lists of objects with names, as a definition has them; what else is wrong in them is found when the definition is read.
bool are_fields(const Json& said, const char* key) {
  const auto found = said.find(key);
  return found == said.end() || (found->is_array() && std::ranges::all_of(*found, [](const Json& field) {
                                   return field.is_object() && field.contains("name") && field["name"].is_string();
                                 }));
}

/// Members of fields in the order in which people write them.
nlohmann::ordered_json as_people_write(const Json& fields) {
  auto written = nlohmann::ordered_json::array();
  for (const auto& field : fields) {
    nlohmann::ordered_json one;
    for (const auto* key : {"name", "type_name", "required", "description", "default_value", "enum"}) {
      if (field.contains(key)) one[key] = field[key];
    }
    for (const auto& [key, value] : field.items()) {
      if (!one.contains(key)) one[key] = value;
    }
    written.push_back(std::move(one));
  }
  return written;
}

}  // namespace

std::string served_tool(const Endpoint& endpoint) {
  const auto word = tool_word(endpoint);
  return std::string{word.substr(0, word.find(kBehindName))};
}

std::vector<std::string> command_arguments(const Endpoint& endpoint) {
  auto arguments = endpoint.args;
  if (!tool_word(endpoint).empty()) arguments.pop_back();
  return arguments;
}

Json fields_json(const Schema& schema) {
  Json fields = Json::array();
  for (const auto& field : schema.fields) {
    Json json{{"name", field.name}, {"type_name", word(field.type)}, {"required", field.required}};
    if (!field.description.empty()) json["description"] = field.description;
    if (field.default_value) json["default_value"] = *field.default_value;
    if (!field.allowed.empty()) json["enum"] = field.allowed;
    fields.push_back(std::move(json));
  }
  return fields;
}

std::vector<std::string> described_arguments(const Endpoint& endpoint, const Schema& arguments, const Schema& responses) {
  auto words = endpoint.args;
  if (tool_word(endpoint).empty()) return words;
  auto pinned = Json{{"arguments", fields_json(arguments)}, {"responses", fields_json(responses)}};
  for (auto* fields : {&pinned["arguments"], &pinned["responses"]}) {
    for (auto& field : *fields) field.erase("description");
  }
  words.back() += kBehindName + pinned.dump();
  return words;
}

Json pinned_description(const Endpoint& endpoint) {
  const auto word = tool_word(endpoint);
  const auto behind = word.find(kBehindName);
  if (behind == std::string_view::npos) return {};
  auto pinned = Json::parse(word.substr(behind + 1), nullptr, /*allow_exceptions=*/false);
  return pinned.is_object() ? pinned : Json();
}

Result<ServedTools> read_served_tools(const Json& result) {
  const auto list = result.is_object() ? result.find("tools") : result.end();
  if (!result.is_object() || list == result.end() || !list->is_array()) return no_description(R"(it is not an object {"tools": […]})");
  if (list->size() > kServedToolsMax) return no_description(fmt::format("it has {} tools; at most {} are read", list->size(), kServedToolsMax));
  ServedTools tools;
  for (const auto& said : *list) {
    const auto name = said.is_object() ? said.value("name", Json()) : Json();
    if (!name.is_string() || !is_step_id(name.get<std::string>()))
      return no_description(fmt::format("the name of a tool is made of letters, digits, '_' and '-', and {} is none", abbreviated(name)));
    for (const auto* key : {"arguments", "responses"}) {
      if (!are_fields(said, key))
        return no_description(fmt::format("'{}' of the tool {} is not a list of objects with names, as definitions declare them", key, name.dump()));
    }
    if (!tools.emplace(name.get<std::string>(), said).second) return no_description(fmt::format("it has two tools of the name {}", name.dump()));
  }
  return tools;
}

std::string difference(const Json& pinned, const Json& said) {
  std::vector<std::string> differences;
  compare(list_of(pinned, "arguments"), list_of(said, "arguments"), "argument", differences);
  compare(list_of(pinned, "responses"), list_of(said, "responses"), "response", differences);
  const auto more = differences.size() > kDifferencesShown ? fmt::format("; and {} more", differences.size() - kDifferencesShown) : std::string{};
  differences.resize(std::min(differences.size(), kDifferencesShown));
  return fmt::format("{}{}", fmt::join(differences, "; "), more);
}

Result<std::string> definition_text(const std::string& tool, const Json& said, const std::string& command) {
  for (const auto* key : {"system_event_endpoint", "instructions", "implementation", "steps"}) {
    if (said.contains(key))
      return no_description(fmt::format("the description of the tool '{}' has '{}', which a description must not have", tool, key));
  }
  nlohmann::ordered_json definition;
  for (const auto* key : {"name", "description"}) {
    if (said.contains(key)) definition[key] = said[key];
  }
  for (const auto* key : {"arguments", "responses"}) {
    if (!list_of(said, key).empty()) definition[key] = as_people_write(said[key]);
  }
  definition["system_event_endpoint"] = fmt::format("serve:{}#{}", command, tool);
  for (const auto& [key, value] : said.items()) {
    if (!definition.contains(key) && value != Json::array()) definition[key] = value;
  }
  return definition.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace catena::lang
