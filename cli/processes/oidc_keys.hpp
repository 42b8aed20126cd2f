#pragma once
// Fetches the public keys of an issuer of tokens, on a thread of its own: no request waits for it.
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "api/oidc.hpp"
#include "base/clock.hpp"
#include "base/result.hpp"
#include "config/settings.hpp"

namespace catena::cli {

/// What the configuration says; none: no issuer is named. Error: field_value, of oidc.roles.
[[nodiscard]] Result<std::optional<api::Issuer>> configured_issuer(const config::Settings& settings);

class OidcKeys {
 public:
  /// `clock` is that of the interface. `log` hears when keys cannot be fetched and when they can again. Errors: file_unreadable and those of
  /// api::read_key_set, of oidc.jwks_file; an issuer that cannot be reached is asked again later.
  [[nodiscard]] static Result<std::unique_ptr<OidcKeys>> start(const config::Settings& settings, std::shared_ptr<api::KeyRing> ring,
                                                               const Clock& clock, std::function<void(const std::string&)> log);
  ~OidcKeys();
  OidcKeys(const OidcKeys&) = delete;
  OidcKeys& operator=(const OidcKeys&) = delete;

 private:
  class Thread;
  explicit OidcKeys(std::unique_ptr<Thread> thread);
  std::unique_ptr<Thread> thread_;
};

}  // namespace catena::cli
