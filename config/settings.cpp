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
    Option{"chains", "children_at_a_time", "child chains of one fan-out that run at a time, where it sets no max_concurrency",
           [](Settings& s, std::string_view text) { return read_number(s.children_at_a_time, text, 1); },
           [](const Settings& s) { return std::to_string(s.children_at_a_time); }},
};

Result<void> apply_row(Loaded& loaded, const Row& row, const std::string& file) {
  const auto option = std::ranges::find_if(kOptions, [&](const Option& known) { return known.name() == row.name; });
  if (option == kOptions.end()) {
    std::vector<std::string> names;
    for (const auto& known : kOptions) names.push_back(known.name());
    return fail(Code::field_unknown, fmt::format("there is no option '{}'{}", row.name, did_you_mean(row.name, names)), row.where);
  }
  if (auto read = option->read(loaded.settings, joined(row.values)); !read) {
    return fail(read.error().code, fmt::format("option '{}': {}", row.name, read.error().message), row.where);
  }
  loaded.origin[row.name] = file;
  return {};
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
  auto text = fmt::format("CATENA_{}__{}", section, key);
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
    if (auto applied = apply_row(loaded, {option.name(), {*value}, {option.variable(), 0, 0}}, option.variable()); !applied) return fail(applied.error());
  }
  return loaded;
}

std::string show(const Loaded& loaded) {
  std::string text;
  std::string_view section;
  for (const auto& option : kOptions) {
    if (option.section != section) text += fmt::format("{}{}:\n", section.empty() ? "" : "\n", option.section);
    section = option.section;
    const auto origin = loaded.origin.find(option.name());
    text += fmt::format("  # {} ({}; from: {})\n  {}: {}\n", option.meaning, option.variable(), origin == loaded.origin.end() ? "default" : origin->second,
                        option.key, Json(option.show(loaded.settings)).dump());
  }
  return text;
}

}  // namespace catena::config
