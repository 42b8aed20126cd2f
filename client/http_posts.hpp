#pragma once
// Requests to one address, several at a time: bodies go out, answers come in. The one adapter of this layer that knows libcurl. Certificates are
// always checked, redirects are not followed, proxies of the environment are not used, and no body is sent twice. Blocking, for one thread.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "base/result.hpp"
#include "client/call_line.hpp"
#include "client/cluster_client.hpp"

namespace catena::client {

/// Whether tokens and answers may travel there: https, or this machine. Errors: usage, with what an address looks like.
[[nodiscard]] Result<void> check_http_url(const std::string& url, bool insecure);

struct HttpPostsOptions {
  std::string url;
  std::string type;   // of bodies
  std::string token;  // empty: none is shown
  HttpAccess access;
  Millis connect_max{10'000};
};

class HttpPosts {
 public:
  /// How a request ended.
  struct Ended {
    std::uint64_t post = 0;
    std::optional<Error> failure = {};  // connection_failed: there is no answer
    bool too_large = false;             // the answer, for this client
    int status = 0;
    std::string type = {};
    std::string body = {};
    milliseconds retry_after{1'000};  // as the answer says, bounded
  };

  explicit HttpPosts(HttpPostsOptions options);
  ~HttpPosts();
  HttpPosts(const HttpPosts&) = delete;
  HttpPosts& operator=(const HttpPosts&) = delete;

  /// False: there is not enough memory.
  [[nodiscard]] bool begin(std::uint64_t post, std::string body);
  /// Lets requests go on, and waits for at most `span` where none ends. False: nothing goes on any more.
  [[nodiscard]] bool drive(milliseconds span);
  [[nodiscard]] std::optional<Ended> next_ended();
  /// All that are on their way.
  void forget();

 private:
  struct Exchange;
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace catena::client
