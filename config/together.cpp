#include "config/together.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/time.hpp"

namespace catena::config {

Result<void> check_together(const Loaded& loaded) {
  const auto& settings = loaded.settings;
  const auto refuse = [&](const char* option, std::string message) {
    const auto origin = loaded.origin.find(option);
    return fail(Code::field_value, fmt::format("option '{}': {}", option, message), Place{origin == loaded.origin.end() ? "" : origin->second, 0, 0});
  };
  if (settings.cluster_lease_ms / 3 < settings.cluster_heartbeat_ms) {
    const auto* const said = loaded.origin.contains("cluster.lease") ? "cluster.lease" : "cluster.heartbeat";
    return refuse(said, fmt::format("a lease ({}) must last three heartbeats ({}) at least", to_string(Millis{settings.cluster_lease_ms}),
                                    to_string(Millis{settings.cluster_heartbeat_ms})));
  }
  const auto files = {!settings.cluster_ca_file.empty(), !settings.cluster_certificate_file.empty(), !settings.cluster_key_file.empty()};
  if (std::ranges::count(files, true) % 3 != 0) {
    const auto* const missing = settings.cluster_ca_file.empty()            ? "cluster.ca_file"
                                : settings.cluster_certificate_file.empty() ? "cluster.certificate_file"
                                                                            : "cluster.key_file";
    return refuse(missing, "is empty, but cluster.ca_file, cluster.certificate_file and cluster.key_file come together");
  }
  if (settings.http_certificate_file.empty() != settings.http_key_file.empty()) {
    return refuse(settings.http_key_file.empty() ? "http.key_file" : "http.certificate_file",
                  "is empty, but http.certificate_file and http.key_file come together");
  }
  if (!settings.http_client_ca_file.empty() && settings.http_certificate_file.empty())
    return refuse("http.client_ca_file", "clients show certificates over TLS only, which needs http.certificate_file");
  if (settings.http_client_ca_file.empty() == settings.http_certificate_roles.empty()) return {};
  return refuse(settings.http_client_ca_file.empty() ? "http.certificate_roles" : "http.client_ca_file",
                "http.client_ca_file and http.certificate_roles come together");
}

}  // namespace catena::config
