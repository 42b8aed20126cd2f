#pragma once
// The server behind the interface: sockets, HTTP/1.1 and its limits. The library that does this stays behind this class.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "api/message.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "link/tls_server.hpp"

namespace catena::api {

struct HttpOptions {
  std::string listen;                         // host:port; port 0: any that is free
  bool beyond_loopback = false;               // it may listen elsewhere than on loopback
  std::shared_ptr<link::TlsServer> tls = {};  // null: without TLS
  std::size_t threads = 2;
  std::size_t connections_max = 20'000;  // and no more than half of the files that the process may have open. More are closed at once
  std::size_t body_bytes_max = 0;        // of any route. Beyond twice as much the connection is closed without an answer
  Millis read_max{30'000};               // for a whole request to come, and for the next one on a connection
  Millis write_max{30'000};
  Millis answer_max{120'000};  // for an answer to be given
  /// Called on a thread of the server, which must not wait. One of `reply` and `begin` may be called, from any thread, also after the server has
  /// ended.
  std::function<void(Request request, Reply reply, Begin begin)> handle;
};

class HttpServer {
 public:
  /// Errors: usage, where the address is not on loopback and may not be elsewhere, or is none; connection_failed, where it cannot listen.
  [[nodiscard]] static Result<std::unique_ptr<HttpServer>> open(HttpOptions options);
  /// Closes all connections.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  /// host:port, with the port that it has.
  [[nodiscard]] std::string address() const;
  [[nodiscard]] std::uint16_t port() const;
  /// "https", or "http" without TLS.
  [[nodiscard]] std::string_view scheme() const;

 private:
  struct Parts;
  struct Answerer;
  class Chunks;
  struct Beginner;
  explicit HttpServer(std::shared_ptr<Parts> parts);
  std::shared_ptr<Parts> parts_;
};

}  // namespace catena::api
