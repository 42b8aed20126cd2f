#include "cli/link_flags.hpp"

#include <CLI/CLI.hpp>

namespace catena::cli {

std::string LinkFlags::words() const {
  std::string text;
  const auto add = [&](const char* option, const std::string& file) {
    if (!file.empty()) text += std::string{" "} + option + " " + file;
  };
  add("--token-file", token_file);
  add("--ca", ca_file);
  add("--cert", certificate_file);
  add("--key", key_file);
  return insecure_link ? text + " --insecure-link" : text;
}

void add_link_flags(CLI::App& app, LinkFlags& flags, CLI::Option* excluded, const std::string& group) {
  const auto add = [&](const char* name, std::string& file, const char* meaning) {
    auto* option = app.add_option(name, file, meaning)->option_text("FILE")->group(group);
    if (excluded != nullptr) option->excludes(excluded);
  };
  add("--token-file", flags.token_file, "a file that holds the cluster's token");
  add("--ca", flags.ca_file, "the certificate of the cluster's authority (PEM)");
  add("--cert", flags.certificate_file, "the certificate of this node (PEM)");
  add("--key", flags.key_file, "the private key of that certificate (PEM)");
  auto* insecure = app.add_flag("--insecure-link", flags.insecure_link,
                                "allow links beyond loopback without TLS: whoever sees the network sees and changes everything");
  insecure->group(group);
  if (excluded != nullptr) insecure->excludes(excluded);
}

Result<void> lay_over(const LinkFlags& flags, config::Loaded& loaded) {
  auto& settings = loaded.settings;
  const auto set = [&](const std::string& flag, std::string& setting, const char* name) {
    if (flag.empty()) return;
    setting = flag;
    loaded.origin[name] = "the command line";
  };
  set(flags.token_file, settings.cluster_token_file, "cluster.token_file");
  set(flags.ca_file, settings.cluster_ca_file, "cluster.ca_file");
  set(flags.certificate_file, settings.cluster_certificate_file, "cluster.certificate_file");
  set(flags.key_file, settings.cluster_key_file, "cluster.key_file");
  settings.cluster_insecure_link = settings.cluster_insecure_link || flags.insecure_link;
  if (settings.cluster_ca_file.empty() != settings.cluster_certificate_file.empty() ||
      settings.cluster_ca_file.empty() != settings.cluster_key_file.empty()) {
    return fail(Code::usage, "--ca, --cert and --key (cluster.ca_file, cluster.certificate_file, cluster.key_file) come together");
  }
  return {};
}

}  // namespace catena::cli
