#pragma once
// Who may call by a token of an OpenID Connect issuer: what its claims open, and the issuer's keys as they are known now.
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "api/grants.hpp"
#include "api/jwt.hpp"

namespace catena::api {

struct OidcRules {
  JwtRules jwt;
  std::string claim;  // that roles follow from; of one within others with dots: realm_access.roles
  RolesByName roles;  // by its values
};
/// What the values of the claim open, none twice. A claim is a list, or one value; `scope` and `scp` are words with blanks between them.
[[nodiscard]] std::vector<Grant> grants_of(const Json& claims, const OidcRules& rules);

/// For two tokens with unknown keys within this time the issuer is asked once, whatever strangers show.
inline constexpr Millis kKeysAskedApart{30'000};
/// An issuer that cannot be reached for this long is believed no more.
inline constexpr Millis kKeysKept{86'400'000};

/// The issuer's keys, between whoever fetches them and whoever needs them. Times come from one clock.
class KeyRing {
 public:
  /// Null: they have not come yet, or are too old.
  [[nodiscard]] std::shared_ptr<const KeySet> keys(UnixMillis now) const;
  /// Somebody shows a token whose key is not among them. True: they are being fetched, and may have it soon.
  [[nodiscard]] bool ask_for_others(UnixMillis now);

  // ---- for whoever fetches them
  void publish(KeySet keys, UnixMillis now);
  /// They did not come. Those that are known stay.
  void note_failure(UnixMillis now);
  /// Returns when others are asked for, when that much time has passed, or when it is to end: false then.
  [[nodiscard]] bool wait(Millis most);
  void end();

 private:
  mutable std::mutex changing_;
  std::condition_variable asked_;
  std::shared_ptr<const KeySet> keys_;
  UnixMillis came_at_ = 0;
  UnixMillis tried_at_ = 0;
  bool wanted_ = false;
  bool ending_ = false;
};

/// An issuer whose tokens are accepted.
struct Issuer {
  OidcRules rules;
  std::shared_ptr<KeyRing> ring;
};

}  // namespace catena::api
