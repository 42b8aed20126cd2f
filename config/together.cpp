#include "config/together.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.hpp"

namespace catena::config {
namespace {

struct Wrong {
  const char* option;
  std::string message;
};

std::string_view without_scheme(std::string_view url, std::string_view scheme) {
  return url.starts_with(scheme) ? url.substr(scheme.size()) : std::string_view{};
}

/// Keys come over https. Without it, whoever sees the network would make tokens: only this machine's own addresses may do without.
bool is_trusted_url(std::string_view url) {
  if (const auto rest = without_scheme(url, "https://"); !rest.empty()) return rest.front() != '/';
  const auto rest = without_scheme(url, "http://");
  const auto authority = rest.substr(0, rest.find('/'));
  const auto host = authority.substr(0, authority.find(':'));
  return host == "127.0.0.1" || host == "localhost" || authority.starts_with("[::1]");
}

/// An option of oidc.* that does not go with the others.
std::optional<Wrong> wrong_with_issuer(const Settings& settings) {
  constexpr std::size_t kIssuerBytesMax = 512;
  const bool any =
      !settings.oidc_audience.empty() || !settings.oidc_jwks_file.empty() || !settings.oidc_jwks_url.empty() || !settings.oidc_roles.empty();
  if (settings.oidc_issuer.empty()) return any ? std::optional<Wrong>{{"oidc.issuer", "is empty, and other options of oidc need it"}} : std::nullopt;
  if (settings.oidc_issuer.size() > kIssuerBytesMax) return Wrong{"oidc.issuer", "has more than 512 bytes"};
  if (settings.oidc_audience.empty())
    return Wrong{"oidc.audience", "is empty: without it, tokens that the issuer made for other services would open this one"};
  if (settings.oidc_roles.empty()) return Wrong{"oidc.roles", "is empty: nobody would have a role; write such as {ops: operator, '*': viewer}"};
  if (settings.oidc_claim.empty()) return Wrong{"oidc.claim", "is empty; the usual one is groups"};
  if (!settings.oidc_jwks_file.empty() && !settings.oidc_jwks_url.empty())
    return Wrong{"oidc.jwks_url", "oidc.jwks_file and oidc.jwks_url exclude each other"};
  constexpr auto* const kOverTls = "must be an https:// URL; http:// is for addresses of this machine (127.0.0.1, localhost) only";
  if (!settings.oidc_jwks_url.empty() && !is_trusted_url(settings.oidc_jwks_url)) return Wrong{"oidc.jwks_url", kOverTls};
  if (settings.oidc_jwks_file.empty() && settings.oidc_jwks_url.empty() && !is_trusted_url(settings.oidc_issuer))
    return Wrong{"oidc.issuer", std::string{"its keys are looked for there, so it "} + kOverTls};
  return std::nullopt;
}

}  // namespace

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
  if (const auto wrong = wrong_with_issuer(settings)) return refuse(wrong->option, wrong->message);
  if (settings.http_client_ca_file.empty() == settings.http_certificate_roles.empty()) return {};
  return refuse(settings.http_client_ca_file.empty() ? "http.certificate_roles" : "http.client_ca_file",
                "http.client_ca_file and http.certificate_roles come together");
}

}  // namespace catena::config
