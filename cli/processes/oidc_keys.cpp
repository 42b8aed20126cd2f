#include "cli/processes/oidc_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <string_view>
#include <thread>
#include <utility>

#include "lang/document/json_text.hpp"
#include "worker/http_client.hpp"
#include "worker/stop.hpp"

namespace catena::cli {
namespace {

constexpr Millis kFileReadEvery{10'000};
constexpr Millis kFetchedEvery{900'000};
constexpr Millis kAfterFailureLeast{2'000};
constexpr Millis kAfterFailureMost{300'000};
constexpr Millis kFetchMax{10'000};
constexpr std::uint32_t kSameHostRedirects = 3;
constexpr int kFound = 200;

Result<std::string> read_keys_file(const std::string& path) {
  std::ifstream file{path, std::ios::binary};
  std::string text(api::kKeySetBytesMax + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (file.bad() || !file.is_open()) return fail(Code::file_unreadable, fmt::format("option 'oidc.jwks_file': '{}' cannot be read", path));
  return text;
}

/// scheme://host:port
std::string_view server_part(std::string_view url) {
  const auto host = url.find("://");
  if (host == std::string_view::npos) return {};
  return url.substr(0, url.find('/', host + 3));
}

}  // namespace

class OidcKeys::Thread {
 public:
  Thread(const config::Settings& settings, std::shared_ptr<api::KeyRing> ring, const Clock& clock, std::function<void(const std::string&)> log)
      : issuer_{settings.oidc_issuer},
        file_{settings.oidc_jwks_file},
        url_{settings.oidc_jwks_url},
        ring_{std::move(ring)},
        clock_{clock},
        log_{std::move(log)},
        named_by_operator_{{.allow_link_local = false, .public_only = false, .ca_file = settings.http_ca_file}},
        named_by_issuer_{{.allow_link_local = false, .public_only = true, .ca_file = settings.http_ca_file}} {}
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;
  ~Thread() {
    stop_.request_stop();
    ring_->end();
    if (thread_.joinable()) thread_.join();
  }

  [[nodiscard]] Result<void> begin() {
    if (!file_.empty()) {
      if (auto came = take_keys(); !came) return came;
    }
    thread_ = std::thread{[this] { run(); }};
    return {};
  }

 private:
  void run() {
    auto pause = file_.empty() ? Millis{0} : kFileReadEvery;
    auto after_failure = kAfterFailureLeast;
    while (ring_->wait(pause)) {
      const auto came = take_keys();
      if (stop_.stop_requested()) return;
      pause = file_.empty() ? kFetchedEvery : kFileReadEvery;
      if (came) {
        after_failure = kAfterFailureLeast;
        if (std::exchange(fails_, false)) log_("oidc: the keys of " + issuer_ + " are there again");
        continue;
      }
      ring_->note_failure(clock_.now());
      pause = std::min(pause, after_failure);
      after_failure = std::min(2 * after_failure, kAfterFailureMost);
      if (!std::exchange(fails_, true))
        log_("oidc: the keys of " + issuer_ + " cannot be read; those that are known stay for a day: " + came.error().message);
    }
  }

  [[nodiscard]] Result<void> take_keys() {
    auto text = file_.empty() ? fetch_keys() : read_keys_file(file_);
    if (!text) return fail(std::move(text).error());
    auto keys = api::read_key_set(*text);
    if (!keys) {
      auto error = std::move(keys).error();
      error.message = (file_.empty() ? "the issuer's keys: " : "option 'oidc.jwks_file': ") + error.message;
      return fail(std::move(error));
    }
    if (keys->passed_over != passed_over_) {
      passed_over_ = keys->passed_over;
      for (const auto& why : passed_over_) log_("oidc: of the keys of " + issuer_ + " one is not used: " + why);
    }
    ring_->publish(std::move(*keys), clock_.now());
    return {};
  }

  /// Hosts that the operator names may be of a private network. What the issuer's document names besides is the word of another: it has to be of the
  /// public internet.
  [[nodiscard]] Result<std::string> fetch_keys() {
    if (!url_.empty()) return fetch(named_by_operator_, url_);
    auto base = issuer_;
    while (base.ends_with('/')) base.pop_back();
    const auto found = fetch(named_by_operator_, base + "/.well-known/openid-configuration");
    if (!found) return fail(found.error());
    const auto checked = lang::parse_json_text(*found);
    if (!checked) return fail(checked.error().code, "the issuer's discovery document: " + checked.error().message);
    const lang::JsonView document{*checked};
    const auto member = [&](std::string_view name) {
      const auto value = document.kind() == lang::JsonKind::object ? document.find(name) : std::nullopt;
      return value ? value->string() : std::string{};
    };
    if (member("issuer") != issuer_)
      return fail(Code::field_value,
                  fmt::format("the discovery document is that of the issuer '{}', not of '{}' (oidc.issuer)", member("issuer"), issuer_));
    const auto at = member("jwks_uri");
    if (server_part(at) == server_part(issuer_)) return fetch(named_by_operator_, at);
    if (!at.starts_with("https://"))
      return fail(Code::field_value, fmt::format("the discovery document says keys are at '{}', which is not https", at));
    return fetch(named_by_issuer_, at);
  }

  [[nodiscard]] Result<std::string> fetch(worker::HttpClient& client, const std::string& url) {
    worker::HttpRequest request;
    request.method = "GET";
    request.url = url;
    request.headers = {{"accept", "application/json"}, {"user-agent", "catena/" CATENA_VERSION}};
    request.timeout = kFetchMax;
    request.body_bytes_max = api::kKeySetBytesMax;
    request.redirects_max = kSameHostRedirects;
    auto answer = client.send(request, stop_.token());
    if (!answer) return fail(std::move(answer).error());
    if (answer->status != kFound) return fail(Code::connection_failed, fmt::format("{} answers {}", worker::shown_url(url), answer->status));
    return std::move(answer->body);
  }

  const std::string issuer_;
  const std::string file_;
  const std::string url_;
  const std::shared_ptr<api::KeyRing> ring_;
  const Clock& clock_;
  const std::function<void(const std::string&)> log_;
  worker::HttpClient named_by_operator_;
  worker::HttpClient named_by_issuer_;
  worker::StopSource stop_;
  std::vector<std::string> passed_over_;  // as it was told last
  bool fails_ = false;
  std::thread thread_;
};

Result<std::optional<api::Issuer>> configured_issuer(const config::Settings& settings) {
  if (settings.oidc_issuer.empty()) return std::nullopt;
  auto roles = api::roles_by_name(settings.oidc_roles, "oidc.roles");
  if (!roles) return fail(std::move(roles).error());
  api::OidcRules rules{{settings.oidc_issuer, settings.oidc_audience, Millis{settings.oidc_clock_skew_ms}}, settings.oidc_claim, std::move(*roles)};
  return api::Issuer{std::move(rules), std::make_shared<api::KeyRing>()};
}

Result<std::unique_ptr<OidcKeys>> OidcKeys::start(const config::Settings& settings, std::shared_ptr<api::KeyRing> ring, const Clock& clock,
                                                  std::function<void(const std::string&)> log) {
  auto thread = std::make_unique<Thread>(settings, std::move(ring), clock, std::move(log));
  if (auto begun = thread->begin(); !begun) return fail(std::move(begun).error());
  return std::unique_ptr<OidcKeys>{new OidcKeys{std::move(thread)}};
}

OidcKeys::OidcKeys(std::unique_ptr<Thread> thread) : thread_{std::move(thread)} {}

OidcKeys::~OidcKeys() = default;

}  // namespace catena::cli
