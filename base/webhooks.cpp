#include "base/webhooks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/characters.hpp"
#include "base/suggest.hpp"

namespace catena {
namespace {

constexpr std::string_view kSecretPrefix = "SECRET:";
constexpr std::size_t kSecretNameBytesMax = 128;
constexpr std::size_t kWebhookShownMax = 80;
/// What ends a chain, or sets it aside.
constexpr std::array<std::string_view, 4> kEndingEvents{"succeeded", "failed", "cancelled", "quarantined"};

template <class Texts>
bool has_text(const Texts& texts, std::string_view text) {
  return std::ranges::find(texts, text) != texts.end();
}

std::string webhook_shown(std::string_view text) { return dump_lossy(Json(std::string{text.substr(0, kWebhookShownMax)})); }

Result<void> check_webhook_url(std::string_view url) {
  const auto scheme = url.starts_with("https://") ? 8U : url.starts_with("http://") ? 7U : 0U;
  const auto authority = url.substr(scheme, url.find_first_of("/?#", scheme) - scheme);
  const bool clean = std::ranges::all_of(url, [](char c) { return c > 0x20 && c < 0x7f; });
  if (scheme == 0 || authority.empty() || !clean || url.size() > kWebhookUrlBytesMax) {
    return fail(Code::field_value, fmt::format("{} cannot be the address of a webhook; write http://host[:port]/path or https://…, at most {} bytes",
                                               webhook_shown(url), kWebhookUrlBytesMax));
  }
  if (authority.find('@') != std::string_view::npos)
    return fail(Code::field_value, "the address of a webhook holds credentials, which would stand in records; name a 'secret' in place of them");
  return {};
}

Result<std::string> secret_name(std::string_view text) {
  const auto name = text.starts_with(kSecretPrefix) ? text.substr(kSecretPrefix.size()) : std::string_view{};
  if (name.empty() || name.size() > kSecretNameBytesMax || !std::ranges::all_of(name, in_dotted_name))
    return fail(Code::field_value, "the secret of a webhook is given by its name, as SECRET:name, and never itself");
  return std::string{name};
}

Result<Webhook> webhook_from_object(const Json& json) {
  if (!json.is_object()) return fail(Code::field_type, "a webhook is an object with 'url', 'events' and 'secret'");
  const std::vector<std::string> known{"url", "events", "secret"};
  Webhook webhook;
  for (const auto& [member, value] : json.items()) {
    if (!has_text(known, member)) return fail(Code::field_unknown, fmt::format("a webhook has no '{}'{}", member, did_you_mean(member, known)));
    if (member == "events") {
      if (!value.is_array() || !std::ranges::all_of(value, [](const Json& event) { return event.is_string(); }))
        return fail(Code::field_type, "'events' of a webhook must be a list of texts");
      webhook.events = value.get<std::vector<std::string>>();
      continue;
    }
    if (!value.is_string()) return fail(Code::field_type, fmt::format("'{}' of a webhook must be a text", member));
    if (member == "url") {
      webhook.url = value.get<std::string>();
    } else {
      auto name = secret_name(value.get_ref<const std::string&>());
      if (!name) return fail(std::move(name).error());
      webhook.secret = std::move(*name);
    }
  }
  if (webhook.url.empty()) return fail(Code::field_missing, "a webhook needs a 'url'");
  return webhook;
}

std::vector<std::string> split_at(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const auto end = std::min(text.find(separator), text.size());
    if (end > 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

}  // namespace

bool wants(const Webhook& webhook, std::string_view event) {
  return webhook.events.empty() ? has_text(kEndingEvents, event) : has_text(webhook.events, event);
}

Result<void> check_webhooks(const std::vector<Webhook>& webhooks) {
  if (webhooks.size() > kWebhooksMax)
    return fail(Code::field_value, fmt::format("a chain has at most {} webhooks, and {} were given; leave some out", kWebhooksMax, webhooks.size()));
  const std::vector<std::string> events{kWebhookEvents.begin(), kWebhookEvents.end()};
  for (const auto& webhook : webhooks) {
    if (auto right = check_webhook_url(webhook.url); !right) return right;
    if (webhook.events.size() > kWebhookEvents.size()) return fail(Code::field_value, "a webhook names an event twice");
    for (const auto& event : webhook.events) {
      if (!has_text(kWebhookEvents, event)) {
        return fail(Code::field_value, fmt::format("no event of a webhook is called {}{}; there are {}", webhook_shown(event),
                                                   did_you_mean(event, events), fmt::join(events, ", ")));
      }
    }
    if (!webhook.secret.empty()) {
      if (auto name = secret_name(std::string{kSecretPrefix} + webhook.secret); !name) return fail(std::move(name).error());
    }
  }
  return {};
}

Result<Webhook> webhook_from_words(std::string_view words) {
  const auto parts = split_at(words, ' ');
  Webhook webhook;
  for (std::size_t at = 0; at < parts.size(); ++at) {
    const std::string_view part{parts[at]};
    if (at == 0) {
      webhook.url = part;
    } else if (part.starts_with("events=")) {
      webhook.events = split_at(part.substr(7), ',');
    } else if (part.starts_with("secret=")) {
      auto name = secret_name(part.substr(7));
      if (!name) return fail(std::move(name).error());
      webhook.secret = std::move(*name);
    } else {
      return fail(Code::field_value,
                  fmt::format("{} says nothing of a webhook; write URL [events=failed,cancelled] [secret=SECRET:name]", webhook_shown(part)));
    }
  }
  if (auto right = check_webhooks({webhook}); !right) return fail(std::move(right).error());
  return webhook;
}

Result<std::vector<Webhook>> webhooks_from_json(const Json& json) {
  std::vector<Webhook> webhooks;
  for (const auto& one : json.is_array() ? json : Json::array({json})) {
    auto webhook = webhook_from_object(one);
    if (!webhook) return fail(std::move(webhook).error());
    webhooks.push_back(std::move(*webhook));
  }
  if (auto right = check_webhooks(webhooks); !right) return fail(std::move(right).error());
  return webhooks;
}

Json to_json(const std::vector<Webhook>& webhooks) {
  auto json = Json::array();
  for (const auto& webhook : webhooks) {
    Json one{{"url", webhook.url}};
    if (!webhook.events.empty()) one["events"] = webhook.events;
    if (!webhook.secret.empty()) one["secret"] = std::string{kSecretPrefix} + webhook.secret;
    json.push_back(std::move(one));
  }
  return json;
}

std::string server_of(std::string_view url) {
  const auto scheme = url.find("://");
  if (scheme == std::string_view::npos) return std::string{url};
  std::string server{url.substr(0, url.find_first_of("/?#", scheme + 3))};
  for (auto& c : server) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  std::string_view shown{server};
  const std::string_view standard = shown.starts_with("https://") ? ":443" : ":80";
  if (shown.ends_with(standard)) shown.remove_suffix(standard.size());
  while (shown.ends_with('.')) shown.remove_suffix(1);
  return std::string{shown};
}

}  // namespace catena
