#include "config/settings.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>

#include "base/suggest.hpp"
#include "config/yaml_file.hpp"

namespace catena::config {
namespace {

Result<void> read_number(std::uint32_t& number, std::string_view text, std::uint32_t least) {
  std::uint32_t value = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (ec != std::errc{} || end != text.data() + text.size() || value < least) {
    return fail(Code::field_value, fmt::format("'{}' is not a whole number of {} or more", text, least));
  }
  number = value;
  return {};
}

Result<void> read_flag(bool& flag, std::string_view text) {
  if (text != "true" && text != "false") return fail(Code::field_value, fmt::format("'{}' is neither true nor false", text));
  flag = text == "true";
  return {};
}

Result<void> read_durability(Settings& settings, std::string_view text) {
  if (text != "sync" && text != "async" && text != "none") return fail(Code::field_value, fmt::format("'{}' is none of sync, async, none", text));
  settings.durability = text;
  return {};
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const auto end = std::min(text.find(separator), text.size());
    if (end > 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const auto& part : parts) text += (text.empty() ? "" : ":") + part;
  return text;
}

std::string shown(const Table& table) { return Json(table).dump(); }

constexpr std::array kOptions{
    Option{"storage", "data_dir", "where chains are kept; empty: $XDG_STATE_HOME/catena",
           [](Settings& s, std::string_view text) -> Result<void> { s.data_dir = text; return {}; }, [](const Settings& s) { return s.data_dir; }},
    Option{"storage", "durability", "what is acknowledged survives: sync (loss of power), async (end of the process), none", read_durability,
           [](const Settings& s) { return s.durability; }},
    Option{"storage", "accept_rewound", "true: go on with a data directory that lost acknowledged records",
           [](Settings& s, std::string_view text) { return read_flag(s.accept_rewound, text); },
           [](const Settings& s) { return std::string{s.accept_rewound ? "true" : "false"}; }},
    Option{"storage", "checkpoint_every", "events between two checkpoints of a chain",
           [](Settings& s, std::string_view text) { return read_number(s.checkpoint_every, text, 16); },
           [](const Settings& s) { return std::to_string(s.checkpoint_every); }},
    Option{"tools", "roots", "folders with definitions and programs, in order, separated by ':'",
           [](Settings& s, std::string_view text) -> Result<void> { s.roots = split(text, ':'); return {}; }, [](const Settings& s) { return joined(s.roots); }},
    Option{"worker", "slots", "attempts that run at a time; 0: twice the processors, at least 4",
           [](Settings& s, std::string_view text) { return read_number(s.slots, text, 0); }, [](const Settings& s) { return std::to_string(s.slots); }},
    Option{"worker", "capabilities", "what this worker announces, for remote: endpoints: {name: endpoint}; programs by absolute path or on PATH", nullptr,
           [](const Settings& s) { return shown(s.capabilities); }, &Settings::capabilities},
    Option{"http", "allow_link_local", "true: tools may reach link-local and cloud metadata addresses",
           [](Settings& s, std::string_view text) { return read_flag(s.http_allow_link_local, text); },
           [](const Settings& s) { return std::string{s.http_allow_link_local ? "true" : "false"}; }},
    Option{"http", "ca_file", "certificates (PEM) that https: trusts besides those of the system; empty: none",
           [](Settings& s, std::string_view text) -> Result<void> { s.http_ca_file = text; return {}; }, [](const Settings& s) { return s.http_ca_file; }},
    Option{"llm", "base_url", "the chat endpoint behind llm_text, as OpenAI's clients understand it: https://host/v1",
           [](Settings& s, std::string_view text) -> Result<void> { s.llm_base_url = text; return {}; }, [](const Settings& s) { return s.llm_base_url; }},
    Option{"llm", "model", "the model that llm_text asks where the chain names none",
           [](Settings& s, std::string_view text) -> Result<void> { s.llm_model = text; return {}; }, [](const Settings& s) { return s.llm_model; }},
    Option{"llm", "api_key_file", "a file that holds the key of that endpoint and nothing else; never the key itself",
           [](Settings& s, std::string_view text) -> Result<void> { s.llm_api_key_file = text; return {}; }, [](const Settings& s) { return s.llm_api_key_file; }},
    Option{"llm", "api_key_env", "or the name of the environment variable that holds it",
           [](Settings& s, std::string_view text) -> Result<void> { s.llm_api_key_env = text; return {}; }, [](const Settings& s) { return s.llm_api_key_env; }},
    Option{"chains", "children_at_a_time", "child chains of one fan-out that run at a time, where it sets no max_concurrency",
           [](Settings& s, std::string_view text) { return read_number(s.children_at_a_time, text, 1); },
           [](const Settings& s) { return std::to_string(s.children_at_a_time); }},
    Option{"plan", "binder", "the name of the tool that is asked for what a plan's tools require and no result has, such as llm_text; empty: none",
           [](Settings& s, std::string_view text) -> Result<void> { s.plan_binder = text; return {}; }, [](const Settings& s) { return s.plan_binder; }},
    Option{"endpoints", "", "endpoints of other systems and what stands for them; a key may end in *, which is {name} in the value", nullptr,
           [](const Settings& s) { return shown(s.endpoints); }, &Settings::endpoints},
};

std::string name_of(const Row& row) { return row.key.empty() ? row.section : row.section + "." + row.key; }

/// The option that a row sets; a section that is one table takes rows of any key.
Result<const Option*> option_of(const Row& row) {
  const auto* const option = std::ranges::find_if(
      kOptions, [&](const Option& known) { return known.section == row.section && (known.key == row.key || (known.key.empty() && !row.key.empty())); });
  if (option != kOptions.end()) return option;
  std::vector<std::string> names;
  for (const auto& known : kOptions) names.push_back(known.name());
  return fail(Code::field_unknown, fmt::format("there is no option '{}'{}", name_of(row), did_you_mean(name_of(row), names)), row.where);
}

Result<void> add_entry(Table& table, const std::string& key, const std::string& value) {
  if (!table.emplace(key, value).second) return fail(Code::field_value, fmt::format("'{}' is there twice", key));
  return {};
}

Result<void> add_row(Settings& settings, const Option& option, const Row& row) {
  auto& table = settings.*option.table;
  if (!option.key.empty() || row.key.empty()) {
    if (!row.table) return fail(Code::field_type, "must be a table, 'name: value' each");
    table.clear();
    for (const auto& [key, value] : *row.table) {
      if (auto added = add_entry(table, key, value); !added) return added;
    }
    return {};
  }
  if (row.table || row.values.size() != 1) return fail(Code::field_type, fmt::format("'{}' must have one plain value", row.key));
  return add_entry(table, row.key, row.values.front());
}

Result<void> read_row(Settings& settings, const Option& option, const Row& row) {
  if (option.table != nullptr) return add_row(settings, option, row);
  if (row.table) return fail(Code::field_type, "must be a plain value or a list of them");
  return option.read(settings, joined(row.values));
}

Result<void> apply_row(Loaded& loaded, const Row& row, const std::string& file) {
  const auto option = option_of(row);
  if (!option) return fail(option.error());
  if (auto read = read_row(loaded.settings, **option, row); !read) {
    return fail(read.error().code, fmt::format("option '{}': {}", (*option)->name(), read.error().message), row.where);
  }
  loaded.origin[(*option)->name()] = file;
  return {};
}

/// A table is a JSON object in a variable.
Result<Row> row_of_variable(const Option& option, const std::string& value) {
  Row row{std::string{option.section}, std::string{option.key}, {value}, {}, {option.variable(), 0, 0}};
  if (option.table == nullptr) return row;
  row.table.emplace();
  const auto json = Json::parse(value, nullptr, /*allow_exceptions=*/false);
  const bool strings = json.is_object() && std::ranges::all_of(json, [](const Json& member) { return member.is_string(); });
  if (!strings) return fail(Code::field_type, fmt::format("option '{}' must be a JSON object whose values are strings", option.name()), row.where);
  for (const auto& [key, member] : json.items()) row.table->emplace_back(key, member.get<std::string>());
  return row;
}

/// The file to read, if there is one: the one named must be there, the usual places may be empty.
std::optional<std::string> config_file(const std::optional<std::string>& named, const Environment& environment) {
  if (named) return named;
  if (const auto variable = environment("CATENA_CONFIG")) return variable;
  std::vector<std::string> places;
  if (const auto home = environment("XDG_CONFIG_HOME")) {
    places.push_back(*home + "/catena/catena.yaml");
  } else if (const auto user = environment("HOME")) {
    places.push_back(*user + "/.config/catena/catena.yaml");
  }
  places.emplace_back("/etc/catena/catena.yaml");
  const auto found = std::ranges::find_if(places, [](const std::string& place) { return ::access(place.c_str(), F_OK) == 0; });
  return found == places.end() ? std::nullopt : std::optional{*found};
}

}  // namespace

std::string Option::variable() const {
  auto text = fmt::format("CATENA_{}{}{}", section, key.empty() ? "" : "__", key);
  std::ranges::transform(text, text.begin(), [](char c) { return static_cast<char>(std::toupper(static_cast<unsigned char>(c))); });
  return text;
}

std::span<const Option> options() { return kOptions; }

Environment process_environment() {
  return [](const std::string& variable) -> std::optional<std::string> {
    const char* value = std::getenv(variable.c_str());
    if (value == nullptr || *value == '\0') return std::nullopt;
    return std::string{value};
  };
}

Result<Loaded> load(const std::optional<std::string>& named, const Environment& environment) {
  Loaded loaded;
  if (const auto file = config_file(named, environment)) {
    const auto rows = read_yaml_file(*file);
    if (!rows) return fail(rows.error());
    for (const auto& row : *rows) {
      if (auto applied = apply_row(loaded, row, *file); !applied) return fail(applied.error());
    }
  }
  for (const auto& option : kOptions) {
    const auto value = environment(option.variable());
    if (!value) continue;
    const auto row = row_of_variable(option, *value);
    if (!row) return fail(row.error());
    if (auto applied = apply_row(loaded, *row, option.variable()); !applied) return fail(applied.error());
  }
  return loaded;
}

std::string show(const Loaded& loaded) {
  std::string text;
  std::string_view section;
  for (const auto& option : kOptions) {
    const bool whole = option.key.empty();
    if (option.section != section) text += fmt::format("{}{}", section.empty() ? "" : "\n", whole ? "" : fmt::format("{}:\n", option.section));
    section = option.section;
    const auto origin = loaded.origin.find(option.name());
    const auto value = option.show(loaded.settings);
    // a JSON object is a YAML one as well
    text += fmt::format("{0}# {1} ({2}; from: {3})\n{0}{4}: {5}\n", whole ? "" : "  ", option.meaning, option.variable(),
                        origin == loaded.origin.end() ? "default" : origin->second, whole ? option.section : option.key,
                        option.table != nullptr ? value : Json(value).dump());
  }
  return text;
}

}  // namespace catena::config
