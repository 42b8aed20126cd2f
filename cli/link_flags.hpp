#pragma once
// How a process connects to its cluster, as the command line says it: the same options for coordinators, workers and clients. They win over
// the configuration.
#include <string>

#include "base/result.hpp"
#include "config/settings.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace catena::cli {

struct LinkFlags {
  std::string token_file;
  std::string ca_file;
  std::string certificate_file;
  std::string key_file;
  bool insecure_link = false;

  /// " --token-file FILE …", as given: for the commands that messages name.
  [[nodiscard]] std::string words() const;
};

/// --token-file, --ca, --cert, --key and --insecure-link, in that group of the help. None of them goes with `excluded`, where there is one.
void add_link_flags(CLI::App& app, LinkFlags& flags, CLI::Option* excluded = nullptr, const std::string& group = "Links");
/// The flags over what was read. Error: usage, where the three TLS files are not all there.
[[nodiscard]] Result<void> lay_over(const LinkFlags& flags, config::Loaded& loaded);

}  // namespace catena::cli
