#include "api/oidc.hpp"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

namespace catena::api {
namespace {

/// The claim of that name, or else that on the way of its parts. Null: there is none.
const Json* claim_of(const Json& claims, std::string_view name) {
  if (const auto found = claims.find(std::string{name}); found != claims.end()) return &*found;
  const auto* at = &claims;
  while (at->is_object()) {
    const auto dot = name.find('.');
    const auto found = at->find(std::string{name.substr(0, dot)});
    if (found == at->end()) return nullptr;
    if (dot == std::string_view::npos) return &*found;
    at = &*found;
    name.remove_prefix(dot + 1);
  }
  return nullptr;
}

std::vector<std::string> scope_words(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const auto end = std::min(text.find(' '), text.size());
    if (end > 0) words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

std::vector<std::string> values_of_claim(const Json& claim, std::string_view name) {
  if (claim.is_string()) {
    const auto& text = claim.get_ref<const std::string&>();
    return name == "scope" || name == "scp" ? scope_words(text) : std::vector{text};
  }
  std::vector<std::string> values;
  if (!claim.is_array()) return values;
  for (const auto& value : claim) {
    if (value.is_string()) values.push_back(value.get<std::string>());
  }
  return values;
}

}  // namespace

std::vector<Grant> grants_of(const Json& claims, const OidcRules& rules) {
  std::vector<Grant> grants;
  const auto* const claim = claim_of(claims, rules.claim);
  if (claim == nullptr) return grants;
  for (const auto& value : values_of_claim(*claim, rules.claim)) {
    auto grant = role_of(rules.roles, value);
    if (grant && std::ranges::find(grants, *grant) == grants.end()) grants.push_back(std::move(*grant));
  }
  return grants;
}

std::shared_ptr<const KeySet> KeyRing::keys(UnixMillis now) const {
  const std::lock_guard lock{changing_};
  return keys_ && now - came_at_ < kKeysKept.count() ? keys_ : nullptr;
}

bool KeyRing::ask_for_others(UnixMillis now) {
  const std::lock_guard lock{changing_};
  if (wanted_) return true;
  if (now - tried_at_ < kKeysAskedApart.count()) return false;
  wanted_ = true;
  asked_.notify_all();
  return true;
}

void KeyRing::publish(KeySet keys, UnixMillis now) {
  auto shared = std::make_shared<const KeySet>(std::move(keys));
  const std::lock_guard lock{changing_};
  keys_ = std::move(shared);
  came_at_ = tried_at_ = now;
  wanted_ = false;
}

void KeyRing::note_failure(UnixMillis now) {
  const std::lock_guard lock{changing_};
  tried_at_ = now;
  wanted_ = false;
}

bool KeyRing::wait(Millis most) {
  std::unique_lock lock{changing_};
  asked_.wait_for(lock, std::chrono::milliseconds{most}, [this] { return wanted_ || ending_; });
  return !ending_;
}

void KeyRing::end() {
  const std::lock_guard lock{changing_};
  ending_ = true;
  asked_.notify_all();
}

}  // namespace catena::api
