#include "cli/processes/webhook_ports.hpp"

#include <fmt/format.h>

#include <memory>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/chain_labels.hpp"
#include "base/clock.hpp"
#include "worker/http_client.hpp"
#include "worker/secrets.hpp"
#include "worker/stop.hpp"

namespace catena::cli {
namespace {

constexpr Millis kWebhookTimeout{15'000};
constexpr std::size_t kWebhookAnswerBytesMax = 4UL << 10U;
constexpr std::string_view kLabelWord = "label=";

/// What senders share.
struct Delivering {
  Delivering(worker::HttpOptions options, worker::Secrets named) : client{std::move(options)}, secrets{std::move(named)} {}
  worker::HttpClient client;
  worker::Secrets secrets;
  worker::StopSource stop;
};

/// What went wrong, without the path of the receiver: to many services it is the secret.
std::string without_path(std::string message, const std::string& url) {
  const auto shown = worker::shown_url(url);
  for (auto at = message.find(shown); at != std::string::npos; at = message.find(shown, at + 1)) message.replace(at, shown.size(), server_of(url));
  return message;
}

coordinator::WebhookAnswer post(Delivering& with, const coordinator::WebhookRequest& ask) {
  worker::HttpRequest request;
  request.url = ask.url;
  request.body = ask.body;
  request.timeout = kWebhookTimeout;
  request.body_bytes_max = kWebhookAnswerBytesMax;
  request.large_body = worker::LargeBody::cut;
  request.headers.push_back({"user-agent", "catena/" CATENA_VERSION});
  for (const auto& [name, value] : ask.headers) request.headers.push_back({name, value});
  const auto response = with.client.send(request, with.stop.token());
  if (!response) return {0, without_path(response.error().message, ask.url), {}};
  return {static_cast<std::uint32_t>(response->status), {}, worker::retry_after(*response, SystemClock{}.now())};
}

/// The label is taken out of the words.
Result<std::map<std::string, std::string>> label_in(std::string& words) {
  std::map<std::string, std::string> labels;
  std::istringstream all{std::exchange(words, {})};
  for (std::string word; all >> word;) {
    if (words.empty() || !word.starts_with(kLabelWord)) {
      words += (words.empty() ? "" : " ") + word;
      continue;
    }
    const auto label = word.substr(kLabelWord.size());
    const auto equals = label.find('=');
    if (equals == std::string::npos || equals + 1 == label.size())
      return fail(Code::field_value, fmt::format("'{}' is no label; write label=key=value", label));
    if (auto right = check_label_key(label.substr(0, equals)); !right) return fail(std::move(right).error());
    labels[label.substr(0, equals)] = label.substr(equals + 1);
  }
  return labels;
}

}  // namespace

Result<std::vector<coordinator::StandingWebhook>> standing_webhooks(const config::Table& table) {
  std::vector<coordinator::StandingWebhook> standing;
  const auto refuse = [](const std::string& name, const Error& error) {
    return fail(Code::field_value, fmt::format("option 'webhooks.chains': {}: {}", name, error.message));
  };
  for (const auto& [name, text] : table) {
    auto words = text;
    auto labels = label_in(words);
    if (!labels) return refuse(name, labels.error());
    auto webhook = webhook_from_words(words);
    if (!webhook) return refuse(name, webhook.error());
    standing.push_back({std::move(*webhook), std::move(*labels)});
  }
  return standing;
}

Result<coordinator::WebhookPorts> webhook_ports(const config::Settings& settings) {
  auto secrets = worker::Secrets::from(settings.webhooks_secrets);
  if (!secrets) return fail(secrets.error().code, "option 'webhooks.secrets': " + secrets.error().message);
  worker::HttpOptions options;
  options.ca_file = settings.http_ca_file;
  options.public_only = !settings.webhooks_allow_private;
  const auto with = std::make_shared<Delivering>(std::move(options), std::move(*secrets));
  coordinator::WebhookPorts ports;
  ports.post = [with](const coordinator::WebhookRequest& request) { return post(*with, request); };
  ports.secret = [with](const std::string& name) { return with->secrets.value(name); };
  ports.stop = [with] { with->stop.request_stop(); };
  return ports;
}

}  // namespace catena::cli
