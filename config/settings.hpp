#pragma once
// What an operator can set. file < environment < flag; unknown names are errors that say the nearest known one.
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace catena::config {

/// An option with names of its own: `name: value` each.
using Table = std::map<std::string, std::string>;

struct Settings {
  std::string data_dir;               // empty: $XDG_STATE_HOME/catena
  std::string durability = "sync";    // sync, async, none
  bool accept_rewound = false;        // go on with a data directory that lost acknowledged records
  std::vector<std::string> roots;     // folders with definitions and programs
  std::uint32_t slots = 0;            // 0: twice the processors, at least 4
  std::uint32_t checkpoint_every = 2048;
  std::uint32_t children_at_a_time = 32;
  Table capabilities;                 // of this worker: name to endpoint
  bool http_allow_link_local = false;
  std::string http_ca_file;           // empty: none
  std::string llm_base_url;           // of a chat endpoint as OpenAI has it; empty: none
  std::string llm_model;
  std::string llm_api_key_file;       // the key itself is no setting
  std::string llm_api_key_env;
  std::string plan_binder;            // name of the tool that fills in what plans leave open; empty: none
  Table endpoints;                    // forms of other systems to endpoints
};

/// One option. `read` changes the settings or says what it expects; a table has `table` instead.
struct Option {
  std::string_view section;
  std::string_view key;  // empty: the whole section is one table
  std::string_view meaning;
  Result<void> (*read)(Settings& settings, std::string_view text);
  std::string (*show)(const Settings& settings);
  Table Settings::*table = nullptr;
  [[nodiscard]] std::string name() const { return std::string{section} + (key.empty() ? "" : ".") + std::string{key}; }
  /// CATENA_SECTION__KEY; a table is a JSON object there.
  [[nodiscard]] std::string variable() const;
};
[[nodiscard]] std::span<const Option> options();

/// Where a setting comes from, by option name: "default", the file, the variable.
struct Loaded {
  Settings settings;
  std::map<std::string, std::string> origin;
};

/// Reads variables of the process's environment; a test hands in its own.
using Environment = std::function<std::optional<std::string>(const std::string& variable)>;
[[nodiscard]] Environment process_environment();

/// The file named, or the first there is of CATENA_CONFIG, $XDG_CONFIG_HOME/catena/catena.yaml, /etc/catena/catena.yaml; then the
/// environment. Errors: file_unreadable, yaml_syntax, field_unknown, field_type, field_value, each with file, line and column.
[[nodiscard]] Result<Loaded> load(const std::optional<std::string>& file, const Environment& environment);

/// A file with every option, its meaning and its value: what `catena config` prints, and reads back.
[[nodiscard]] std::string show(const Loaded& loaded);

}  // namespace catena::config
