#pragma once
// Webhooks of a chain: addresses that are told what becomes of it, given with its submission. What a receiver may be told is named by the words of
// the feed.
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"

namespace catena {

struct Webhook {
  std::string url;
  std::vector<std::string> events = {};  // of kWebhookEvents; empty: those that end a chain
  std::string secret = {};               // the name of the secret that signs; empty: deliveries are not signed
  friend bool operator==(const Webhook&, const Webhook&) = default;
};
template <class V>
void fields(V& v, Webhook& x) {
  v("url", x.url), v("events", x.events), v("secret", x.secret);
}

inline constexpr std::array<std::string_view, 9> kWebhookEvents{"started",   "paused", "resumed",   "cancelling", "retried",
                                                                "succeeded", "failed", "cancelled", "quarantined"};
inline constexpr std::size_t kWebhooksMax = 5;
inline constexpr std::size_t kWebhookUrlBytesMax = 1024;

/// Whether its receiver wants to hear of this.
[[nodiscard]] bool wants(const Webhook& webhook, std::string_view event);

/// At most kWebhooksMax, each with an http or https address without credentials, known events, and a secret by its name alone. Error: field_value.
[[nodiscard]] Result<void> check_webhooks(const std::vector<Webhook>& webhooks);

/// "URL [events=failed,cancelled] [secret=SECRET:name]". Error: field_value.
[[nodiscard]] Result<Webhook> webhook_from_words(std::string_view words);
/// An object {url, events, secret}, or a list of such. Errors: field_type, field_missing, field_unknown, field_value.
[[nodiscard]] Result<std::vector<Webhook>> webhooks_from_json(const Json& json);
[[nodiscard]] Json to_json(const std::vector<Webhook>& webhooks);

/// Scheme, host and port: "https://example.org:8443".
[[nodiscard]] std::string server_of(std::string_view url);

}  // namespace catena
