#include "client/http_posts.hpp"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <list>
#include <string_view>
#include <utility>

#include "base/json.hpp"

namespace catena::client {
namespace {

constexpr std::size_t kAnswerBytesMax = 192UL << 20U;
/// Longer than a coordinator takes for any call, and than it waits for a chain.
constexpr long kSilenceMaxS = 90;
constexpr milliseconds kAgainMost{30'000};

struct UrlDeleter {
  void operator()(CURLU* url) const { ::curl_url_cleanup(url); }
};
using Url = std::unique_ptr<CURLU, UrlDeleter>;

std::string part_of(const Url& url, CURLUPart which) {
  char* text = nullptr;
  if (::curl_url_get(url.get(), which, &text, 0) != CURLUE_OK || text == nullptr) return {};
  std::string copied{text};
  ::curl_free(text);
  return copied;
}

bool is_this_machine(const std::string& host) {
  in_addr address{};
  if (host == "localhost" || host == "[::1]") return true;
  return ::inet_pton(AF_INET, host.c_str(), &address) == 1 && host.starts_with("127.");
}

bool is_certificate_error(CURLcode code) {
  return code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE || code == CURLE_SSL_ISSUER_ERROR ||
         code == CURLE_SSL_CERTPROBLEM;
}

Error failure_of(CURLcode code, std::string words) {
  auto error = make_error(Code::connection_failed, words.empty() ? std::string{::curl_easy_strerror(code)} : std::move(words));
  if (is_certificate_error(code)) {
    error.details = Json{{"refused", "http"}};
    error.notes.emplace_back(
        "a profile names the authority to trust with --ca-file, and a certificate of this client with --certificate-file and --key-file");
  } else {
    error.details = Json{{"refused", "unreachable"}};
    error.notes.emplace_back(
        "is a coordinator running there with the HTTP interface (`catena coordinator --http ADDR:PORT`), and is the address right?");
  }
  return error;
}

}  // namespace

/// One request on its way: what the callbacks fill in.
struct HttpPosts::Exchange {
  std::uint64_t post = 0;
  std::string sent = {};
  std::string_view unsent = {};
  std::string received = {};
  bool too_large = false;
  CURL* easy = nullptr;
  curl_slist* headers = nullptr;
  std::array<char, CURL_ERROR_SIZE> words = {};

  Exchange(std::uint64_t number, std::string body) : post{number}, sent{std::move(body)}, unsent{sent}, easy{::curl_easy_init()} {}
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  ~Exchange() {
    if (easy != nullptr) ::curl_easy_cleanup(easy);
    ::curl_slist_free_all(headers);
  }

  static std::size_t on_send(char* buffer, std::size_t, std::size_t room, void* user) {
    auto& exchange = *static_cast<Exchange*>(user);
    const auto taken = exchange.unsent.copy(buffer, room);
    exchange.unsent.remove_prefix(taken);
    return taken;
  }

  static std::size_t on_body(char* bytes, std::size_t, std::size_t count, void* user) {
    auto& exchange = *static_cast<Exchange*>(user);
    if (exchange.received.size() + count > kAnswerBytesMax) {
      exchange.too_large = true;
      return 0;
    }
    exchange.received.append(bytes, count);
    return count;
  }
};

class HttpPosts::Impl {
 public:
  explicit Impl(HttpPostsOptions options) : options_{std::move(options)}, multi_{::curl_multi_init()} {}
  ~Impl() {
    forget();
    if (multi_ != nullptr) ::curl_multi_cleanup(multi_);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  bool begin(std::uint64_t post, std::string body) {
    if (multi_ == nullptr) return false;
    auto exchange = std::make_unique<Exchange>(post, std::move(body));
    if (exchange->easy == nullptr) return false;
    prepare(*exchange);
    if (::curl_multi_add_handle(multi_, exchange->easy) != CURLM_OK) return false;
    exchanges_.push_back(std::move(exchange));
    return true;
  }

  bool drive(milliseconds span) {
    int running = 0;
    if (multi_ == nullptr || ::curl_multi_perform(multi_, &running) != CURLM_OK) return false;
    if (static_cast<std::size_t>(running) < exchanges_.size() || span.count() <= 0) return true;
    if (::curl_multi_poll(multi_, nullptr, 0, static_cast<int>(span.count()), nullptr) != CURLM_OK) return false;
    return ::curl_multi_perform(multi_, &running) == CURLM_OK;
  }

  std::optional<Ended> next_ended() {
    int left = 0;
    while (const auto* message = multi_ == nullptr ? nullptr : ::curl_multi_info_read(multi_, &left)) {
      if (message->msg == CURLMSG_DONE) return ended_of(message->easy_handle, message->data.result);
    }
    return std::nullopt;
  }

  void forget() {
    for (const auto& exchange : exchanges_) ::curl_multi_remove_handle(multi_, exchange->easy);
    exchanges_.clear();
  }

 private:
  void prepare(Exchange& exchange) const {
    const auto set = [&](CURLoption option, auto value) { ::curl_easy_setopt(exchange.easy, option, value); };
    const auto head = [&](const std::string& line) {
      if (auto* longer = ::curl_slist_append(exchange.headers, line.c_str())) exchange.headers = longer;
    };
    head("Content-Type: " + options_.type);
    head(fmt::format("User-Agent: catena/{}", CATENA_VERSION));
    if (!options_.token.empty()) head("Authorization: Bearer " + options_.token);
    head("Expect:");  // waiting for "100 Continue" helps nobody here
    set(CURLOPT_ERRORBUFFER, exchange.words.data());
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_QUICK_EXIT, 1L);  // a name that is still being resolved is not waited for
    set(CURLOPT_PROXY, "");
    set(CURLOPT_URL, options_.url.c_str());
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_HTTP09_ALLOWED, 0L);
    set(CURLOPT_TCP_NODELAY, 1L);
    set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(options_.connect_max.count()));
    set(CURLOPT_LOW_SPEED_LIMIT, 1L);
    set(CURLOPT_LOW_SPEED_TIME, kSilenceMaxS);
    const auto& access = options_.access;
    if (!access.ca_file.empty()) set(CURLOPT_CAINFO, access.ca_file.c_str());
    if (!access.certificate_file.empty()) {
      set(CURLOPT_SSLCERT, access.certificate_file.c_str());
      set(CURLOPT_SSLKEY, access.key_file.c_str());
    }
    set(CURLOPT_HTTPHEADER, exchange.headers);
    set(CURLOPT_WRITEFUNCTION, &Exchange::on_body);
    set(CURLOPT_WRITEDATA, &exchange);
    // A body that curl would have to ask for again: it sends none a second time by itself. What may be repeated is decided by who made it.
    set(CURLOPT_POST, 1L);
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(exchange.sent.size()));
    set(CURLOPT_READFUNCTION, &Exchange::on_send);
    set(CURLOPT_READDATA, &exchange);
  }

  Ended ended_of(CURL* easy, CURLcode code) {
    const auto found = std::ranges::find_if(exchanges_, [&](const auto& exchange) { return exchange->easy == easy; });
    const auto exchange = std::move(*found);
    exchanges_.erase(found);
    Ended ended;
    ended.post = exchange->post;
    ended.too_large = exchange->too_large;
    if (code != CURLE_OK && !ended.too_large) ended.failure = failure_of(code, exchange->words.data());
    long status = 0;
    ::curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    ended.status = static_cast<int>(status);
    char* type = nullptr;
    ::curl_easy_getinfo(easy, CURLINFO_CONTENT_TYPE, &type);
    if (type != nullptr) ended.type = type;
    curl_off_t after = 0;
    constexpr curl_off_t kSecondsRead = 3'600;
    if (::curl_easy_getinfo(easy, CURLINFO_RETRY_AFTER, &after) == CURLE_OK && after > 0)
      ended.retry_after = std::min(kAgainMost, milliseconds{std::min(after, kSecondsRead) * 1000});
    ended.body = std::move(exchange->received);
    ::curl_multi_remove_handle(multi_, easy);
    return ended;
  }

  HttpPostsOptions options_;
  CURLM* multi_;
  std::list<std::unique_ptr<Exchange>> exchanges_;
};

HttpPosts::HttpPosts(HttpPostsOptions options) : impl_{std::make_unique<Impl>(std::move(options))} {}
HttpPosts::~HttpPosts() = default;
bool HttpPosts::begin(std::uint64_t post, std::string body) { return impl_->begin(post, std::move(body)); }
bool HttpPosts::drive(milliseconds span) { return impl_->drive(span); }
std::optional<HttpPosts::Ended> HttpPosts::next_ended() { return impl_->next_ended(); }
void HttpPosts::forget() { impl_->forget(); }

Result<void> check_http_url(const std::string& url, bool insecure) {
  const Url parsed{::curl_url()};
  const auto wrong = [&](const std::string& why) { return fail(Code::usage, fmt::format("'{}' {}", url, why)); };
  if (!parsed || ::curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), CURLU_NON_SUPPORT_SCHEME) != CURLUE_OK)
    return wrong("is no address; write one such as https://catena.example.org:7421");
  const auto scheme = part_of(parsed, CURLUPART_SCHEME);
  if (scheme != "http" && scheme != "https") return wrong("is neither an http nor an https address");
  if (!part_of(parsed, CURLUPART_USER).empty() || !part_of(parsed, CURLUPART_PASSWORD).empty())
    return wrong("holds credentials; an access token comes from a file (--token-file)");
  if (!part_of(parsed, CURLUPART_QUERY).empty() || !part_of(parsed, CURLUPART_FRAGMENT).empty())
    return wrong("has a query or a fragment; name the server, and the path before /v1 where there is one");
  if (scheme == "http" && !insecure && !is_this_machine(part_of(parsed, CURLUPART_HOST)))
    return wrong(
        "leads over a network without TLS: whoever sees it sees the token, and changes everything; name an https address, or allow it with "
        "--insecure-link");
  return {};
}

}  // namespace catena::client
