#pragma once
// A TLS peer of a test that blocks: it says what no dialer would.
#include <openssl/pem.h>
#include <openssl/ssl.h>

#include <memory>
#include <string>

#include "link/tls.hpp"
#include "tests/link/sockets.hpp"
#include "tests/link/trust.hpp"

namespace links_test {

class TlsPeerSocket {
 public:
  using State = TlsSession::State;

  /// A client with a certificate, judged at `now`.
  TlsPeerSocket(std::uint16_t port, const TlsFiles& files, UnixMillis now = today())
      : socket_{Socket::to(port)}, session_{TlsSession::begin(TlsContext::load(files, TlsSide::client, "", now).value()).value()} {}
  /// A server.
  TlsPeerSocket(Socket socket, const TlsFiles& files)
      : socket_{std::move(socket)}, session_{TlsSession::begin(TlsContext::load(files, TlsSide::server, "", today()).value()).value()} {}
  /// A client that has no certificate and believes everyone.
  TlsPeerSocket(std::uint16_t port, const std::string&)
      : socket_{Socket::to(port)}, bare_context_{::SSL_CTX_new(::TLS_client_method()), ::SSL_CTX_free} {
    bare_.reset(::SSL_new(bare_context_.get()));
    ::SSL_set_fd(bare_.get(), socket_.fd());
  }

  bool handshake() {
    if (bare_) return ::SSL_connect(bare_.get()) == 1;
    for (;;) {
      const auto state = session_->handshake();
      flush();
      if (state != State::wants_input) return state == State::done;
      if (!take()) return false;
    }
  }
  void send(std::string_view bytes) {
    if (bare_) {
      static_cast<void>(::SSL_write(bare_.get(), bytes.data(), static_cast<int>(bytes.size())));
      return;
    }
    static_cast<void>(session_->write(bytes));
    flush();
  }
  /// Empty when the other side has ended, or broken the session.
  std::string receive(std::size_t most) {
    std::string bytes(most, '\0');
    if (bare_) {
      const int got = ::SSL_read(bare_.get(), bytes.data(), static_cast<int>(most));
      bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
      return bytes;
    }
    std::size_t size = 0;
    auto state = session_->read(bytes, size);
    while (state == State::wants_input && take()) state = session_->read(bytes, size);
    bytes.resize(size);
    return bytes;
  }
  std::string line() {
    std::string text;
    while (!text.ends_with('\n')) {
      const auto byte = receive(1);
      if (byte.empty()) break;
      text += byte;
    }
    return text;
  }
  [[nodiscard]] std::string words() const { return session_->words(); }
  [[nodiscard]] std::string peer_name() const { return session_->peer().name; }

 private:
  void flush() {
    std::string bytes;
    session_->take_output(bytes);
    static_cast<void>(socket_.send(bytes));
  }
  bool take() {
    const auto bytes = socket_.receive();
    return !bytes.empty() && session_->feed(bytes);
  }

  Socket socket_;
  std::unique_ptr<TlsSession> session_;
  std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> bare_context_{nullptr, ::SSL_CTX_free};
  std::unique_ptr<SSL, void (*)(SSL*)> bare_{nullptr, ::SSL_free};
};

/// The first bytes that a TLS client sends.
inline std::string client_hello(const TlsFiles& files) {
  auto session = TlsSession::begin(TlsContext::load(files, TlsSide::client, "", today()).value()).value();
  static_cast<void>(session->handshake());
  std::string bytes;
  session->take_output(bytes);
  return bytes;
}

}  // namespace links_test
