#include "worker/http_client.hpp"

#include <curl/curl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "base/characters.hpp"
#include "worker/http_address.hpp"

namespace catena::worker {
namespace {

/// Lines kept for the next request; beyond, they are closed.
constexpr std::size_t kIdleLinesMax = 64;
/// Hosts that one line keeps a connection to.
constexpr long kConnectionsMax = 8;
constexpr std::size_t kHeaderBytesMax = 256UL << 10U;
constexpr int kPollMillis = 60'000;
/// How often the stop flag is looked at when no descriptor was left to wait for it.
constexpr int kStopCheckMillis = 100;

struct UrlDeleter {
  void operator()(CURLU* url) const { ::curl_url_cleanup(url); }
};
using Url = std::unique_ptr<CURLU, UrlDeleter>;

std::string part(const Url& url, CURLUPart which, unsigned flags = 0) {
  char* text = nullptr;
  if (::curl_url_get(url.get(), which, &text, flags) != CURLUE_OK || text == nullptr) return {};
  std::string copied{text};
  ::curl_free(text);
  return copied;
}

/// What decides whether two addresses are the same server.
struct Server {
  std::string scheme;
  std::string host;
  std::string port;
  [[nodiscard]] std::string text() const { return host + ":" + port; }
  /// To oneself, or from http to https where both have the port that is usual.
  [[nodiscard]] bool may_redirect_to(const Server& other) const {
    if (host != other.host) return false;
    return (scheme == other.scheme && port == other.port) || (scheme == "http" && port == "80" && other.scheme == "https" && other.port == "443");
  }
};

Result<Server> server_of(const std::string& address) {
  const Url url{::curl_url()};
  if (!url || ::curl_url_set(url.get(), CURLUPART_URL, address.c_str(), CURLU_NON_SUPPORT_SCHEME) != CURLUE_OK) {
    return fail(Code::address_refused, fmt::format("'{}' is not an address; write http://host[:port]/path or https://…", shown_url(address)));
  }
  Server server{part(url, CURLUPART_SCHEME), part(url, CURLUPART_HOST), part(url, CURLUPART_PORT, CURLU_DEFAULT_PORT)};
  if (server.scheme != "http" && server.scheme != "https") {
    return fail(Code::address_refused, fmt::format("'{}' is neither an http nor an https address", shown_url(address)));
  }
  if (!part(url, CURLUPART_USER).empty() || !part(url, CURLUPART_PASSWORD).empty()) {
    return fail(
        Code::address_refused,
        fmt::format("the address '{}' holds credentials, which would end up in messages and records; send them in a header", shown_url(address)));
  }
  std::ranges::transform(server.host, server.host.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return server;
}

bool is_token(std::string_view text) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::ranges::all_of(text, [&](char c) { return is_alphanumeric(c) || kMarks.find(c) != std::string_view::npos; });
}

/// A line break in a header would begin another one.
Result<void> check_headers(const HttpRequest& request) {
  if (!is_token(request.method)) return fail(Code::argument_type, fmt::format("'{}' is not a method of HTTP", request.method));
  for (const auto& header : request.headers) {
    if (!is_token(header.name)) return fail(Code::argument_type, fmt::format("'{}' cannot be the name of a header", header.name));
    const bool clean = std::ranges::none_of(header.value, [](unsigned char c) { return c == '\r' || c == '\n' || c == '\0'; });
    if (!clean) return fail(Code::argument_type, fmt::format("the header '{}' has a line break or a NUL character in its value", header.name));
  }
  return {};
}

class HeaderList {
 public:
  HeaderList() = default;
  HeaderList(const HeaderList&) = delete;
  HeaderList& operator=(const HeaderList&) = delete;
  ~HeaderList() { ::curl_slist_free_all(list_); }
  void add(const std::string& line) {
    if (auto* longer = ::curl_slist_append(list_, line.c_str())) list_ = longer;
  }
  [[nodiscard]] curl_slist* get() const { return list_; }

 private:
  curl_slist* list_ = nullptr;
};

/// One request on its way: what the callbacks fill in.
struct Exchange {
  HttpResponse response;
  std::string_view unsent;  // of the request's body
  std::size_t body_bytes_max = 0;
  std::size_t header_bytes = 0;
  bool too_large = false;
  bool allow_link_local = false;
  bool public_only = false;
  bool opened = false;  // at least one address was allowed
  std::string refused;  // one that was not
};

std::size_t on_send(char* buffer, std::size_t, std::size_t room, void* user) {
  auto& exchange = *static_cast<Exchange*>(user);
  const auto taken = exchange.unsent.copy(buffer, room);
  exchange.unsent.remove_prefix(taken);
  return taken;
}

std::size_t on_body(char* bytes, std::size_t, std::size_t count, void* user) {
  auto& exchange = *static_cast<Exchange*>(user);
  if (exchange.response.body.size() + count > exchange.body_bytes_max) {
    exchange.too_large = true;
    return 0;
  }
  exchange.response.body.append(bytes, count);
  return count;
}

std::size_t on_header(char* bytes, std::size_t, std::size_t count, void* user) {
  auto& exchange = *static_cast<Exchange*>(user);
  exchange.header_bytes += count;
  if (exchange.header_bytes > kHeaderBytesMax) {
    exchange.too_large = true;
    return 0;
  }
  std::string_view line{bytes, count};
  while (!line.empty() && (line.back() == '\r' || line.back() == '\n' || line.back() == ' ' || line.back() == '\t')) line.remove_suffix(1);
  // after "100 Continue" the real response begins anew
  if (line.starts_with("HTTP/")) exchange.response.headers.clear();
  const auto colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0) return count;
  HttpHeader header{std::string{line.substr(0, colon)}, {}};
  std::ranges::transform(header.name, header.name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto value = line.find_first_not_of(" \t", colon + 1);
  if (value != std::string_view::npos) header.value = line.substr(value);
  exchange.response.headers.push_back(std::move(header));
  return count;
}

curl_socket_t on_open_socket(void* user, curlsocktype, curl_sockaddr* address) {
  auto& exchange = *static_cast<Exchange*>(user);
  if ((!exchange.allow_link_local && is_link_local_or_metadata(address->addr)) || (exchange.public_only && is_private(address->addr))) {
    exchange.refused = to_text(address->addr);
    return CURL_SOCKET_BAD;
  }
  exchange.opened = true;
  return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

bool is_certificate_error(CURLcode code) {
  return code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE || code == CURLE_SSL_ISSUER_ERROR ||
         code == CURLE_SSL_CERTPROBLEM;
}

}  // namespace

/// An easy handle in a multi handle of its own: the latter keeps the connections and, unlike the former alone, can be waited for
/// together with a stop.
class HttpClient::Line {
 public:
  Line() : multi_{::curl_multi_init()}, easy_{::curl_easy_init()} {
    if (usable()) ::curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, kConnectionsMax);
  }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;
  ~Line() {
    if (easy_ != nullptr) ::curl_easy_cleanup(easy_);
    if (multi_ != nullptr) ::curl_multi_cleanup(multi_);
  }
  [[nodiscard]] bool usable() const { return multi_ != nullptr && easy_ != nullptr; }

  Result<HttpResponse> exchange(const HttpOptions& options, const HttpRequest& request, Millis timeout, const StopToken& stop) {
    Exchange exchange;
    exchange.body_bytes_max = request.body_bytes_max;
    exchange.allow_link_local = options.allow_link_local;
    exchange.public_only = options.public_only;
    HeaderList headers;
    for (const auto& header : request.headers) headers.add(header.value.empty() ? header.name + ";" : header.name + ": " + header.value);
    headers.add("Expect:");  // waiting for "100 Continue" helps nobody here
    prepare(options, request, timeout, exchange);
    ::curl_easy_setopt(easy_, CURLOPT_HTTPHEADER, headers.get());
    const auto code = perform(stop);
    const bool cut =
        request.large_body == LargeBody::cut && exchange.header_bytes <= kHeaderBytesMax && (exchange.too_large || code == CURLE_FILESIZE_EXCEEDED);
    if (code == CURLE_OK || cut) {
      long status = 0;
      ::curl_easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &status);
      exchange.response.status = static_cast<int>(status);
      return std::move(exchange.response);
    }
    return fail(explain(code, exchange, options, request, stop));
  }

  /// Where the last response redirects to; empty: nowhere.
  [[nodiscard]] std::string redirect() const {
    char* target = nullptr;
    ::curl_easy_getinfo(easy_, CURLINFO_REDIRECT_URL, &target);
    return target == nullptr ? std::string{} : std::string{target};
  }
  [[nodiscard]] Millis took() const {
    curl_off_t micros = 0;
    ::curl_easy_getinfo(easy_, CURLINFO_TOTAL_TIME_T, &micros);
    return Millis{micros / 1000};
  }

 private:
  void prepare(const HttpOptions& options, const HttpRequest& request, Millis timeout, Exchange& exchange) {
    ::curl_easy_reset(easy_);  // keeps connections
    error_[0] = '\0';
    const auto set = [this](CURLoption option, auto value) { ::curl_easy_setopt(easy_, option, value); };
    set(CURLOPT_ERRORBUFFER, error_.data());
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_QUICK_EXIT, 1L);  // a name that is still being resolved is not waited for
    set(CURLOPT_PROXY, "");
    set(CURLOPT_URL, request.url.c_str());
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_HTTP09_ALLOWED, 0L);
    set(CURLOPT_TCP_NODELAY, 1L);
    set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(options.connect_timeout.count()));
    if (timeout.count() > 0) set(CURLOPT_TIMEOUT_MS, static_cast<long>(timeout.count()));
    if (!options.ca_file.empty()) set(CURLOPT_CAINFO, options.ca_file.c_str());
    set(CURLOPT_WRITEFUNCTION, &on_body);
    set(CURLOPT_WRITEDATA, &exchange);
    set(CURLOPT_HEADERFUNCTION, &on_header);
    set(CURLOPT_HEADERDATA, &exchange);
    set(CURLOPT_OPENSOCKETFUNCTION, &on_open_socket);
    set(CURLOPT_OPENSOCKETDATA, &exchange);
    if (request.method == "HEAD") {
      set(CURLOPT_NOBODY, 1L);
    } else if (request.method == "GET" && request.body.empty()) {
      set(CURLOPT_HTTPGET, 1L);
    } else if (!request.body.empty() || request.method == "POST" || request.method == "PUT" || request.method == "PATCH") {
      // A body that curl would have to ask for again: where a kept connection closes under a request, it does not send it a second time by
      // itself. The server may have acted on the first; whether there is to be another attempt is not for here to decide.
      exchange.unsent = request.body;
      set(CURLOPT_POST, 1L);
      set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
      set(CURLOPT_READFUNCTION, &on_send);
      set(CURLOPT_READDATA, &exchange);
    }
    const bool reads = request.method == "GET" || request.method == "HEAD";
    if (!reads && request.body.empty()) set(CURLOPT_FRESH_CONNECT, 1L);  // to the same end
    // what is announced too large is not even read; of HEAD nothing is
    if (request.method != "HEAD") set(CURLOPT_MAXFILESIZE_LARGE, static_cast<curl_off_t>(request.body_bytes_max));
    if (request.method != "HEAD") set(CURLOPT_CUSTOMREQUEST, request.method.c_str());
  }

  CURLcode perform(const StopToken& stop) {
    if (::curl_multi_add_handle(multi_, easy_) != CURLM_OK) return CURLE_OUT_OF_MEMORY;
    const auto code = drive(stop);
    ::curl_multi_remove_handle(multi_, easy_);
    return code;
  }

  CURLcode drive(const StopToken& stop) {
    curl_waitfd waited{.fd = stop.poll_fd(), .events = CURL_WAIT_POLLIN, .revents = 0};
    const bool with_stop = waited.fd >= 0;
    for (int running = 1;;) {
      if (stop.stop_requested()) return CURLE_ABORTED_BY_CALLBACK;
      if (::curl_multi_perform(multi_, &running) != CURLM_OK) return CURLE_OUT_OF_MEMORY;
      if (running == 0) break;
      if (::curl_multi_poll(multi_, with_stop ? &waited : nullptr, with_stop ? 1 : 0, with_stop ? kPollMillis : kStopCheckMillis, nullptr) !=
          CURLM_OK) {
        return CURLE_OUT_OF_MEMORY;
      }
    }
    int left = 0;
    while (const auto* message = ::curl_multi_info_read(multi_, &left)) {
      if (message->msg == CURLMSG_DONE) return message->data.result;
    }
    return CURLE_OUT_OF_MEMORY;
  }

  Error explain(CURLcode code, const Exchange& exchange, const HttpOptions& options, const HttpRequest& request, const StopToken& stop) const {
    const auto url = shown_url(request.url);
    if (stop.stop_requested()) return make_error(Code::cancelled, fmt::format("the request to '{}' was cancelled", url));
    if (exchange.too_large || code == CURLE_FILESIZE_EXCEEDED) {
      return make_error(Code::tool_output_too_large,
                        exchange.header_bytes > kHeaderBytesMax
                            ? fmt::format("the headers of the response of '{}' are larger than {} bytes", url, kHeaderBytesMax)
                            : fmt::format("the response of '{}' is larger than {} bytes", url, request.body_bytes_max));
    }
    if (!exchange.refused.empty() && !exchange.opened && exchange.public_only) {
      return make_error(Code::address_refused, fmt::format("'{}' leads to {}, which is no address of the public internet", url, exchange.refused));
    }
    if (!exchange.refused.empty() && !exchange.opened) {
      return make_error(
          Code::address_refused,
          fmt::format("'{}' leads to {}, a link-local or metadata address, which tools must not reach (http.allow_link_local allows it)", url,
                      exchange.refused));
    }
    if (code == CURLE_OPERATION_TIMEDOUT) {
      double connected = 0;
      ::curl_easy_getinfo(easy_, CURLINFO_CONNECT_TIME, &connected);
      if (connected == 0 && took() + Millis{1} >= options.connect_timeout) {
        return make_error(Code::connection_failed, fmt::format("no connection to '{}' within {}", url, to_string(options.connect_timeout)));
      }
      return make_error(Code::tool_timeout, fmt::format("no response of '{}' within {}", url, to_string(request.timeout)));
    }
    std::string_view why = error_[0] != '\0' ? error_.data() : ::curl_easy_strerror(code);
    auto error = make_error(Code::connection_failed, fmt::format("the request to '{}' failed: {}", url, why));
    if (is_certificate_error(code)) {
      error.retryable = false;
      error.message += "; http.ca_file names further certificates to trust";
    }
    return error;
  }

  CURLM* multi_;
  CURL* easy_;
  std::array<char, CURL_ERROR_SIZE> error_{};
};

std::optional<std::string_view> HttpResponse::header(std::string_view name) const {
  const auto found = std::ranges::find(headers, name, &HttpHeader::name);
  return found == headers.end() ? std::nullopt : std::optional<std::string_view>{found->value};
}

HttpClient::HttpClient(HttpOptions options) : options_{std::move(options)} {}

HttpClient::~HttpClient() = default;

std::unique_ptr<HttpClient::Line> HttpClient::take() {
  {
    const std::scoped_lock lock{mutex_};
    if (!idle_.empty()) {
      auto line = std::move(idle_.back());
      idle_.pop_back();
      return line;
    }
  }
  // of the whole process, and only when a request is made: it costs milliseconds
  static const auto global = ::curl_global_init(CURL_GLOBAL_DEFAULT);
  return global == CURLE_OK ? std::make_unique<Line>() : nullptr;
}

void HttpClient::give_back(std::unique_ptr<Line> line) {
  const std::scoped_lock lock{mutex_};
  if (idle_.size() < kIdleLinesMax) idle_.push_back(std::move(line));
}

Result<HttpResponse> HttpClient::send(const HttpRequest& request, const StopToken& stop) {
  if (auto sound = check_headers(request); !sound) return fail(sound.error());
  auto server = server_of(request.url);
  if (!server) return fail(std::move(server).error());
  auto line = take();
  if (!line || !line->usable()) {
    auto error = make_error(Code::connection_failed, "no memory was left for a request");
    return fail(std::move(error));
  }
  auto sent = request;  // changes with a redirect
  auto left = request.timeout;
  for (std::uint32_t redirects = 0;; ++redirects) {
    auto response = line->exchange(options_, sent, left, stop);
    const auto target = response ? line->redirect() : std::string{};
    if (target.empty() || request.redirects_max == 0) return give_back(std::move(line)), response;
    const bool reads = sent.method == "GET" || sent.method == "HEAD";
    const int status = response->status;
    if (!reads && status != 303 && status != 307 && status != 308) return give_back(std::move(line)), response;
    const auto to = server_of(target);
    if (!to) return give_back(std::move(line)), fail(to.error());
    if (!server->may_redirect_to(*to)) {
      give_back(std::move(line));
      return fail(Code::address_refused, fmt::format("'{}' redirects from {} to {}, another host, which is not followed; call '{}' itself",
                                                     shown_url(request.url), server->text(), to->text(), shown_url(target)));
    }
    if (redirects == request.redirects_max) {
      give_back(std::move(line));
      return fail(Code::address_refused, fmt::format("'{}' redirects more than {} times", shown_url(request.url), request.redirects_max));
    }
    if (request.timeout.count() > 0) left = std::max(left - line->took(), Millis{1});
    if (status == 303 && !reads) {
      sent.method = "GET";
      sent.body = {};
    }
    sent.url = target;
    server = *to;
  }
}

bool is_temporary(int status) { return status == 408 || status == 429 || (status >= 500 && status <= 599); }

std::optional<Millis> retry_after(const HttpResponse& response, UnixMillis now) {
  const auto value = response.header("retry-after");
  if (!value) return std::nullopt;
  constexpr std::int64_t kSecondsMax = 366L * 24 * 3600;
  std::int64_t seconds = 0;
  const auto [end, ec] = std::from_chars(value->data(), value->data() + value->size(), seconds);
  if (ec == std::errc{} && end == value->data() + value->size()) return std::chrono::seconds{std::clamp<std::int64_t>(seconds, 0, kSecondsMax)};
  const auto at = ::curl_getdate(std::string{*value}.c_str(), nullptr);
  if (at < 0) return std::nullopt;
  // the server's own clock, where it tells it: ours may differ
  const auto date = response.header("date");
  const auto told = date ? ::curl_getdate(std::string{*date}.c_str(), nullptr) : -1;
  const auto since = told >= 0 ? static_cast<std::int64_t>(told) : now / 1000;
  return std::chrono::seconds{std::clamp<std::int64_t>(static_cast<std::int64_t>(at) - since, 0, kSecondsMax)};
}

std::string shown_url(std::string_view url) {
  std::string shown{url.substr(0, url.find_first_of("?#"))};
  const auto begin = shown.find("://");
  if (begin == std::string::npos) return shown;
  const auto authority_end = std::min(shown.find('/', begin + 3), shown.size());
  const auto at = shown.rfind('@', authority_end);
  if (at != std::string::npos && at > begin + 2 && at < authority_end) shown.replace(begin + 3, at - begin - 2, "");
  return shown;
}

}  // namespace catena::worker
