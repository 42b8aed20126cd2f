#pragma once
// Requests over HTTP, each answered in full or with an error: what `http:` endpoints and tools that fetch something stand on. The one
// adapter that knows libcurl. Connections are kept open from request to request.
//
// Link-local addresses and those of cloud metadata services are refused, also when a name leads there; loopback and private networks
// are where tools live, and are not. TLS certificates are always checked, proxies of the environment are not used. Nothing is logged.
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "worker/stop.hpp"

namespace catena::worker {

/// Settings of this machine.
struct HttpOptions {
  bool allow_link_local = false;  // http.allow_link_local
  bool public_only = false;       // only addresses of the public internet: for addresses that clients name
  std::string ca_file = {};       // http.ca_file: certificates that are trusted as well; empty: none
  Millis connect_timeout{10'000};
};

struct HttpHeader {
  std::string name;  // lower case in responses
  std::string value;
};

/// What becomes of a response whose body is larger than its reader takes: it is an error, or it comes without what is beyond.
enum class LargeBody : std::uint8_t { error, cut };

struct HttpRequest {
  std::string method = "POST";
  std::string url;
  std::vector<HttpHeader> headers;
  std::string_view body;                                     // must outlive the call
  Millis timeout{0};                                         // of the whole exchange, redirects included; 0: none
  std::size_t body_bytes_max = limits::kToolOutputBytesMax;  // of the response
  LargeBody large_body = LargeBody::error;
  /// Redirects that are followed, on the same host and port only (http to https aside). A request that is neither GET nor HEAD follows
  /// 307 and 308 as it is and 303 as a GET; its 301 and 302 come back as the response, for what is meant by them nobody knows.
  std::uint32_t redirects_max = 0;
};

struct HttpResponse {
  int status = 0;
  std::vector<HttpHeader> headers;
  std::string body;
  /// The first header of that name (in lower case).
  [[nodiscard]] std::optional<std::string_view> header(std::string_view name) const;
};

class HttpClient {
 public:
  explicit HttpClient(HttpOptions options = {});
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;
  ~HttpClient();

  /// Blocks until all of the response is there, whatever its status; ends at once when stopped. May be called by many threads. What is
  /// neither GET nor HEAD is sent once, also when a kept connection closes under it.
  /// Errors: connection_failed (retryable, unless a certificate was refused), tool_timeout, tool_output_too_large, address_refused (also:
  /// not http or https, credentials in the address, a redirect to another host), argument_type (a method or header that cannot be sent),
  /// cancelled.
  [[nodiscard]] Result<HttpResponse> send(const HttpRequest& request, const StopToken& stop);

 private:
  class Line;
  [[nodiscard]] std::unique_ptr<Line> take();
  void give_back(std::unique_ptr<Line> line);

  HttpOptions options_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Line>> idle_;  // the last used one last: its connections are the freshest
};

/// 408, 429 and 5xx: another attempt may be answered otherwise.
[[nodiscard]] bool is_temporary(int status);

/// How long the response asks to wait (Retry-After as seconds or as a date); at least 0. `now` stands in for a missing Date header.
[[nodiscard]] std::optional<Millis> retry_after(const HttpResponse& response, UnixMillis now);

/// An address for messages: without its query, which may hold secrets, and without credentials.
[[nodiscard]] std::string shown_url(std::string_view url);

}  // namespace catena::worker
