#include "cli/environment.hpp"

#include <unistd.h>

#include <cstdlib>

namespace catena::cli {

std::string environment(const char* variable) {
  const auto* value = std::getenv(variable);
  return value == nullptr ? std::string{} : std::string{value};
}

std::vector<std::string> environment_names() {
  std::vector<std::string> names;
  for (char** entry = ::environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text{*entry};
    names.emplace_back(text.substr(0, text.find('=')));
  }
  return names;
}

std::vector<std::string> split_path_list(std::string_view list) {
  std::vector<std::string> parts;
  while (!list.empty()) {
    const auto end = list.find(':');
    if (end != 0) parts.emplace_back(list.substr(0, end));
    list.remove_prefix(end == std::string_view::npos ? list.size() : end + 1);
  }
  return parts;
}

Result<config::Loaded> configuration() { return config::load(std::nullopt, config::process_environment()); }

Result<std::string> data_directory(const std::string& chosen) {
  if (!chosen.empty()) return chosen;
  if (auto set = environment("CATENA_DATA_DIR"); !set.empty()) return set;
  auto configured = configuration();
  if (!configured) return fail(configured.error());
  if (!configured->settings.data_dir.empty()) return configured->settings.data_dir;
  // The specification of XDG_STATE_HOME says that a relative path is to be ignored.
  if (auto state = environment("XDG_STATE_HOME"); state.starts_with('/')) return state + "/catena";
  if (auto home = environment("HOME"); !home.empty()) return home + "/.local/state/catena";
  return fail(Code::usage, "there is no place for the chains: HOME is not set; give one with --data-dir DIR or CATENA_DATA_DIR");
}

}  // namespace catena::cli
